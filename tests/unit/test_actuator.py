"""Actuators as linear systems: step and frequency response, discretisation, direct paths, warnings, refusals.

Expected values come from python-control and from closed forms.
"""

from __future__ import annotations

import math
import subprocess
import sys

import control
import numpy as np
import pytest
from linear_block import linear
from one_block import later, made, refusal, stepped, warned
from scipy.integrate import solve_ivp

from hybsim.blocks.actuators.transfer_function import Actuator, ActuatorSampled

# A third-order servo-hydraulic actuator: poles far above the structure's frequencies, unit DC gain.
SERVO = control.tf([9.0e6], np.polymul([1.0, 120.0], [1.0, 150.0, 75000.0]))
TWO_INPUTS = control.tf([[[1.0], [1.0]]], [[[1.0, 1.0], [1.0, 1.0]]])
TWO_AXES = control.ss([[-20.0, 2.0], [0.0, -50.0]], [[20.0, -2.0], [0.0, 50.0]], np.eye(2), np.zeros((2, 2)))


def sampled(dt=0.001, **parameters):
    return made(ActuatorSampled, dt, **parameters)


# Integrated in time


@pytest.mark.parametrize("as_given", [lambda s: s, control.ss, lambda s: (s.num[0][0], s.den[0][0])])
@pytest.mark.parametrize("omega", [0.1, 40.0, 270.0, 3000.0])
def test_frequency_response_is_that_of_the_system(as_given, omega):
    got = linear(Actuator(system=as_given(SERVO)))(1j * omega)
    assert got.shape == (1, 1)
    assert got[0, 0] == pytest.approx(SERVO(1j * omega), rel=1e-9)


def test_a_system_with_a_direct_path():
    system = control.tf([1.0, 7.0, 30.0], [2.0, 5.0, 30.0])
    assert linear(Actuator(system=system))(3.0j)[0, 0] == pytest.approx(system(3.0j), rel=1e-12)


def test_step_response_is_that_of_the_system():
    block = Actuator(system=SERVO)
    times = np.linspace(0.0, 0.1, 51)
    way = solve_ivp(
        lambda t, x: block.deriv(t, [1.0], x),
        (0.0, 0.1),
        block.getstate0(),
        t_eval=times,
        rtol=1e-10,
        atol=1e-13,
    )
    got = [block.output(0.0, [1.0], x)[0] for x in way.y.T]
    np.testing.assert_allclose(got, control.step_response(SERVO, times).outputs, rtol=0, atol=1e-7)


def test_first_order_closed_form():
    block = Actuator(system=([30.0], [1.0, 30.0]))
    way = solve_ivp(lambda t, x: block.deriv(t, [2.0], x), (0.0, 0.1), block.getstate0(), rtol=1e-10, atol=1e-13)
    assert block.output(0.0, [2.0], way.y[:, -1])[0] == pytest.approx(2 * (1 - math.exp(-3)), rel=1e-7)


def test_several_channels():
    block = Actuator(system=TWO_AXES)
    np.testing.assert_allclose(linear(block)(25.0j), TWO_AXES(25.0j), rtol=1e-12)
    tracked = sampled(system=TWO_AXES)
    commands = np.random.default_rng(1).normal(size=(60, 2))
    expected = control.forced_response(control.sample_system(TWO_AXES, 0.001), inputs=commands.T).outputs.T
    np.testing.assert_allclose(stepped(tracked, commands), expected, rtol=0, atol=1e-12)


def test_a_system_without_dynamics_passes_its_command():
    for block in (Actuator(system=([3.0], [3.0])), sampled(system=control.tf([1.0], [1.0]))):
        assert block.output(0.0, [0.25], block.getstate0()) == [0.25]


# Discretised


@pytest.mark.parametrize("method", ["zoh", "tustin", "foh"])
@pytest.mark.parametrize("dt", [0.001, 0.01])
def test_discretised_response_is_that_of_python_control(method, dt):
    commands = np.random.default_rng(2).normal(size=200)
    discrete = control.sample_system(control.ss(SERVO), dt, method="bilinear" if method == "tustin" else method)
    expected = control.forced_response(discrete, inputs=commands).outputs
    got = stepped(sampled(dt, system=SERVO, method=method), commands)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-9)


def test_zero_order_hold_is_exact_for_a_step():
    times = np.arange(50) * 0.002
    got = stepped(sampled(0.002, system=SERVO), np.ones(50))
    np.testing.assert_allclose(got, control.step_response(SERVO, times).outputs, rtol=0, atol=1e-9)


def test_foh_is_exact_for_a_ramp():
    times = np.arange(50) * 0.002
    got = stepped(sampled(0.002, system=SERVO, method="foh"), times)
    expected = control.forced_response(SERVO, times, times).outputs
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-10)


def test_a_discrete_system_at_the_tick_is_taken_as_it_is():
    discrete = control.tf([0.3], [1.0, -0.7], 0.001)
    np.testing.assert_allclose(stepped(sampled(system=discrete), np.ones(4)), [0.0, 0.3, 0.51, 0.657], rtol=1e-14)


# Direct paths


@pytest.mark.parametrize(
    ("block", "direct"),
    [
        (lambda: Actuator(system=SERVO), False),
        (lambda: Actuator(system=([1.0, 30.0], [2.0, 30.0])), True),
        (lambda: Actuator(system=TWO_AXES), False),
        (lambda: sampled(system=SERVO), False),
        (lambda: sampled(system=SERVO, method="tustin"), True),
        (lambda: sampled(system=SERVO, method="foh"), True),
        (lambda: sampled(system=([1.0, 30.0], [2.0, 30.0])), True),
    ],
)
def test_the_command_passes_through_only_with_a_direct_path(block, direct):
    assert block()._kernels.feedthrough == {"position": frozenset({"command"} if direct else ())}


# Warnings


def test_a_good_actuator_is_not_warned_about():
    assert warned(Actuator, system=SERVO)[1] == []
    assert warned(sampled, system=control.ss(SERVO))[1] == []
    assert warned(sampled, system=control.sample_system(SERVO, 0.001))[1] == []


def test_a_dc_gain_other_than_1_is_warned_about_and_kept():
    _, (message,) = warned(Actuator, system=control.tf([4.520], [1.0, 4.930]))
    assert "DC gain of 0.916836, not 1" in message
    with pytest.warns(UserWarning, match="DC gain of 2, not 1"):
        block = Actuator(system=([60.0], [1.0, 30.0]))
    assert linear(block)(0.0)[0, 0] == pytest.approx(2.0, rel=1e-12)


def test_unstable_and_integrating_systems_are_warned_about():
    _, (unstable, *_) = warned(Actuator, system=control.tf([-1.0], [1.0, -1.0]))
    assert "unstable: it has a pole at 1" in unstable
    _, (unstable, *_) = warned(sampled, system=control.tf([-0.2], [1.0, -1.2], 0.001))
    assert "unstable: it has a pole at 1.2" in unstable
    _, messages = warned(Actuator, system=([1.0], [1.0, 0.0]))
    assert messages == ["The actuator's system has no finite DC gain: it integrates its command."]


def test_one_warning_for_each_system_not_for_each_use():
    _, messages = warned(lambda: later(sampled(system=([2.0], [1.0, 1.0]))))
    assert len(messages) == 1


# Refusals


@pytest.mark.parametrize(
    ("make", "parameters", "words"),
    [
        (Actuator, {}, "needs system="),
        (Actuator, {"system": ([1.0, 0.0, 1.0], [1.0, 1.0])}, "must be proper, got a numerator of degree 2"),
        (Actuator, {"system": control.tf([1.0, 1.0], [1.0])}, "must be proper"),
        (Actuator, {"system": ([1.0], [0.0, 0.0])}, "has a denominator of zeros"),
        (Actuator, {"system": ([1.0], ["a"])}, "must have numbers in its denominator, got ['a']"),
        (Actuator, {"system": ([math.nan], [1.0])}, "a numerator of finite numbers"),
        (Actuator, {"system": "servo"}, "must be one of 'TS_1', 'TS_2', a system of control or a pair (num, den)"),
        (Actuator, {"system": 3.0}, "must be a control.TransferFunction, a control.StateSpace, a pair (num, den)"),
        (Actuator, {"system": TWO_INPUTS}, "one input and one output as a transfer function, got 2 and 1"),
        (Actuator, {"system": control.tf([1], [1, 0.5], 0.01)}, "needs a continuous system, got one with"),
        (sampled, {"system": control.tf([0.5], [1.0, -0.5], 0.01)}, "0.01 s at a tick of 0.001 s"),
        (sampled, {"system": control.tf([0.5], [1.0, -0.5], True)}, "is discrete without a sample time"),
        (sampled, {"system": SERVO, "method": "euler"}, "must be one of 'zoh', 'tustin', 'foh', got 'euler'"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:The actuator's system:UserWarning")
def test_refusals_are_one_sentence(make, parameters, words):
    assert words in refusal(make, name="actuator", **parameters)


def test_python_control_is_imported_only_when_needed():
    program = (
        "import sys, hybsim\n"
        "from hybsim.blocks.actuators.transfer_function import Actuator\n"
        "Actuator(system=([1.0], [1.0, 1.0]))\n"
        "sys.exit('control' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
