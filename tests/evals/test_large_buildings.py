"""Shear buildings in banded form: the same numbers as with full matrices, and as one specimen a storey."""

from __future__ import annotations

import numpy as np
import pytest

import hybsim as hs

K, FLOORS, DT = 400.0, 6, 0.005


def stiffness(n=FLOORS):
    storeys = np.diag(np.full(n, K))
    drift = np.eye(n) - np.eye(n, k=-1)
    return drift.T @ storeys @ drift


def lower_band(matrix, bands=2):
    rows = np.zeros((bands, len(matrix)))
    for b in range(bands):
        rows[b, : len(matrix) - b] = np.diag(matrix, -b)
    return rows


def building(integrator, specimen):
    """A building hit by a pulse at every floor; `specimen` wires displacement to force."""
    bd = hs.BDSim().blockdiagram(dt=DT)
    pulse = bd.COSINEPULSE(amplitude=100.0, duration=0.3)
    load = bd.GAIN(np.linspace(1.0, 2.0, FLOORS), inputs=[pulse])
    block = integrator(bd)
    bd.connect(load, block.load)
    bd.connect(specimen(bd, block), block.force)
    return hs.compile(bd).run(3.0)["integrator.disp_target"]


def banded(bd):
    damping = lower_band(0.002 * stiffness())
    return bd.NEWMARK_BANDED(name="integrator", mass=np.linspace(1.0, 2.0, FLOORS), damping=damping)


def full(bd):
    return bd.NEWMARK(name="integrator", mass=np.diag(np.linspace(1.0, 2.0, FLOORS)), damping=0.002 * stiffness())


def test_banded_linear_building_equals_the_full_one():
    one = building(banded, lambda bd, b: bd.STOREYS(stiffness=K, floors=FLOORS, inputs=[b.disp_target]))
    other = building(full, lambda bd, b: bd.COUPLEDSPRINGS(stiffness=stiffness(), inputs=[b.disp_target]))
    assert np.abs(other).max() > 0.5
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-12 * np.abs(other).max())


def test_bouc_wen_storeys_equal_one_specimen_a_storey():
    shape = dict(yield_disp=0.05, alpha=0.1, beta=0.4, gamma=0.6, n=1.5)

    def storeys(bd, block):
        return bd.STOREYS_BOUCWEN(stiffness=K, floors=FLOORS, inputs=[block.disp_target], **shape)

    def apart(bd, block):
        drift = np.eye(FLOORS) - np.eye(FLOORS, k=-1)
        drifts = bd.DEMUX(FLOORS, inputs=[bd.GAIN(drift, premul=True, inputs=[block.disp_target])])
        shears = [bd.BOUCWEN(stiffness=K, inputs=[drifts[i]], **shape) for i in range(FLOORS)]
        return bd.GAIN(drift.T, premul=True, inputs=[bd.MUX(FLOORS, inputs=shears)])

    one, other = building(banded, storeys), building(banded, apart)
    assert np.abs(np.diff(other, axis=1)).max() > 0.1, "the storeys yield"
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-10 * np.abs(other).max())


def test_wider_bands_solve_as_well():
    rng = np.random.default_rng(3)
    lower = np.tril(np.triu(rng.normal(size=(7, 7)), -3))
    damping = lower @ lower.T
    mass = rng.uniform(1.0, 2.0, 7)
    bd = hs.BDSim().blockdiagram(dt=DT)
    load = bd.GAIN(np.arange(1.0, 8.0), inputs=[bd.COSINEPULSE(amplitude=1.0, duration=0.5)])
    force = bd.GAIN(np.zeros(7), inputs=[bd.CONSTANT(0.0)])
    for name, factory, settings in (
        ("banded", bd.NEWMARK_BANDED, dict(mass=mass, damping=lower_band(damping, 4))),
        ("full", bd.NEWMARK, dict(mass=np.diag(mass), damping=damping)),
    ):
        block = factory(name=name, initial_vel=0.3, **settings)
        bd.connect(load, block.load)
        bd.connect(force, block.force)
    result = hs.compile(bd).run(2.0)
    for port in ("disp_target", "vel", "accel"):
        np.testing.assert_allclose(result[f"banded.{port}"], result[f"full.{port}"], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("factory", "settings", "sentence"),
    [
        ("STOREYS", dict(stiffness=[1.0, 2.0], floors=3), "building of 3 floors has 2 storey stiffnesses"),
        ("STOREYS", dict(stiffness=-1.0, floors=3), "storey stiffness must be greater than 0, got -1"),
        ("NEWMARK_BANDED", dict(mass=[1.0, 0.0]), "positive mass at every degree of freedom, got 0"),
        ("NEWMARK_BANDED", dict(mass=[1.0, 1.0], damping=[[1.0, 1.0, 1.0]]), "2 masses and a damping band 3 long"),
        ("NEWMARK_BANDED", dict(mass=[1.0], damping=[[-1e6]]), "M \\+ dt/2 C is not positive definite"),
    ],
)
def test_what_makes_no_building_is_refused(factory, settings, sentence):
    bd = hs.BDSim().blockdiagram(dt=DT)
    with pytest.raises(hs.HybsimError, match=sentence):
        getattr(bd, factory)(name="building", **settings)
