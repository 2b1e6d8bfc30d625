"""Feedforward: the filtered inverse against python-control, its residual delay, refusals."""

from __future__ import annotations

import math
import warnings
from functools import partial

import control
import numpy as np
import pytest
from linear_block import held
from one_block import later, made, refusal, shapes, stepped
from scipy.signal import butter

from hybsim.blocks.compensators.feedforward import Feedforward

DT = 0.001
TS_1 = ([2.382e9], [1.0, 485.5, 1.317e5, 3.182e7, 2.382e9])  # PSI Eq. 4.1
LAG = ([1.0], [0.01, 1.0])
WITH_ZERO = ([0.002, 1.0], [1e-4, 0.02, 1.0])
make = partial(made, Feedforward, dt=DT)


def response(block, omega, dt=DT):
    """Command over signal at omega, from the matrices of the block."""
    return held(block)(np.exp(1j * omega * dt))[0, 0]


def filter_at(s, w_c, order, kind):
    if kind == "repeated":
        return 1.0 / (s / w_c + 1.0) ** order
    b, a = butter(order, w_c, analog=True)
    return np.polyval(b, s) / np.polyval(a, s)


@pytest.mark.parametrize(
    ("system", "order"), [(TS_1, None), (TS_1, 6), (LAG, None), (LAG, 3), (WITH_ZERO, None), (([1.0], [1.0]), None)]
)
@pytest.mark.parametrize("kind", ["repeated", "butterworth"])
def test_response_is_the_inverse_times_the_filter_at_tustins_frequency(system, order, kind):
    block = make(system=system, cutoff=60.0, order=order, filter=kind)
    n = len(system[1]) - len(system[0]) if order is None else order
    for hertz in (0.5, 3.0, 10.0, 40.0, 200.0):
        omega = 2.0 * math.pi * hertz
        s = 2j / DT * math.tan(omega * DT / 2.0)
        inverse = np.polyval(system[1], s) / np.polyval(system[0], s)
        expected = inverse * (filter_at(s, 120.0 * math.pi, n, kind) if n else 1.0)
        assert response(block, omega) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(("kind", "delay"), [("repeated", 4.0), ("butterworth", 1.0 / math.sin(math.pi / 8.0))])
def test_the_actuator_is_left_with_the_delay_of_the_filter(kind, delay):
    # Low enough a frequency for the phase to be that of a delay, and for held and continuous actuator to be alike.
    omega = 2.0 * math.pi * 0.05
    block = make(system=TS_1, cutoff=80.0, filter=kind)
    actuator = TS_1[0][0] / np.polyval(TS_1[1], 1j * omega)
    total = response(block, omega) * actuator
    assert -np.angle(total) / omega == pytest.approx(delay / (160.0 * math.pi), rel=1e-4)
    assert abs(total) == pytest.approx(1.0, abs=1e-5)


def test_a_straight_line_comes_out_of_a_first_order_actuator_late_by_the_filter():
    t = DT * np.arange(600)
    command = stepped(make(system=LAG, cutoff=50.0), t)
    # The command leads by the 10 ms of the lag, less the filter.
    assert command[400:] == pytest.approx(t[400:] + 0.01 - 1.0 / (100.0 * math.pi), rel=1e-9)


@pytest.mark.parametrize("given", ["TS_1", control.tf(*TS_1)], ids=["name", "control"])
def test_a_system_can_be_given_in_several_ways(given):
    signal = np.random.default_rng(4).normal(size=60)
    expected = stepped(make(system=TS_1, cutoff=60.0), signal)
    assert np.array_equal(stepped(make(system=given, cutoff=60.0), signal), expected)


def test_a_misprinted_system_is_normalised_with_a_warning():
    with pytest.warns(UserWarning, match="TS_2 is used with unit DC gain"):
        block = make(system="TS_2", cutoff=60.0)
    assert response(block, 0.0) == pytest.approx(1.0, rel=1e-12)


def test_a_sound_system_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(system="TS_1", cutoff=60.0)


def test_what_a_result_publishes_is_the_polynomials():
    block = make(system="TS_1", cutoff=60.0)
    spec = block.spec()
    described = spec.describe(spec.parameters)
    assert described["system"]["den"].tolist() == TS_1[1] and described["cutoff"] == 60.0


def test_cutoff_and_system_of_the_same_order_are_data_of_the_program():
    block = make(system="TS_1", cutoff=60.0)
    other = ([9e8], np.poly([-100.0, -150.0, -200.0, -300.0]))
    assert shapes(later(block, cutoff=90.0, system=other)) == shapes(block._prepared)


def test_ports_and_feedthrough():
    assert (Feedforward.inlabels, Feedforward.outlabels) == (["signal"], ["command"])
    assert make(system="TS_1", cutoff=60.0)._kernels.feedthrough == {"command": frozenset({"signal"})}


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (dict(system=LAG), "needs cutoff= (cutoff frequency of the filter in Hz)"),
        (dict(system=([-0.001, 1.0], [0.01, 1.0]), cutoff=50.0), "has a zero at 1000, which would be an unstable pole"),
        (dict(system=([1.0, 0.0], [0.01, 1.0]), cutoff=50.0), "has a zero at 0, which would be an unstable pole of"),
        (dict(system=([1.0], [-0.01, 1.0]), cutoff=50.0), "is unstable, with a pole at 100, which no command in"),
        (dict(system=([0.0], [0.01, 1.0]), cutoff=50.0), "has a numerator of zeros, which has no inverse"),
        (dict(system=([1.0, 0.0, 1.0], [1.0, 1.0]), cutoff=50.0), "must be proper, got a numerator of degree 2"),
        (dict(system="TS_9", cutoff=50.0), "'system' of block 'Feedforward' must be one of 'TS_1', 'TS_2'"),
        (dict(system=3.0, cutoff=50.0), "must be a control.TransferFunction, a pair (num, den) or a name, got 3.0"),
        (dict(system=control.tf([1.0], [1.0, 0.5], 0.001), cutoff=50.0), "must be continuous, got a sample time of"),
        (
            dict(system=control.tf([[[1.0], [1.0]]], [[[1.0, 1.0], [1.0, 1.0]]]), cutoff=50.0),
            "must have one input and one output, got 2 and 1",
        ),
        (dict(system=TS_1, cutoff=50.0, order=3), "order=3 is less than 4, which the inverse of this system needs"),
        (dict(system=TS_1, cutoff=500.0), "cutoff=500 Hz is not below 500 Hz, half the sampling rate; lower it or"),
        (dict(system=TS_1, cutoff=0.0), "'cutoff' of block 'Feedforward' must be greater than 0, got 0.0"),
        (dict(system=TS_1, cutoff=50.0, filter="sharp"), "must be one of 'repeated', 'butterworth', got 'sharp'"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    assert sentence in refusal(make, **parameters)
