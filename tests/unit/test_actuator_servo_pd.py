"""PD servo loop: the loop in the velocity, the valve's limits, and the small-signal figures beside the block."""

from __future__ import annotations

import math

import control
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear_block import linear
from one_block import refusal
from scipy.optimize import brentq

from hybsim.blocks.actuators import servo_pd
from hybsim.blocks.actuators.servo_pd import ServoPd

# EERC Sec. 5.2.2 and 5.5.2
V_MAX = 25.0 * 231.0 / 60.0 * math.sqrt(3.0) / 4.22
STALL = 3.0 * 4.22
LOOP = 1.0 / (0.5 * 0.090)
GAINS = [(0.5, 0.25), (1.0, 0.5), (0.7, 0.0), (2.0, 30.0)]


def velocity(block, command, force, piston, filtered):
    position, vel = block.output(0.0, [command, force], np.array([piston, filtered]))
    rate = block.deriv(0.0, [command, force], np.array([piston, filtered]))
    assert (position, vel) == (piston, rate[0])
    return vel


def test_defaults_are_those_of_the_document():
    defaults = {name: declared.default for name, declared in ServoPd.params.items()}
    assert defaults["velocity_limit"] == pytest.approx(V_MAX, rel=1e-14)
    assert defaults["velocity_limit"] == pytest.approx(39.5, abs=0.01)
    assert defaults["force_limit"] == pytest.approx(STALL, rel=1e-14)
    assert defaults["loop_gain"] == pytest.approx(LOOP, rel=1e-14)
    assert (defaults["proportional_gain"], defaults["derivative_gain"]) == (0.5, 0.25)


@given(
    st.floats(-20.0, 20.0), st.floats(-25.0, 25.0), st.floats(-20.0, 20.0), st.floats(-20.0, 20.0), st.floats(0.0, 8.0)
)
def test_the_velocity_solves_the_loop_with_the_limit(command, force, piston, filtered, kd):
    """v = G (Kp e + Kd T (command' - v)) within the limit, by bisection on the loop as it stands."""
    change = 0.01

    def passed(v):
        load = math.copysign(1.0, v) * force / STALL
        return V_MAX * math.sqrt(max(0.0, 1.0 - load))

    def asked(v):
        rate = (command - filtered) / change
        return LOOP * (0.5 * (command - piston) + kd * change * (rate - v))

    block = ServoPd(derivative_gain=kd)
    expected = brentq(lambda v: max(-passed(v), min(passed(v), asked(v))) - v, -1e4, 1e4, xtol=1e-10)
    assert velocity(block, command, force, piston, filtered) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(
    ("toward", "load", "expected"),
    [
        (1.0, 0.0, V_MAX),
        (-1.0, 0.0, -V_MAX),
        (1.0, 0.75, 0.5 * V_MAX),
        (-1.0, -0.75, -0.5 * V_MAX),
        (-1.0, 0.75, -V_MAX * math.sqrt(1.75)),
        (1.0, 1.0, 0.0),
        (1.0, 3.0, 0.0),
        (-1.0, -3.0, 0.0),
    ],
)
def test_the_valve_passes_less_against_a_load_and_nothing_beyond_stall(toward, load, expected):
    far = 1e3 * toward
    assert velocity(ServoPd(), far, load * STALL, 0.0, 0.0) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_the_filter_follows_the_command_within_t():
    rate = ServoPd(derivative_time=0.02).deriv(0.0, [3.0, 0.0], np.array([0.0, 1.0]))[1]
    assert rate == pytest.approx((3.0 - 1.0) / 0.02, rel=1e-14)


@pytest.mark.parametrize(("kp", "kd"), GAINS)
@pytest.mark.parametrize("change", [0.01, 0.05])
def test_the_small_signal_figures_are_those_of_the_block(kp, kd, change):
    block = ServoPd(proportional_gain=kp, derivative_gain=kd, derivative_time=change)
    within_limits = linear(block, 1e-6)
    stated = control.tf(*servo_pd.small_signal(kp, kd, LOOP, change))
    for hertz in (0.05, 1.0, 5.0, 40.0):
        s = 2j * math.pi * hertz
        assert stated(s) == pytest.approx(within_limits(s)[0, 0], rel=1e-8)
    corner = servo_pd.cut_off(kp, kd, LOOP, change)
    assert abs(within_limits(2j * math.pi * corner)[0, 0]) == pytest.approx(math.sqrt(0.5), rel=1e-8)
    assert abs(within_limits(2j * math.pi * corner * 1.01)[0, 0]) < math.sqrt(0.5)
    omega = 1e-3
    delay = servo_pd.low_frequency_delay(kp, LOOP)
    assert -np.angle(within_limits(1j * omega)[0, 0]) / omega == pytest.approx(delay, rel=1e-5)


def test_what_the_model_gives_for_the_gains_of_the_document():
    """As the docstring says: 90 ms and 1.70 Hz, 45 ms and 3.35 Hz (EERC measured 38 ms and about 5 Hz)."""
    for (kp, kd), delay, corner, at_two in ((GAINS[0], 0.090, 1.70, 0.65), (GAINS[1], 0.045, 3.35, 0.85)):
        assert servo_pd.low_frequency_delay(kp, LOOP) == pytest.approx(delay, rel=1e-12)
        assert servo_pd.cut_off(kp, kd, LOOP, 0.01) == pytest.approx(corner, abs=0.005)
        gain = abs(control.tf(*servo_pd.small_signal(kp, kd, LOOP, 0.01))(4j * math.pi))
        assert gain == pytest.approx(at_two, abs=0.005)


def test_it_starts_at_rest_where_it_is_told():
    block = ServoPd(initial=1.5)
    assert block.output(0.0, [1.5, 0.0], block.getstate0()) == [1.5, 0.0]


def test_actuators_side_by_side():
    block = ServoPd(width=2)
    x = np.array([0.1, 0.2, 0.3, 0.4])  # two positions, two filters
    position, vel = block.output(0.0, [[1.0, -2.0], [3.0, 4.0]], x)
    assert list(position) == [0.1, 0.2]
    assert list(vel) == [
        velocity(ServoPd(), 1.0, 3.0, 0.1, 0.3),
        velocity(ServoPd(), -2.0, 4.0, 0.2, 0.4),
    ]


def test_ports_and_feedthrough():
    block = ServoPd()
    assert (list(ServoPd.ins), list(ServoPd.outs)) == (["command", "force"], ["position", "vel"])
    assert block._kernels.feedthrough == {"position": frozenset(), "vel": frozenset({"command", "force"})}


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (dict(proportional_gain=0.0), "'proportional_gain' of block 'servo' must be greater than 0, got 0.0"),
        (dict(derivative_gain=-0.1), "'derivative_gain' of block 'servo' must be at least 0, got -0.1"),
        (dict(loop_gain=-1.0), "must be greater than 0, got -1.0"),
        (dict(derivative_time=0.0), "'derivative_time' of block 'servo' must be greater than 0"),
        (dict(velocity_limit=math.inf), "'velocity_limit' of block 'servo' must be finite"),
        (dict(force_limit=0.0), "'force_limit' of block 'servo' must be greater than 0"),
        (dict(kp=0.5), "has no parameter 'kp'"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    assert sentence in refusal(ServoPd, name="servo", **parameters)
