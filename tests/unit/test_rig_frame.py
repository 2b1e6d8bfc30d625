"""Reaction frame: its flexibility, the loop with a specimen, the frame of EERC Sec. 5.2.3, refusals."""

from __future__ import annotations

import math

import control
import numpy as np
import pytest
from linear_block import linear
from one_block import made, refusal

from hybsim.blocks.actuators.reaction_frame import ReactionFrame, ReactionFrameSampled

K, F, ZETA = 44.0, 37.0, 0.03
OMEGA = 2.0 * math.pi * F
FLEXIBILITY = control.tf([1.0], [K / OMEGA**2, 2.0 * ZETA * K / OMEGA, K])


def frame(**changes):
    return ReactionFrame(**{**dict(stiffness=K, frequency=F, damping_ratio=ZETA), **changes})


def static(**parameters):
    return made(ReactionFrameSampled, **parameters)


@pytest.mark.parametrize("hertz", [0.01, 10.0, 37.0, 80.0])
def test_a_force_pushes_the_frame_back_and_the_stroke_moves_the_specimen(hertz):
    s = 2j * math.pi * hertz
    h, pushed = linear(frame())(s), -FLEXIBILITY(s)
    np.testing.assert_allclose(h, [[1.0, pushed], [0.0, pushed], [0.0, s * pushed]], rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize("hertz", [0.01, 20.0, 38.0])
def test_the_loop_with_a_spring(hertz):
    """disp / stroke = 1 - k_s / (m s^2 + c s + k + k_s)"""
    spring, s = 2.8, 2j * math.pi * hertz
    h = linear(frame())(s)
    closed = h[0, 0] / (1.0 - h[0, 1] * spring)
    assert closed == pytest.approx(complex(control.feedback(1.0, spring * FLEXIBILITY)(s)), rel=1e-10)
    m, c = K / OMEGA**2, 2.0 * ZETA * K / OMEGA
    assert closed == pytest.approx(1.0 - spring / (m * s**2 + c * s + K + spring), rel=1e-10)
    if hertz < 1.0:
        assert abs(closed) == pytest.approx(K / (K + spring), rel=1e-6)


def test_the_frame_of_the_document():
    """37 Hz, and 23 Hz with 0.5 kip added, give the mass and the stiffness stated, and 18 Hz with 1 kip."""
    weight = 0.5 / ((37.0 / 23.0) ** 2 - 1.0)
    assert weight == pytest.approx(0.315, abs=0.0005)
    assert weight / 386.4 * OMEGA**2 == pytest.approx(44.0, abs=0.1)
    assert 37.0 * math.sqrt(weight / (weight + 1.0)) == pytest.approx(18.1, abs=0.05)


def test_the_static_form_uses_the_force_of_the_last_tick():
    block, spring = static(stiffness=K), 2.8
    x, disps = block.getstate0(), []
    for stroke in [1.0] * 12:
        force = spring * block.output(0.0, [stroke, 0.0], x)[0]
        disp, moved = block.output(0.0, [stroke, force], x)
        disps.append(disp)
        assert disp == stroke + moved
        x = block.next(0.0, [stroke, force], x)
    assert disps[:3] == pytest.approx([1.0, 1.0 - spring / K, 1.0 - spring / K * (1.0 - spring / K)], rel=1e-14)
    assert disps[-1] == pytest.approx(K / (K + spring), rel=1e-12)


def test_frames_side_by_side():
    block = frame(width=2)
    x = np.array([0.1, 0.2, 0.3, 0.4])
    rates = block.deriv(0.0, [[0.0, 0.0], [5.0, 6.0]], x)
    one, two = (
        frame().deriv(0.0, [0.0, force], np.array(state)) for force, state in ((5.0, (0.1, 0.3)), (6.0, (0.2, 0.4)))
    )
    assert list(rates) == [one[0], two[0], one[1], two[1]]


@pytest.mark.parametrize("make", [frame, lambda: static(stiffness=K)])
def test_only_the_stroke_passes_through(make):
    through = make()._kernels.feedthrough
    assert through["disp"] == frozenset({"stroke"})
    assert not any(inputs for out, inputs in through.items() if out != "disp")


@pytest.mark.parametrize(
    ("make", "parameters", "sentence"),
    [
        (ReactionFrame, dict(frequency=37.0), "needs stiffness= (stiffness k of the frame"),
        (ReactionFrame, dict(stiffness=44.0), "needs frequency="),
        (frame, dict(stiffness=0.0), "'stiffness' of block 'frame' must be greater than 0, got 0.0"),
        (frame, dict(frequency=-37.0), "'frequency' of block 'frame' must be greater than 0, got -37.0"),
        (frame, dict(damping_ratio=-0.01), "'damping_ratio' of block 'frame' must be at least 0, got -0.01"),
        (static, dict(stiffness=-1.0), "'stiffness' of block 'frame' must be greater than 0"),
        (static, dict(stiffness=1.0, frequency=37.0), "has no parameter 'frequency'"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(make, parameters, sentence):
    assert sentence in refusal(make, name="frame", **parameters)
