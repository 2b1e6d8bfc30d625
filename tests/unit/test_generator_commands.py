"""COMMANDS and its polynomials: Eqs. 6.5-6.7 as printed, exactness, start, steps of the command, refusals."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from one_block import later, made, refusal, shapes, stepped

from hybsim.blocks.generators.command_interpolation import CommandInterpolation
from hybsim.blocks.generators.polynomials import cubic, parabola
from hybsim.errors import ParameterError

make = partial(made, CommandInterpolation, dt=0.001, ticks_per_step=8)


def extrapolation(t, d):
    """EERC Eq. 6.5; d = d_i, d_{i-1}, d_{i-2}, d_{i-3}."""
    return (
        d[0] / 6 * (1 + t) * (2 + t) * (3 + t)
        - d[1] / 2 * t * (2 + t) * (3 + t)
        + d[2] / 2 * t * (1 + t) * (3 + t)
        - d[3] / 6 * t * (1 + t) * (2 + t)
    )


def interpolation(t, d):
    """EERC Eq. 6.6; d = d_{i+1}, d_i, d_{i-1}, d_{i-2}."""
    return (
        d[0] / 6 * t * (1 + t) * (2 + t)
        - d[1] / 2 * (-1 + t) * (1 + t) * (2 + t)
        + d[2] / 2 * t * (-1 + t) * (2 + t)
        - d[3] / 6 * t * (-1 + t) * (1 + t)
    )


@pytest.mark.parametrize("t", [0.0, 1e-3, 0.4, 1.0, 1.08, 2.0])
def test_the_cubic_is_the_interpolation_and_one_step_on_the_extrapolation_of_the_document(t):
    d = np.random.default_rng(1).normal(size=4)
    assert cubic(t, *d[::-1]) == pytest.approx(interpolation(t, d), abs=1e-14)
    assert cubic(1.0 + t, *d[::-1]) == pytest.approx(extrapolation(t, d), abs=1e-13)


def test_polynomials_go_through_their_targets_bit_for_bit():
    d = [0.1, -0.7, 1.0 / 3.0, 0.9]
    assert [cubic(t, *d) for t in (-2.0, -1.0, 0.0, 1.0)] == d
    assert [parabola(t, *d[1:]) for t in (-1.0, 0.0, 1.0)] == d[1:]


TARGETS = np.random.default_rng(2).normal(size=12)


@pytest.mark.parametrize("compute_ticks", [0, 1, 3, 8])
@pytest.mark.parametrize("lead", [0.0, 0.0013, 0.008, 0.016])
def test_commands_are_those_of_the_document(compute_ticks, lead):
    n = 8
    got = stepped(make(compute_ticks=compute_ticks, lead=lead), np.repeat(TARGETS, n))
    known = np.concatenate([np.full(4, TARGETS[0]), TARGETS])  # at rest before the start
    for i in range(len(TARGETS)):
        newest_first = known[i : i + 5][::-1]
        for k in range(n):
            t = (k + lead / 0.001) / n
            ready = k >= compute_ticks
            expected = interpolation(t, newest_first[:4]) if ready else extrapolation(t, newest_first[1:])
            assert got[i * n + k] == pytest.approx(expected, abs=1e-12), (i, k)


@pytest.mark.parametrize(("method", "degree", "settled"), [("cubic", 3, 5), ("quadratic", 2, 4)])
@pytest.mark.parametrize("compute_ticks", [0, 5])
def test_motion_of_the_polynomials_degree_is_followed_exactly(method, degree, settled, compute_ticks):
    n, lead = 8, 0.0021
    motion = np.polynomial.Polynomial([0.3, -0.2, 0.05, 0.007][: degree + 1])
    got = stepped(make(method=method, compute_ticks=compute_ticks, lead=lead), np.repeat(motion(np.arange(12.0)), n))
    # In step i the command is on the way to d_i, from d_{i-1}; by then `settled` targets must be of the motion.
    time = np.arange(12 * n) / n - 1.0 + lead / 0.001 / n
    after = slice((settled - 1) * n, None)
    np.testing.assert_allclose(got[after], motion(time[after]), rtol=0, atol=1e-12)
    one_more = np.polynomial.Polynomial.basis(degree + 1)
    got = stepped(make(method=method, compute_ticks=5, lead=lead), np.repeat(one_more(np.arange(12.0)), n))
    assert np.abs(got[after] - one_more(time[after])).max() > 1e-3


@pytest.mark.parametrize("method", ["cubic", "quadratic"])
def test_without_lead_every_target_is_reached_one_step_later_bit_for_bit(method):
    got = stepped(make(method=method, compute_ticks=3), np.repeat(TARGETS, 8))
    assert np.array_equal(got[8::8], TARGETS[:-1])
    at_once = stepped(make(method=method, lead=0.008), np.repeat(TARGETS, 8))
    assert np.array_equal(at_once[::8], TARGETS)


def test_it_starts_at_rest_at_the_first_target():
    got = stepped(make(lead=0.002, compute_ticks=4), np.full(20, 0.7))
    assert got[0] == 0.7
    np.testing.assert_allclose(got, 0.7, rtol=1e-15)


@pytest.mark.parametrize(("method", "order"), [("cubic", 4), ("quadratic", 3)])
def test_the_command_steps_when_the_target_is_known_and_nowhere_else(method, order):
    n, compute, lead = 40, 12, 0.003
    targets = np.sin(0.6 * np.arange(10.0))
    got = stepped(make(method=method, ticks_per_step=n, compute_ticks=compute, lead=lead), np.repeat(targets, n))
    for i in range(5, 9):
        t = (compute + 3.0) / n
        difference = np.diff(targets[i - order : i + 1], order)[0]
        theory = difference * (t * (1 + t) * (2 + t) / 6 if method == "cubic" else t * (1 + t) / 2)
        at = i * n + compute
        before = got[at - 4 : at]  # a cubic over the ticks, continued by one
        step = got[at] - np.dot([-1.0, 4.0, -6.0, 4.0], before)
        assert step == pytest.approx(theory, rel=1e-9)
    # Fourth differences vanish on a cubic: what is left are the four that a step is in.
    changes = np.abs(np.diff(got, 4)) > 1e-9
    inside = np.flatnonzero(changes[5 * n : 9 * n]) + 5 * n
    assert set(inside % n) == {(compute - j) % n for j in range(1, 5)}


def test_a_target_may_be_renewed_within_the_step():
    """FHT Fig. 2: each estimate gives another parabola through the same two ends."""
    n = 4
    estimates = np.array([0.0] * n + [1.0, 1.2, 0.9, 1.1] + [2.0, 2.5, 2.4, 2.2])
    got = stepped(make(ticks_per_step=n, method="quadratic"), estimates)
    expected = [np.polyval(np.polyfit([-1, 0, 1], [0.0, 1.1, estimates[8 + k]], 2), k / n) for k in range(n)]
    np.testing.assert_allclose(got[8:], expected, rtol=0, atol=1e-14)


def test_channels_have_leads_of_their_own():
    targets = np.random.default_rng(4).normal(size=(10, 2))
    both = stepped(make(width=2, lead=[0.002, 0.0005], compute_ticks=3), np.repeat(targets, 8, axis=0))
    for channel, lead in enumerate((0.002, 0.0005)):
        alone = stepped(make(lead=lead, compute_ticks=3), np.repeat(targets[:, channel], 8))
        assert np.array_equal(both[:, channel], alone)


def test_ports_and_feedthrough():
    block = make()
    assert (block.inlabels, block.outlabels) == (["target"], ["command"])
    assert block._kernels.feedthrough == {"command": frozenset({"target"})}


def test_timing_is_swept_without_building_anew():
    block = make()
    assert shapes(later(block, ticks_per_step=20, compute_ticks=7, lead=0.004)) == shapes(block._prepared)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (dict(ticks_per_step=0), "'ticks_per_step' of block 'CommandInterpolation' must be at least 1, got 0"),
        (dict(compute_ticks=-1), "'compute_ticks' of block 'CommandInterpolation' must be at least 0"),
        (dict(compute_ticks=9), "cannot wait 9 ticks for a target in a step of 8; give compute_ticks= up to"),
        (dict(lead=-0.001), "A lead of -0.001 s is -1 ticks of 0.001 s, but must be 0 to 16 (2 step(s) of 8); give"),
        (dict(lead=0.017), "A lead of 0.017 s is 17 ticks of 0.001 s, but must be 0 to 16 (2 step(s) of 8); give"),
        (dict(lead=[0.0, 0.001, 0.0], width=2), "lead has 3 numbers for 2 channel(s); give one for all of them or"),
        (dict(method="linear"), "must be one of 'cubic', 'quadratic', got 'linear'"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    assert sentence in refusal(make, **parameters)


def test_the_length_of_a_step_must_be_given():
    with pytest.raises(ParameterError, match=r"needs ticks_per_step= \(ticks in a step k_max"):
        made(CommandInterpolation, 0.001)
