"""Implicit, operator-splitting and iterative integrators in whole diagrams: the engines give the same bits.

One degree of freedom with a yielding specimen behind a lagging actuator, and three with cubic springs.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from agreement import agreed
from scipy.integrate import solve_ivp

import hybsim as hs

MASS, STIFFNESS = 10.0 / (2 * math.pi) ** 2, 10.0
DAMPING = 2 * 0.05 * math.sqrt(MASS * STIFFNESS)

# Parameters beside mass, damping and the part of the stiffness given to the block; ticks of an integration step.
METHODS = [
    ("NEWMARK_BETA", {"beta": 1 / 6}, 0.5, 1),
    ("HHT", {"alpha": -0.1}, 0.5, 1),
    ("IMPLICIT_EXPLICIT", {"gamma": 0.55, "beta": 0.3}, 0.5, 1),
    ("OS", {}, 1.0, 1),
    ("ALPHA_OS", {"alpha": -0.3}, 1.0, 1),
    ("OSM_US", {"estimate": "least_squares", "steps": 4}, 1.0, 1),
    ("OSM_US", {"estimate": "broyden", "threshold": 0.001}, 1.0, 1),
    ("OSM_US", {"estimate": "bfgs"}, 1.0, 1),
    ("FHT", {"alpha": -0.05, "ticks_per_step": 4}, 1.0, 4),
    ("FHT_FEEDBACK", {"ticks_per_step": 4, "iterations": 2, "feedback_gain": 0.5}, 1.0, 4),
]
LABELS = [f"{name} {own.get('estimate', '')}".strip() for name, own, _, _ in METHODS]


def one_degree(name, own, inside, ticks, *, mean=0.2):
    """A pulse on a structure whose specimen, besides the block's own part, yields at 0.4."""
    bd = hs.BDSim().blockdiagram(dt=0.01 / ticks)
    split = inside < 1.0
    pulse = bd.COSINEPULSE(name="pulse", amplitude=4.0, duration=1.0, start=0.2)
    structure = getattr(bd, name)(name="structure", mass=MASS, damping=DAMPING, stiffness=inside * STIFFNESS, **own)
    noise = bd.NORMAL(name="noise", seed=3)
    lag = bd.LAG(name="lag", mean=mean, variance=0.01 if mean else 0.0)
    specimen = bd.BOUCWEN(
        name="specimen", stiffness=(1.0 - inside if split else 1.0) * STIFFNESS, yield_disp=0.4, alpha=0.05
    )
    bd.connect(pulse, structure.load)
    bd.connect(structure.disp_target, lag.disp_cmd)
    bd.connect(noise, lag.noise)
    bd.connect(lag, specimen)
    bd.connect(specimen, structure.force)
    if name == "FHT_FEEDBACK":
        bd.connect(lag, structure.disp_meas)
    return bd


@pytest.mark.parametrize("method", METHODS, ids=LABELS)
def test_a_yielding_specimen_behind_a_lag_agrees(method):
    program = hs.compile(one_degree(*method))
    result = agreed(program, 5.0)
    assert 0.4 < result.peak("structure.disp_target") < 2.0
    agreed(program, 2.0, **{"structure.damping": 0.0, "structure.stiffness": 0.8 * method[2] * STIFFNESS})


@pytest.mark.parametrize("method", METHODS, ids=LABELS)
def test_without_lag_it_is_close_to_newmarks_explicit_method(method):
    """All are of order 2: at 100 steps a period they differ by about (omega dt)^2 of the peak."""
    result = agreed(hs.compile(one_degree(*method, mean=0.0)), 4.0)
    bd = hs.BDSim().blockdiagram(dt=0.01)
    pulse = bd.COSINEPULSE(name="pulse", amplitude=4.0, duration=1.0, start=0.2)
    structure = bd.NEWMARK(name="structure", mass=MASS, damping=DAMPING)
    inside = method[2] if method[2] < 1.0 else 0.0  # the part of the stiffness that the block keeps for itself
    spring = bd.SPRING(name="spring", stiffness=inside * STIFFNESS)
    specimen = bd.BOUCWEN(name="specimen", stiffness=(1.0 - inside) * STIFFNESS, yield_disp=0.4, alpha=0.05)
    bd.connect(pulse, structure.load)
    bd.connect(structure.disp_target, spring, specimen)
    bd.connect(bd.SUM("++", name="force", inputs=[spring, specimen]), structure.force)
    expected = hs.compile(bd).run(duration=4.0)["structure.disp_target"]
    tolerance = 0.05 if method[1].get("gamma", 0.5) > 0.5 else 0.01  # gamma > 1/2 is of order 1
    found = result["structure.disp_target"][:: method[3]]
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("method", METHODS, ids=LABELS)
def test_several_degrees_of_freedom_agree(method):
    name, own, inside, ticks = method
    mass = np.array([[2.0, 0.2, 0.0], [0.2, 1.0, 0.0], [0.0, 0.0, 0.5]])
    stiffness = np.array([[60.0, -20.0, 0.0], [-20.0, 40.0, -15.0], [0.0, -15.0, 30.0]])
    bd = hs.BDSim().blockdiagram(dt=0.02 / ticks)
    structure = getattr(bd, name)(
        name="structure", mass=mass, damping=0.05 * mass, stiffness=inside * stiffness, initial_vel=[1, 0, -1], **own
    )
    load = bd.NORMAL(name="load", seed=1, width=3)
    linear = bd.GAIN((1.0 - inside if inside < 1.0 else 1.0) * stiffness, premul=True, name="linear")
    cubic = bd.CUBICSPRING(name="cubic", stiffness=1.0, cubic=0.5, width=3)
    force = bd.SUM("++", name="force", inputs=[linear, cubic])
    bd.connect(load, structure.load)
    bd.connect(structure.disp_target, linear, cubic)
    bd.connect(force, structure.force)
    if name == "FHT_FEEDBACK":
        bd.connect(structure.disp_target, structure.disp_meas)
    result = agreed(hs.compile(bd), 4.0)
    assert result["structure.disp_target"].shape == (200 * ticks + 1, 3)
    assert 0.05 < result.peak("structure.disp_target").max() < 5.0


def test_damping_that_follows_the_tangent_is_what_osm_us_is_good_for():
    """M a + b K_T v + r = f of a Bouc-Wen specimen, as a differential equation: b K_T v is b dr/dt.

    Operator splitting can only take b K0 for the damping; OSM's comparisons rest on this difference.
    """
    b, k, yield_disp, alpha, beta, gamma = 0.03, STIFFNESS, 0.2, 0.05, 0.55, 0.45

    def rate(t, state):
        u, v, z = state
        z_rate = (v - gamma * abs(v) * z - beta * v * abs(z)) / yield_disp
        r, r_rate = (
            alpha * k * u + (1 - alpha) * k * yield_disp * z,
            alpha * k * v + (1 - alpha) * k * yield_disp * z_rate,
        )
        return [v, (3.0 * math.sin(2 * math.pi * 0.8 * t) - b * r_rate - r) / MASS, z_rate]

    dt, duration = 0.01, 6.0
    times = np.arange(601) * dt
    true = solve_ivp(rate, (0.0, duration), [0.0, 0.0, 0.0], t_eval=times, rtol=1e-9, atol=1e-11).y[0]

    def error(name, **damping):
        bd = hs.BDSim().blockdiagram(dt=dt)
        load = bd.WAVEFORM("sine", freq=0.8, amplitude=3.0, name="load")
        structure = getattr(bd, name)(name="structure", mass=MASS, stiffness=k, **damping)
        specimen = bd.BOUCWEN(
            name="specimen", stiffness=k, yield_disp=yield_disp, alpha=alpha, beta=beta, gamma=gamma, n=1.0
        )
        bd.connect(load, structure.load)
        bd.connect(structure.disp_target, specimen)
        bd.connect(specimen, structure.force)
        return np.sqrt(np.mean((agreed(hs.compile(bd), duration)["structure.disp_target"] - true) ** 2))

    plain = error("OS", damping=b * k)
    assert plain > 0.02 * np.abs(true).max()
    for estimate in ("least_squares", "broyden", "bfgs"):
        assert error("OSM_US", tangent_damping=b, estimate=estimate, steps=2) < 0.1 * plain
