"""PI and PID control: Tustin's rule against python-control, limits and windup, feedthrough, refusals."""

from __future__ import annotations

from functools import partial

import control
import numpy as np
import pytest
from one_block import every_output, made, refusal
from scipy.signal import lfilter

from hybsim.blocks.compensators.pid_control import PidControl

DT = 0.001
REFERENCE, MEASURED = np.random.default_rng(9).normal(size=(2, 150))
make = partial(made, PidControl, dt=DT)


def expected(num, den, signal, dt=DT):
    system = control.sample_system(control.tf(num, den), dt, method="tustin")
    return lfilter(system.num[0][0], system.den[0][0], signal)


@pytest.mark.parametrize(
    ("parameters", "num", "den"),
    [
        (dict(kp=0.8), [0.8], [1.0]),
        (dict(kp=0.8, ki=12.0), [0.8, 12.0], [1.0, 0.0]),
        (dict(ki=-3.0), [-3.0], [1.0, 0.0]),
        # Kp + Ki/s + Kd s/(tau s + 1), tau = 4 ms
        (
            dict(kp=0.5, ki=20.0, kd=0.03, filter_time=0.004),
            np.polyadd(np.polymul([0.5, 20.0], [0.004, 1.0]), [0.03, 0.0, 0.0]),
            [0.004, 1.0, 0.0],
        ),
    ],
)
@pytest.mark.parametrize("feedforward", [0.0, 1.0])
def test_the_command_is_that_of_the_discretised_controller(parameters, num, den, feedforward):
    command, limited = every_output(make(feedforward=feedforward, **parameters), REFERENCE, MEASURED)
    wanted = feedforward * REFERENCE + expected(num, den, REFERENCE - MEASURED)
    assert command == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    assert not limited.any()


def test_the_pi_controller_of_the_benchmark_problem():
    dt = 1.0 / 4096.0
    command, _ = every_output(make(dt=dt, kp=2.0, ki=95.0), REFERENCE, MEASURED)
    assert command == pytest.approx(expected([2.0, 95.0], [1.0, 0.0], REFERENCE - MEASURED, dt), rel=1e-9, abs=1e-9)


def test_the_derivative_is_a_backward_difference_by_default():
    error = REFERENCE - MEASURED
    command, _ = every_output(make(kd=0.02), REFERENCE, MEASURED)
    assert command == pytest.approx(0.02 * np.diff(error, prepend=0.0) / DT, rel=1e-9, abs=1e-9)


def test_a_limited_command_keeps_its_limits_and_says_so():
    free, _ = every_output(make(kp=1.5), REFERENCE, MEASURED)
    command, limited = every_output(make(kp=1.5, lower=-1.0, upper=0.5), REFERENCE, MEASURED)
    assert np.array_equal(command, np.clip(free, -1.0, 0.5))
    assert np.array_equal(limited, ((free < -1.0) | (free > 0.5)).astype(float))
    assert 0.0 < limited.mean() < 1.0
    one_sided, _ = every_output(make(kp=1.5, upper=0.5), REFERENCE, MEASURED)
    assert np.array_equal(one_sided, np.minimum(free, 0.5))


def test_the_integral_does_not_wind_up():
    # 100 ticks of error 1 at the upper limit, then error -1. Without protection the integral of the 100 ticks would
    # hold the command at its limit for another 60 of them.
    reference = np.concatenate([np.ones(100), -np.ones(100)])
    command, limited = every_output(make(ki=10.0, upper=0.2, lower=-5.0), reference, np.zeros(200))
    winding = np.cumsum(10.0 * DT / 2.0 * (reference + np.concatenate([[0.0], reference[:-1]])))
    assert command[:20] == pytest.approx(winding[:20], rel=1e-12)  # 0.195 at tick 19
    assert np.all(command[20:100] == 0.2) and limited[25:99].all()
    assert not limited[102:].any()
    assert command[110:] == pytest.approx(command[109] - 0.01 * np.arange(1, 91), rel=1e-9)
    assert (winding[100:150] > 0.2).all()  # what would have been


def test_an_error_that_leads_back_is_integrated_at_the_limit():
    # The feedforward alone is beyond the limit; the integral of a negative error brings it back.
    reference, measured = np.full(300, 1.0), np.full(300, 2.0)
    command, limited = every_output(make(ki=5.0, feedforward=1.0, upper=0.5), reference, measured)
    wanted = 1.0 - 5.0 * DT * (np.arange(300) + 0.5)
    assert command == pytest.approx(np.minimum(wanted, 0.5), rel=1e-9)
    assert limited[:50].all() and not limited[200:].any()


def test_channels_side_by_side():
    settings = dict(kp=0.5, ki=10.0, kd=0.001, feedforward=1.0, lower=-0.8, upper=0.9)
    pairs = np.random.default_rng(3).normal(size=(2, 40, 3))
    together, flags = every_output(make(width=3, **settings), *pairs)
    for i in range(3):
        command, limited = every_output(make(**settings), *pairs[:, :, i])
        assert np.array_equal(together[:, i], command) and np.array_equal(flags[:, i], limited)


def test_ports_and_feedthrough():
    assert (PidControl.inlabels, PidControl.outlabels) == (["reference", "measured"], ["command", "limited"])
    both = frozenset({"reference", "measured"})
    assert make(kp=1.0)._kernels.feedthrough == {"command": both, "limited": both}


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (dict(kp=1.0, lower=1.0, upper=1.0), "lower=1 must be less than upper=1; give the limits in this order"),
        (dict(kd=1.0, filter_time=0.0004), "filter_time=0.0004 s is below half a tick, 0.0005 s, where the derivative"),
        (dict(filter_time=0.0), "'filter_time' of block 'PidControl' must be greater than 0, got 0.0"),
        (dict(kp="much"), "'kp' of block 'PidControl' must be a single number, got 'much'"),
        (dict(gain=1.0), "has no parameter 'gain'"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    assert sentence in refusal(make, **parameters)
