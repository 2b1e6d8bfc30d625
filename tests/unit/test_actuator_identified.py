"""Actuators known by name: PSI Eqs. 1.10, 4.1 and 4.2, the misprinted gain of TS_2, and names nobody knows."""

from __future__ import annotations

import control
import numpy as np
import pytest
from linear_block import held
from one_block import later, made, warned

from hybsim.blocks.actuators.identified import as_printed
from hybsim.blocks.actuators.transfer_function import Actuator, ActuatorSampled
from hybsim.errors import ParameterError

# As printed in the document, once more.
TS_1 = ([2.382e9], [1.0, 485.5, 1.317e5, 3.182e7, 2.382e9])
TS_2 = ([4.520e9], [1.0, 577.1, 2.680e5, 6.282e7, 4.930e9])
UNIT = {"TS_1": TS_1, "TS_2": ([4.930e9], TS_2[1])}


@pytest.mark.parametrize("name", ["TS_1", "TS_2"])
@pytest.mark.parametrize("hertz", [0.5, 10.0, 60.0])
def test_the_response_is_that_of_the_document_with_unit_dc_gain(name, hertz):
    block, _ = warned(Actuator, system=name)
    s = 2j * np.pi * hertz
    assert held(block)(s)[0, 0] == pytest.approx(control.tf(*UNIT[name])(s), rel=1e-9)


@pytest.mark.parametrize(("name", "delay"), [("TS_1", 13.36e-3), ("TS_2", 12.74e-3)])
def test_the_delay_at_low_frequency_is_that_of_the_coefficients(name, delay):
    block, _ = warned(Actuator, system=name)
    omega = 0.1
    assert -np.angle(held(block)(1j * omega)[0, 0]) / omega == pytest.approx(delay, abs=5e-6)
    den = UNIT[name][1]
    assert -np.angle(held(block)(1j * omega)[0, 0]) / omega == pytest.approx(den[-2] / den[-1], rel=1e-6)


@pytest.mark.parametrize("name", ["TS_1", "TS_2"])
def test_at_ticks_it_is_discretised(name):
    block, _ = warned(made, ActuatorSampled, dt=0.004, system=name)
    z = np.exp(2j * np.pi * 7.0 * 0.004)
    expected = control.sample_system(control.ss(control.tf(*UNIT[name])), 0.004, method="zoh")(z)
    assert held(block)(z)[0, 0] == pytest.approx(expected, rel=1e-9)


def test_the_misprint_of_ts_2_is_mentioned_in_one_sentence():
    _, (message,) = warned(Actuator, system="TS_2")
    assert message == (
        "TS_2 is used with unit DC gain: the printed gain of 0.917 is probably a misprint;"
        " pass as_printed('TS_2') to use that."
    )
    assert warned(Actuator, system="TS_1")[1] == []


def test_as_printed_it_keeps_its_gain_and_is_warned_about():
    assert (as_printed("TS_1"), as_printed("TS_2")) == (TS_1, TS_2)
    block, (message,) = warned(Actuator, system=as_printed("TS_2"))
    assert "DC gain of 0.916836, not 1" in message
    assert held(block)(0.0)[0, 0] == pytest.approx(4.520 / 4.930, rel=1e-9)


def test_what_was_printed_cannot_be_changed_by_accident():
    as_printed("TS_1")[1].append(0.0)
    assert as_printed("TS_1") == TS_1


def test_one_warning_for_each_block():
    _, messages = warned(lambda: later(Actuator(system="TS_2")))
    assert len(messages) == 1


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ParameterError, match=r"must be one of 'TS_1', 'TS_2', a system of control or .*, got 'TS_3'"):
        Actuator(system="TS_3")
    with pytest.raises(ParameterError, match=r"no identified actuator 'TS_3'\. Did you mean 'TS_2' or 'TS_1'"):
        as_printed("TS_3")
