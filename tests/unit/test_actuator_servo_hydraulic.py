"""Servo-hydraulic chain: its matrices against python-control, its interaction with the specimen, refusals."""

from __future__ import annotations

import control
import numpy as np
import pytest
from linear_block import linear
from one_block import refusal

from hybsim.blocks.actuators.servo_hydraulic import ServoHydraulic, closed_loop
from hybsim.errors import ParameterError

# The benchmark problem's plant.
A1B0, A2, A3, B1, B2, GAIN = 2.1283e13, 4.2297e6, 3.3, 425.0, 9.9976e4, 1.0261
M, C, K = 29.13, 114.22, 1.19e6


def of_the_benchmark(m=M, c=C, k=K, a2=A2, a3=A3, gain=GAIN):
    """Position over command from the diagram of the benchmark: valve, oil with velocity feedback, specimen."""
    valve, oil, specimen = control.tf([A1B0], [1.0, B1, B2]), control.tf([1.0], [1.0, a3]), control.tf([1.0], [m, c, k])
    inner = control.feedback(control.series(oil, specimen), control.tf([a2, 0.0], [1.0]))
    return gain * control.feedback(control.series(valve, inner), 1.0)


CHANGES = [{}, dict(k=0.0), dict(m=300.0, c=0.0), dict(a2=0.0, k=5e6), dict(a3=0.0, gain=1.0)]
NAMES = dict(m="mass", c="damping", k="stiffness", a2="velocity_feedback", a3="leakage", gain="command_gain")


@pytest.mark.parametrize("changes", CHANGES)
@pytest.mark.parametrize("hertz", [0.01, 3.0, 25.0, 70.0])
def test_frequency_response_is_that_of_the_benchmark(changes, hertz):
    parameters = {NAMES[name]: value for name, value in changes.items()}
    s = 2j * np.pi * hertz
    expected = of_the_benchmark(**changes)(s)
    got = linear(ServoHydraulic(**parameters))(s)
    assert got[0, 0] == pytest.approx(expected, rel=1e-8)
    assert got[1, 0] == pytest.approx(s * expected, rel=1e-8)
    values = {**dict(m=M, c=C, k=K), **changes}
    moved = values["m"] * s**2 + values["c"] * s + values["k"]
    assert got[2, 0] == pytest.approx(moved * expected, rel=1e-8)
    assert control.tf(*closed_loop(**parameters))(s) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("hertz", [0.5, 20.0, 60.0])
def test_a_spring_from_outside_is_a_spring_inside(hertz):
    """x = H_c command + H_f k x, closed by hand, is the chain with k of its own: control-structure interaction."""
    s = 2j * np.pi * hertz
    h = linear(ServoHydraulic(stiffness=0.0))(s)
    closed = h[0, 0] / (1.0 - h[0, 1] * K)
    assert closed == pytest.approx(of_the_benchmark()(s), rel=1e-8)
    assert abs(closed - h[0, 0]) > 0.02 * abs(closed)


def test_the_figures_of_the_docstring():
    for k, gain, low, ten in ((K, 1.0075, 25.1, 19.0), (0.0, 1.0261, 19.9, 16.7)):
        h = linear(ServoHydraulic(stiffness=k))
        assert abs(h(0.0)[0, 0]) == pytest.approx(gain, abs=1e-4)
        assert abs(h(0.0)[0, 0]) == pytest.approx(GAIN / (1.0 + A3 * B2 * k / A1B0), rel=1e-9)
        for omega, delay in ((0.1, low), (20.0 * np.pi, ten)):
            assert -1e3 * np.angle(h(1j * omega)[0, 0]) / omega == pytest.approx(delay, abs=0.05)
    poles = np.roots(closed_loop()[1])
    least = poles[np.argmin(-poles.real)]
    assert (poles.real < 0.0).all()
    assert (abs(least), -least.real / abs(least)) == (pytest.approx(422.0, abs=0.5), pytest.approx(0.02, abs=0.002))


def test_a_force_from_outside_pushes_the_piston_back():
    x = ServoHydraulic().deriv(0.0, [0.0, 100.0], np.zeros(5))
    assert x[4] == pytest.approx(-100.0 / M, rel=1e-14)


def test_ports_and_feedthrough():
    assert list(ServoHydraulic.ins) == ["command", "force"]
    assert list(ServoHydraulic.outs) == ["position", "vel", "force_meas"]
    assert not any(ServoHydraulic()._kernels.feedthrough.values())


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (dict(mass=0.0), "'mass' of block 'rig' must be greater than 0, got 0.0"),
        (dict(stiffness=-1.0), "'stiffness' of block 'rig' must be at least 0, got -1.0"),
        (dict(damping=-1.0), "'damping' of block 'rig' must be at least 0"),
        (dict(leakage=-0.1), "'leakage' of block 'rig' must be at least 0"),
        (dict(valve_gain=0.0), "'valve_gain' of block 'rig' must be greater than 0"),
        (dict(valve_damping="soft"), "must be a single number, got 'soft'"),
        (dict(a3=3.3), "has no parameter 'a3'"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    assert sentence in refusal(ServoHydraulic, name="rig", **parameters)


def test_the_transfer_function_refuses_what_the_block_refuses():
    with pytest.raises(ParameterError, match="'mass' of block 'closed_loop' must be greater than 0"):
        closed_loop(mass=-1.0)
