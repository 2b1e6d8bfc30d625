"""Specimens against OpenSees' uniaxial materials.

Materials that follow their path exactly agree to rounding. BoucWen and BWBN take implicit Euler steps: their error is
of the first order in the step, so they are compared extrapolated to steps without length.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from one_block import made, stepped

from hybsim.blocks.specimens.bilinear import Bilinear
from hybsim.blocks.specimens.bouc_wen import BoucWen
from hybsim.blocks.specimens.bouc_wen_degrading import BoucWenDegrading
from hybsim.blocks.specimens.elastic_plastic import ElasticPlastic
from hybsim.blocks.specimens.maxwell_damper import MaxwellDamper, MaxwellDamperRate
from hybsim.blocks.specimens.menegotto_pinto import MenegottoPinto
from hybsim.blocks.specimens.viscous_damper import ViscousDamper
from hybsim.studies.verification.loops import walk
from hybsim.studies.verification.opensees_materials import (
    bouc_wen_material,
    extrapolated,
    missing,
    pinching_material,
    static_forces,
    timed_forces,
)

pytestmark = pytest.mark.skipif(missing() is not None, reason=missing() or "")

K, UY = 10.0, 0.5
PATHS = {
    "random": np.cumsum(np.random.default_rng(1).normal(scale=0.3, size=3000)),
    "cycles": walk(0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 2.5, 2.8, -3.0, 0.0, steps=60),
    "large steps": np.array([0.2, 3.0, -3.0, 0.1, 0.2, 5.0, -0.4]),
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("block", "material"),
    [
        (made(ElasticPlastic, stiffness=K, yield_disp=UY), ("ElasticPP", K, UY)),
        (made(Bilinear, stiffness=K, yield_disp=UY, alpha=0.05), ("Steel01", K * UY, K, 0.05)),
        (
            made(MenegottoPinto, stiffness=K, yield_disp=UY, alpha=0.05),
            ("Steel02", K * UY, K, 0.05, 20.0, 0.925, 0.15),
        ),
        (
            made(MenegottoPinto, stiffness=K, yield_disp=UY, alpha=0.01, r0=12.0, a1=0.05, a2=2.0, a3=0.08, a4=3.0),
            ("Steel02", K * UY, K, 0.01, 12.0, 0.925, 0.15, 0.05, 2.0, 0.08, 3.0),
        ),
    ],
    ids=["ElasticPP", "Steel01", "Steel02", "Steel02 with isotropic hardening"],
)
def test_agrees_to_rounding(block, material, path):
    expected = static_forces(material, PATHS[path])
    assert np.abs(expected).max() >= K * UY
    np.testing.assert_allclose(stepped(block, PATHS[path]), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


SHAPE = dict(stiffness=K, yield_disp=UY, alpha=0.1, beta=0.3, gamma=0.5, n=1.4)
DEGRADING = SHAPE | dict(delta_a=0.01, delta_nu=0.03, delta_eta=0.05)
PINCHING = SHAPE | dict(zeta_s=0.9, q=0.15, p=0.4, psi=0.2, delta_psi=0.01, lam=0.3)


@pytest.mark.parametrize(
    ("cls", "parameters", "material"),
    [
        (BoucWen, SHAPE, bouc_wen_material(SHAPE)),
        (BoucWen, SHAPE | dict(n=2.0), bouc_wen_material(SHAPE | dict(n=2.0))),
        (BoucWenDegrading, DEGRADING, bouc_wen_material(DEGRADING)),
        (BoucWenDegrading, PINCHING, pinching_material(PINCHING)),
    ],
    ids=["BoucWen n=1.4", "BoucWen n=2", "BoucWen degrading", "BWBN"],
)
def test_agrees_where_opensees_converges_to(cls, parameters, material):
    corners = [0.0, 1.0, -1.0, 2.0, -2.0, 1.0, -3.0, 0.2]
    force = stepped(made(cls, **parameters), walk(*corners, steps=50))[::50]
    np.testing.assert_allclose(force, extrapolated(material, corners, 2000), rtol=0, atol=1e-6 * K * UY)
    single = stepped(made(cls, **parameters), np.array(corners))
    np.testing.assert_allclose(single, extrapolated(material, corners, 2000), rtol=0, atol=1e-5 * K * UY)


W, STIFFNESS, DAMPING = 2 * math.pi, 10.0, 2.0


def motion(dt, duration=2.0):
    """Displacement and velocity from rest: OpenSees' damper starts with a velocity of 0."""
    t = dt * np.arange(round(duration / dt) + 1)
    return 1 - np.cos(W * t), W * np.sin(W * t)


@pytest.mark.parametrize(
    "material", [("Maxwell", STIFFNESS, DAMPING, 1.0, 1.0), ("ViscousDamper", STIFFNESS, DAMPING, 1.0)]
)
def test_maxwell_damper_approaches_opensees_with_the_second_order(material):
    differences = []
    for dt in (0.01, 0.005):
        disps, vels = motion(dt)
        force = stepped(made(MaxwellDamper, dt, stiffness=STIFFNESS, damping=DAMPING), disps)
        expected = timed_forces(material, disps, vels, dt)
        differences.append(np.abs(force - expected).max() / np.abs(expected).max())
    assert differences[0] < 1e-3
    assert differences[0] / differences[1] == pytest.approx(4.0, rel=0.1)


def test_maxwell_with_an_exponent_agrees():
    dt = 0.002
    disps, vels = motion(dt)
    expected = timed_forces(("ViscousDamper", STIFFNESS, DAMPING, 0.5), disps, vels, dt)
    block, force = MaxwellDamperRate(stiffness=STIFFNESS, damping=DAMPING, exponent=0.5), [0.0]
    for before, after in pairwise(vels):
        # Classical Runge-Kutta with the velocity straight over the step, as OpenSees takes it.
        x, k = np.array(force[-1:]), []
        for share, stage in ((0.0, 0.0), (0.5, 0.5), (0.5, 0.5), (1.0, 1.0)):
            k.append(block.deriv(0.0, [before + share * (after - before)], x + stage * dt * (k[-1] if k else 0.0)))
        force.append(float(x[0] + dt * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]) / 6))
    np.testing.assert_allclose(force, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("exponent", [1.0, 0.35])
def test_viscous_damper_agrees(exponent):
    disps, vels = motion(0.01)
    expected = timed_forces(("Viscous", DAMPING, exponent), disps, vels, 0.01)
    force = ViscousDamper(damping=DAMPING, exponent=exponent, width=len(vels)).output(0.0, [vels], None)[0]
    # OpenSees leaves velocities below 1e-11 without force.
    np.testing.assert_allclose(force, expected, rtol=0, atol=1e-3 if exponent < 1.0 else 1e-10)
