"""What a linear map keeps as it is does not count as a motion that never decays; what loads can move does."""

from __future__ import annotations

import numpy as np
import pytest

import hybsim as hs
from hybsim.diagrams import virtual_rig
from hybsim.studies.indicators.conserved import without_conserved
from hybsim.studies.indicators.linearise import linearise
from hybsim.studies.indicators.preflight import preflight
from hybsim.studies.indicators.wired_blocks import Wired


def wired(a, b, e, c):
    a, b, e, c = (np.atleast_2d(np.asarray(part, dtype=float)) for part in (a, b, e, c))
    ports, loads = b.shape[1], e.shape[1]
    return Wired(
        a,
        b,
        e,
        c,
        np.zeros((len(c), ports)),
        np.zeros((len(c), loads)),
        c,
        np.zeros((len(c), ports)),
        np.zeros((len(c), loads)),
    )


def test_near_rest_a_yielding_specimen_is_its_spring():
    spring, yielding = (preflight(virtual_rig(specimen=kind), "rig") for kind in ("linear", "bouc-wen"))
    assert spring.verdict == yielding.verdict == "go"
    assert yielding.radius == pytest.approx(spring.radius, abs=1e-9)
    assert yielding.delay_margin == pytest.approx(spring.delay_margin, rel=1e-6)


def test_a_mass_that_nothing_holds_still_drifts():
    """Its eigenvalue 1 is no conserved quantity: loads move it."""
    bd = hs.BDSim().blockdiagram("free", dt=0.01)
    structure = bd.NEWMARK(mass=1.0, damping=0.0, name="structure")
    bd.connect(bd.GROUNDMOTION(record="elcentro", name="load"), structure.load)
    bd.connect(bd.SPRING(stiffness=0.0, name="spring", inputs=[structure.disp_target]), structure.force)
    assert linearise(bd).radius == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e6])
def test_only_what_nothing_moves_is_left_out(scale):
    """z1 decays under a load; z2 - s z1 is kept where z2 follows z1, whatever the unit s of z2."""
    decay, load = 0.9, 1.0
    a = [[decay, 0.0], [scale * (decay - 1.0), 1.0]]
    kept = wired(a, [[0.0], [0.0]], [[load], [scale * load]], [[1.0, 0.0]])
    (reduced,) = without_conserved([kept])
    assert reduced.a == pytest.approx(np.array([[decay]]))
    assert reduced.c @ reduced.e == pytest.approx(kept.c @ kept.e)
    moved = wired(a, [[0.0], [0.0]], [[load], [2.0 * scale * load]], [[1.0, 0.0]])
    assert without_conserved([moved]) == (moved,)
    closed = wired(a, [[0.0], [scale]], [[load], [scale * load]], [[1.0, 0.0]])
    assert without_conserved([closed]) == (closed,), "what comes back from the cut may move it too"


def test_responses_are_those_of_the_whole():
    rng = np.random.default_rng(1)
    mixing = rng.normal(size=(4, 4))
    stable = np.diag([0.5, -0.3, 0.8, 1.0])
    b, e, c = rng.normal(size=(4, 1)), rng.normal(size=(4, 2)), rng.normal(size=(1, 4))
    b[3] = e[3] = 0.0
    back = np.linalg.inv(mixing)
    whole = wired(mixing @ stable @ back, mixing @ b, mixing @ e, c @ back)
    (reduced,) = without_conserved([whole])
    assert reduced.a.shape == (3, 3)
    for k in range(6):
        for into in ("b", "e"):
            expected = whole.c @ np.linalg.matrix_power(whole.a, k) @ getattr(whole, into)
            assert reduced.c @ np.linalg.matrix_power(reduced.a, k) @ getattr(reduced, into) == pytest.approx(expected)
