"""Springs and hysteretic specimens: initial stiffness, ultimate force and loop area, in the compiled engine."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hybsim.studies.verification.loops import area, floor_forces, forces, forces_in_time, sine, walk
from hybsim.studies.verification.rows import Row, row
from hybsim.studies.verification.specimen_loops import bilinear_area, bouc_wen_loop, steel_loop

K, UY, ALPHA = 10.0, 0.5, 0.1
YIELD = dict(stiffness=K, yield_disp=UY)
E_MAX = 4.0
ENERGY = K * UY**2
SMALL = 1e-6


def rows() -> list[Row]:
    """Every number of these specimens."""
    return [*_linear(), *_coupled(), *_cubic(), *_plastic(), *_steel(), *_bouc_wen(), *_degrading()]


def _stiffness(factory: str, parameters: dict[str, Any]) -> Row:
    force = forces(factory, parameters, np.array([0.0, SMALL]))
    return row(factory, "initial stiffness", force[-1] / SMALL, K, "k", 1e-5)


def _steady(factory: str, parameters: dict[str, Any], steps: int = 800) -> tuple[float, float]:
    """Peak force and area of the last of several cycles between -/+ E_MAX yield displacements."""
    top = UY * E_MAX
    disps = walk(0.0, *[top, -top] * 5, top, steps=steps)
    force = forces(factory, parameters, disps)
    return float(force[-1]), area(disps[-2 * steps - 1 :], force[-2 * steps - 1 :])


def _linear() -> list[Row]:
    disps = walk(0.0, 1.0, -1.0, 0.0, steps=50)
    work = area(disps, forces("SPRING", dict(stiffness=K), disps))
    return [_stiffness("SPRING", dict(stiffness=K)), row("SPRING", "loop area", work, 0.0, "elastic")]


def _coupled() -> list[Row]:
    # Round a triangle, past both unit displacements.
    paths = np.array([walk(0.0, 1.0, 0.0, 0.0, steps=50), walk(0.0, 0.0, 1.0, 0.0, steps=50)])
    matrix = np.array([[3.0, -1.0], [-1.0, 1.0]])
    cases: list[tuple[str, dict[str, Any]]] = [
        ("COUPLEDSPRINGS", dict(stiffness=matrix)),
        ("STOREYS", dict(stiffness=[2.0, 1.0], floors=2)),
    ]
    result = []
    for name, parameters in cases:
        force = floor_forces(name, parameters, paths)
        work = sum(area(path, one) for path, one in zip(paths, force, strict=True))
        result += [
            row(name, "stiffness K_11", force[0, 50], matrix[0, 0], "K"),
            row(name, "stiffness K_12", force[0, 100], matrix[0, 1], "K"),
            row(name, "work on a closed path", work, 0.0, "elastic"),
        ]
    return result


def _cubic() -> list[Row]:
    name, soft, late = "CUBICSPRING", dict(stiffness=K, cubic=-2.0), 0.2
    top = math.sqrt(K / 6.0)
    n = 2000
    angle = 2.0 * math.pi * np.arange(n + 1) / n
    result = [_stiffness(name, soft)]
    peak = forces(name, soft, walk(0.0, 2.0 * top, steps=400)).max()
    result.append(row(name, "largest force, softening", peak, 2.0 / 3.0 * K * top, "2/3 k sqrt(k / 3|h|)"))
    for words, cubic in (("softening", -2.0), ("linear", 0.0), ("hardening", 2.0)):
        force = forces(name, dict(stiffness=K, cubic=cubic), np.sin(angle - late))
        added = -area(np.sin(angle), force)
        theory = math.pi * math.sin(late) * (K + 0.75 * cubic)
        source = "pi U^2 sin(w tau) (k + 3/4 h U^2), PSI Eq. 2.32"
        result.append(row(name, f"energy added by a delay, {words}", added, theory, source, 1e-5))
    return result


def _plastic() -> list[Row]:
    result = []
    for name, alpha in (("ELASTICPLASTIC", 0.0), ("BILINEAR", ALPHA)):
        parameters = YIELD | (dict(alpha=alpha) if alpha else {})
        peak, enclosed = _steady(name, parameters)
        result += [
            _stiffness(name, parameters),
            row(name, "peak force", peak, K * UY * (1.0 + alpha * (E_MAX - 1.0)), "k u_y + alpha k (u - u_y)"),
            row(name, "loop area", enclosed, ENERGY * bilinear_area(E_MAX, alpha), "4 (1-alpha) k u_y (u - u_y)", 1e-5),
        ]
    return result


def _steel() -> list[Row]:
    name, b, r = "STEEL", 0.05, 6.0
    constant = YIELD | dict(alpha=b, r0=r, cr1=0.0)
    peak, enclosed = _steady(name, constant)
    top, loop = steel_loop(E_MAX, b, r)
    first = forces(name, YIELD | dict(alpha=b), np.array([0.0, UY, 20.0 * UY, 20.0 * UY + 1e-3]))
    half = K * UY * (b + (1.0 - b) * 2.0 ** (-1.0 / 20.0))
    return [
        _stiffness(name, constant),
        row(name, "force at u_y", first[1], half, "k u_y (b + (1-b) 2^(-1/R0))"),
        row(name, "stiffness after yielding", (first[3] - first[2]) / 1e-3, b * K, "b k", 1e-8),
        row(name, "peak force, constant R", peak, K * UY * top, "fixed point of the branch", 1e-8),
        row(name, "loop area, constant R", enclosed, ENERGY * loop, "quadrature of the branch", 1e-5),
    ]


def _bouc_wen() -> list[Row]:
    shape = YIELD | dict(alpha=ALPHA, beta=0.5, gamma=0.5, n=2.0)
    peak, enclosed = _steady("BOUCWEN", shape)
    top, loop = bouc_wen_loop(E_MAX)
    ultimate = forces("BOUCWEN", YIELD | dict(beta=0.3, gamma=0.5, n=1.5), walk(0.0, 10.0, steps=400))[-1]
    source = "Z = tanh(2 e_max - Z)"
    result = [
        _stiffness("BOUCWEN", shape),
        row("BOUCWEN", "peak force", peak, K * UY * (ALPHA * E_MAX + (1.0 - ALPHA) * top), source, 1e-6),
        row("BOUCWEN", "loop area", enclosed, (1.0 - ALPHA) * ENERGY * loop, "2 (ln cosh(2 e_max - Z) - Z^2/2)", 1e-5),
        row("BOUCWEN", "ultimate force", ultimate, K * UY * 0.8 ** (-1.0 / 1.5), "k u_y (beta+gamma)^(-1/n)", 1e-6),
    ]  # fmt: skip
    # Both floors together: only the lowest storey has a drift, and its shear is the force of the lowest floor.
    path = walk(0.0, *[UY * E_MAX, -UY * E_MAX] * 5, UY * E_MAX, steps=800)
    force = floor_forces("STOREYS_BOUCWEN", shape | dict(floors=2), np.array([path, path]))[0]
    enclosed, theory = area(path[-1601:], force[-1601:]), (1.0 - ALPHA) * ENERGY * loop
    result.append(row("STOREYS_BOUCWEN", "loop area of a storey", enclosed, theory, "as BOUCWEN", 1e-5))
    for hertz in (0.1, 10.0):
        enclosed = _area_in_time("BOUCWEN_RATE", shape, hertz)
        source = "as BOUCWEN, at any rate"
        result.append(row("BOUCWEN_RATE", f"loop area at {hertz:g} Hz", enclosed, theory, source, 1e-5))
    return result


def _area_in_time(factory: str, parameters: dict[str, Any], hertz: float, ticks: int = 4000) -> float:
    """Area of the third cycle of a sine of E_MAX yield displacements."""
    dt, top = 1.0 / (ticks * hertz), UY * E_MAX
    force = forces_in_time(factory, parameters, *sine(top, hertz), dt=dt, duration=3.0 / hertz)
    disps = top * np.sin(2.0 * math.pi * np.arange(len(force)) / ticks)
    return area(disps[-ticks - 1 :], force[-ticks - 1 :])


def _degrading() -> list[Row]:
    name, d = "BOUCWEN_DEGRADING", 0.1
    path = walk(0.0, *[2.0, -2.0] * 3, steps=2000)
    result = [_stiffness(name, YIELD | dict(delta_nu=d, delta_eta=d, zeta_s=0.9))]

    force = forces(name, YIELD | dict(delta_eta=d), path)
    at = int(np.flatnonzero(np.diff(np.sign(force)))[-1])
    e = area(path[: at + 1], force[: at + 1]) / ENERGY
    tangent = np.diff(force)[at] / np.diff(path)[at]
    result.append(row(name, f"stiffness at zero force, e = {e:.1f}", tangent, K / (1.0 + d * e), "k / eta(e)", 1e-3))

    d = 0.002
    long = walk(0.0, *[4.0, -4.0] * 4, steps=2000)
    force = forces(name, YIELD | dict(delta_nu=d, beta=0.55, gamma=0.45), long)
    e = area(long, force) / ENERGY
    source = "k u_y (nu(e) (beta+gamma))^(-1/n)"
    result.append(row(name, f"strength, e = {e:.0f}", -force[-1], K * UY / math.sqrt(1.0 + d * e), source, d))

    severity, level = 0.9, 0.3
    pinching = dict(zeta_s=severity, q=level, p=1.0, psi=0.2, delta_psi=0.0, lam=0.5, beta=0.5, gamma=0.5)
    force = forces(name, YIELD | pinching, path)
    at = 10000 + int(np.argmax(force[10000:] < -level * K * UY))
    e = area(path[: at + 1], force[: at + 1]) / ENERGY
    tangent = (force[at] - force[at - 1]) / (path[at] - path[at - 1])
    depth = severity * (1.0 - math.exp(-e))
    source = "k (1 - zeta_1) (1 - q^n)"
    result.append(row(name, "stiffness within the pinch", tangent, K * (1.0 - depth) * (1.0 - level**2), source, 1e-3))

    d = 0.3
    first = dict(beta=0.6, gamma=0.4, n=1.0, delta_eta=d)
    ramp = walk(0.0, 2.0, steps=4000)
    speed, dt = 20.0, 2.0 / 20.0 / 4000
    both = {
        name: forces(name, YIELD | first, ramp),
        f"{name}_RATE": forces_in_time(
            f"{name}_RATE", YIELD | first, lambda t: speed * t, lambda t: speed + 0.0 * t, dt=dt, duration=2.0 / speed
        ),
    }
    for which, force in both.items():
        z, e = float(force[-1]) / (K * UY), area(ramp, force) / ENERGY
        theory = -(z + math.log(1.0 - z))
        result.append(
            row(
                which,
                "ln(eta)/delta_eta after first loading",
                math.log(1.0 + d * e) / d,
                theory,
                "-(z + ln(1-z)), n = 1",
                1e-5,
            )
        )
    return result
