"""Dampers and force relaxation: stiffness, energy and rate behaviour, measured in the compiled engine."""

from __future__ import annotations

import math

import numpy as np

from hybsim.studies.verification.loops import area, complex_stiffness, forces, forces_in_time
from hybsim.studies.verification.rows import Row, row
from hybsim.studies.verification.specimen_loops import viscous_area

K, C = 10.0, 2.0


def rows() -> list[Row]:
    """Every number of these specimens."""
    return [*_relaxation(), *_viscous(), *_maxwell(), *_mr_damper()]


def _relaxation() -> list[Row]:
    name, most, tau, u_c, dt = "RELAXATION", 0.4, 3.0, 0.05, 0.01
    parameters = dict(stiffness=K, overstress=most, time=tau, recovery_disp=u_c)

    def overstress(disps: np.ndarray) -> np.ndarray:
        static = forces("ELASTICPLASTIC", dict(stiffness=K, yield_disp=0.5), disps, dt=dt)
        return forces(name, parameters, disps, static, dt=dt) - static

    elastic = 0.4 * np.sin(2.0 * math.pi * dt * np.arange(300))
    result = [row(name, "overstress in the elastic range", float(np.abs(overstress(elastic)).max()), 0.0, "none")]
    for speed in (0.01, 1.0):
        ticks = round(2.0 / (speed * dt))
        over = overstress(speed * dt * np.arange(ticks + 1))
        theory = most / (1.0 + u_c / (speed * tau))
        result.append(
            row(name, f"overstress when yielding at {speed:g}/s", over[-1], theory, "s_max / (1 + u_c/(v tau))", 1e-6)
        )
    ramp = 0.1 * dt * np.arange(1501)
    over = overstress(np.concatenate([ramp, np.full(470, ramp[-1])]))
    for hold, ticks in ((0.2, 20), (4.7, 470)):
        left = over[1500 + ticks] / over[1500]
        result.append(
            row(name, f"overstress left after a hold of {hold} s", left, math.exp(-hold / tau), "exp(-t/tau)")
        )
    return result


def _viscous() -> list[Row]:
    name, top, hertz, n = "VISCOUSDAMPER", 0.7, 2.0, 4000
    dt, w = 1.0 / (n * hertz), 2.0 * math.pi * hertz
    angle = 2.0 * math.pi * np.arange(n + 1) / n
    result = []
    for a in (1.0, 0.35):
        force = forces(name, dict(damping=C, exponent=a), top * w * np.cos(angle), dt=dt)
        theory = C * w**a * top ** (1.0 + a) * viscous_area(a)
        source = "c w^a U^(1+a) 2^(2+a) Gamma(1+a/2)^2 / Gamma(2+a)"
        result.append(
            row(name, f"energy of a cycle, a = {a:g}", area(top * np.sin(angle), force), theory, source, 1e-5)
        )
    for speed in (0.1, 10.0):
        force = forces(f"{name}_S", dict(damping=C, exponent=0.35), speed * dt * np.arange(20), dt=dt)
        result.append(row(f"{name}_S", f"force at {speed:g}/s, a = 0.35", force[-1], C * speed**0.35, "c v^a"))
    return result


def _maxwell() -> list[Row]:
    name, linear = "MAXWELL", dict(stiffness=K, damping=C)
    at_once = forces(name, linear, np.array([0.0, 1e-3]), dt=1e-8)[-1] / 1e-3
    result = [row(name, "stiffness at once", at_once, K, "k", 1e-6)]
    ramp = forces(name, linear, 0.3 * 0.05 * np.arange(5), dt=0.05)[-1]
    theory = C * 0.3 * (1.0 - math.exp(-0.2 * K / C))
    result.append(row(name, "force after a ramp of a relaxation time", ramp, theory, "c v (1 - exp(-k t/c))"))
    n = 2000
    for hertz in (0.1, 1.0, 10.0):
        dt, w = 1.0 / (n * hertz), 2.0 * math.pi * hertz
        cycles = 2 + math.ceil(4.0 * hertz)
        disps = np.sin(2.0 * math.pi * np.arange(n * cycles) / n)
        value = complex_stiffness(disps[-n:], forces(name, linear, disps, dt=dt)[-n:])
        exact = 1j * w * C / (1.0 + 1j * w * C / K)
        for words, part, of in (("storage", value.real, exact.real), ("loss", value.imag, exact.imag)):
            source = "i w c / (1 + i w c/k)"
            result.append(row(name, f"{words} stiffness at {hertz:g} Hz", part, of, source, 2e-4))
    for a in (1.0, 0.5):
        force = forces_in_time(
            f"{name}_RATE", linear | dict(exponent=a), lambda t: 0.3 + 0.0 * t, dt=0.01, duration=8.0
        )
        result.append(row(f"{name}_RATE", f"steady force, a = {a:g}", force[-1], C * 0.3**a, "c v^a", 1e-6))
    return result


def _mr_damper() -> list[Row]:
    name, volts, rest = "MRDAMPER", 1.5, 5.0 * 14.3
    alpha, c0, c1 = 140.0 + 695.0 * volts, 21.0 + 3.5 * volts, 283.0 + 2.95 * volts
    still = forces(name, {}, np.zeros(3), np.zeros(3), dt=0.001)[-1]
    result = [row(name, "force at rest", still, -rest, "-k_1 x_0")]

    n, hertz = 2000, 5.0
    dt, w = 1.0 / (n * hertz), 2.0 * math.pi * hertz
    little = 1e-6 * np.sin(2.0 * math.pi * np.arange(4 * n) / n)
    value = complex_stiffness(little[-n:], forces(name, {}, little, np.full(4 * n, volts), dt=dt)[-n:])
    element = 46.9 + 301.0 * alpha + 1j * w * c0
    exact = 5.0 + 1.0 / (1.0 / element + 1.0 / (1j * w * c1))
    source = "springs and dashpots, z << z_u"
    result.append(row(name, "dynamic stiffness of small motion, 5 Hz", abs(value), abs(exact), source, 1e-3))

    stiff, dt = dict(c1a=1e9), 0.001
    yielded = alpha * math.sqrt(301.0 / 726.0)
    for speed in (1.0, 10.0):
        ticks = 200
        path = speed * dt * np.arange(ticks + 1)
        force = forces(name, stiff, path, np.full(ticks + 1, volts), dt=dt)
        x = float(path[-1])
        theory = yielded + c0 * speed + 46.9 * x + 5.0 * x - rest
        source = "a z_u + c_0 v + k_0 x + k_1 (x - x_0)"
        result.append(row(name, f"force when sliding at {speed:g} cm/s, stiff c_1", force[-1], theory, source, 1e-5))
    path, volt = 4.0 * dt * np.arange(121), np.where(np.arange(121) < 100, 0.0, 2.0)
    force = forces(name, stiff, path, volt, dt=dt)
    v = 2.0 * (1.0 - math.exp(-190.0 * 0.005))
    x = float(path[105])
    theory = (140.0 + 695.0 * v) * math.sqrt(301.0 / 726.0) + (21.0 + 3.5 * v) * 4.0 + 51.9 * x - rest
    result.append(row(name, "force 5 ms after a step of 2 V", force[105], theory, "v = 2 (1 - exp(-eta t))", 1e-5))

    speed = 4.0
    moved = forces_in_time(
        f"{name}_RATE", stiff, lambda t: speed * t, lambda t: speed + 0.0 * t, lambda t: volts + 0.0 * t,
        dt=1e-4, duration=0.2,
    )  # fmt: skip
    x = speed * 0.2
    theory = yielded + c0 * speed + 51.9 * x - rest
    result.append(
        row(f"{name}_RATE", "force when sliding at 4 cm/s, stiff c_1", moved[-1], theory, "as MRDAMPER", 1e-5)
    )
    return result
