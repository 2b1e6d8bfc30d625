"""Free vibration of EVENTDRIVEN: the specimen is unloaded with the stored mass and damping, for good."""

from __future__ import annotations

import math

import numpy as np
from event_driver import TARGETS, answering, generator, played


def free(k, u0, m, c, h, ticks):
    """Damped free vibration from u0 at rest, at times 0, h, 2h ..."""
    omega, zeta = math.sqrt(k / m), c / (2 * math.sqrt(k * m))
    damped, t = omega * math.sqrt(1 - zeta**2), h * np.arange(ticks)
    return u0 * np.exp(-zeta * omega * t) * (np.cos(damped * t) + zeta / math.sqrt(1 - zeta**2) * np.sin(damped * t))


def test_free_vibration_is_that_of_mass_damping_and_specimen():
    """Two channels of 2 s and 1 s of the model's time per cycle; a tick is 0.1 s / 20 of it."""
    mass, damping, k = np.array([4.0, 1.0]), np.array([1.5, 0.5]), 4 * math.pi**2 * np.array([1.0, 1.0])
    block = generator(width=2, mass=mass, damping=damping, step_time=0.1, hold_timeout=0.01)
    targets = np.array([[0.1, -0.2], [0.3, -0.2]])
    run = played(block, 1500, answering(targets, [4, 4]), force=lambda command: k * command)
    begin = int(np.flatnonzero(run.mode == 4)[0])
    held = run.command[begin - 1]
    assert run.mode[begin - 1] == 3
    assert set(run.mode[begin:]) == {4}
    for i in range(2):
        expected = free(k[i], held[i], mass[i], damping[i], 0.005, 1500 - begin + 1)
        # Newmark's method is fast by (omega h)^2 / 24 = 4e-5, which adds up to this much before it is damped.
        np.testing.assert_allclose(run.command[begin - 1 :, i], expected, rtol=0, atol=5e-4 * abs(held[i]))
    assert (np.abs(run.command[-1]) < 0.35 * np.abs(held)).all()


def test_free_vibration_is_newmarks_explicit_method():
    m, c, k, h = 2.0, 0.7, 30.0, 0.01 / 20
    run = played(generator(mass=m, damping=c), 300, answering(TARGETS, [4]), force=lambda u: k * u)
    begin = int(np.flatnonzero(run.mode == 4)[0])
    u = [run.command[begin - 1]]
    v, a = 0.0, -k * u[0] / m
    for _ in range(begin, 300):
        u.append(u[-1] + h * v + h * h / 2 * a)
        following = -(k * u[-1] + c * (v + h / 2 * a)) / (m + h / 2 * c)
        v, a = v + h / 2 * (a + following), following
    np.testing.assert_allclose(run.command[begin - 1 :], u, rtol=1e-12)


def test_free_vibration_is_not_left_again():
    targets = answering(TARGETS, [4])
    run = played(generator(), 300, lambda tick, row: (9.0, 2.0) if tick > 120 else targets(tick, row))
    begin = int(np.flatnonzero(run.mode == 4)[0])
    assert begin < 120
    assert set(run.mode[begin:]) == {4}
    assert np.ptp(run.command[begin:]) == 0.0  # no force, no motion
    assert run.request[begin:].sum() == 0
