"""First-order lag: closed forms in time and at ticks, delay, start, channels, refusals."""

from __future__ import annotations

import math

import control
import numpy as np
import pytest
from one_block import made, refusal, stepped
from scipy.integrate import solve_ivp

from hybsim.blocks.actuators.first_order import FirstOrder, FirstOrderSampled

T = 0.05


def sampled(dt=0.01, **parameters):
    return made(FirstOrderSampled, dt, **parameters)


def test_a_step_in_time():
    block = FirstOrder(time_constant=T, initial=-1.0)
    way = solve_ivp(lambda t, x: block.deriv(t, [2.0], x), (0.0, 0.1), block.getstate0(), rtol=1e-10, atol=1e-12)
    expected = 2.0 - 3.0 * math.exp(-0.1 / T)
    assert block.output(0.0, [2.0], way.y[:, -1])[0] == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("dt", [0.001, 0.01, 0.2])
def test_at_ticks_a_held_command_is_exact(dt):
    got = stepped(sampled(dt, time_constant=T, initial=0.5), np.full(20, 2.0))
    np.testing.assert_allclose(got, 2.0 - 1.5 * np.exp(-dt * np.arange(20) / T), rtol=1e-13)


def test_at_ticks_it_is_python_control_with_zero_order_hold():
    commands = np.random.default_rng(1).normal(size=80)
    system = control.sample_system(control.tf([1.0], [T, 1.0]), 0.01, method="zoh")
    expected = control.forced_response(system, inputs=commands).outputs
    np.testing.assert_allclose(stepped(sampled(time_constant=T), commands), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("dt", [0.001, 0.02])
def test_a_ramp_is_late_by_the_time_constant_and_half_a_tick(dt):
    """The delay of a ramp is that at frequency zero: dt / (1 - exp(-dt/T)) = T + dt/2 + dt^2 / (12 T) - ..."""
    ramp = 3.0 * dt * np.arange(round(2.0 / dt))
    late = (ramp[-1] - stepped(sampled(dt, time_constant=T), ramp)[-1]) / 3.0
    assert late == pytest.approx(dt / (1.0 - math.exp(-dt / T)), rel=1e-9)
    assert late == pytest.approx(T + dt / 2.0 + dt**2 / (12.0 * T), rel=5e-5)


def test_channels_lag_side_by_side():
    commands = np.random.default_rng(2).normal(size=(30, 3))
    got = stepped(sampled(time_constant=T, width=3), commands)
    assert np.array_equal(got, np.column_stack([stepped(sampled(time_constant=T), c) for c in commands.T]))
    block = FirstOrder(time_constant=T, width=2)
    np.testing.assert_allclose(block.deriv(0.0, [[1.0, 3.0]], np.array([0.0, 1.0])), [20.0, 40.0], rtol=1e-14)


@pytest.mark.parametrize("make", [FirstOrder, sampled])
def test_ports_and_feedthrough(make):
    block = make(time_constant=T)
    assert (list(block.ins), list(block.outs)) == (["command"], ["position"])
    assert block._kernels.feedthrough == {"position": frozenset()}


@pytest.mark.parametrize("make", [FirstOrder, sampled])
@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({}, "needs time_constant= (time constant T in s"),
        (dict(time_constant=0.0), "'time_constant' of block 'lag' must be greater than 0, got 0.0"),
        (dict(time_constant=-0.1), "must be greater than 0, got -0.1"),
        (dict(time_constant=math.inf), "must be finite"),
        (dict(time_constant=T, width=0), "'width' of block 'lag' must be at least 1, got 0"),
        (dict(time_constant=T, tau=1.0), "has no parameter 'tau'"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(make, parameters, sentence):
    assert sentence in refusal(make, name="lag", **parameters)
