"""The test with a rig to cut at: what its actuator takes of the damping, and what the compensator gives back."""

from __future__ import annotations

import math

import pytest

import hybsim as hs
from hybsim.diagrams import virtual_rig
from hybsim.errors import ParameterError
from hybsim.studies.indicators.preflight import preflight

DT = 1.0 / 1024.0
DELAY = 3.182e7 / 2.382e9 + 0.5 * DT  # a_1/a_0 of TS_1 and half a tick of the hold


@pytest.mark.parametrize("period", [1.0, 2.0])
def test_without_compensation_the_delay_takes_its_share_of_the_damping(period):
    """To first order zeta - omega tau / 2; the rest is of the order (omega tau)^2."""
    omega = 2.0 * math.pi / period
    lowest = preflight(virtual_rig(horizon=0.0, period=period), "rig").modes[0]
    assert lowest.damping == pytest.approx(0.05 - 0.5 * omega * DELAY, abs=0.1 * (omega * DELAY) ** 2)


def test_with_it_the_damping_is_back():
    lowest = preflight(virtual_rig(), "rig").modes[0]
    assert lowest.damping == pytest.approx(0.05, abs=0.1 * (2.0 * math.pi * DELAY) ** 2)


@pytest.mark.parametrize(
    ("horizon", "period", "verdict"), [(None, 1.0, "go"), (0.0, 1.0, "marginal"), (0.0, 0.5, "no-go")]
)
def test_the_verdict_follows(horizon, period, verdict):
    """At T = 0.5 s the delay takes 8.7 % of the 5 %: the test is unstable."""
    assert preflight(virtual_rig(horizon=horizon, period=period), "rig").verdict == verdict


def test_the_energy_monitor_sees_the_lag_and_its_absence():
    late, led = (hs.compile(virtual_rig(horizon=h)).run(20.0).final("energy.hsei_i") for h in (0.0, None))
    assert late < -0.3 and abs(led) < 0.05


def test_an_unknown_specimen_is_refused():
    with pytest.raises(ParameterError, match="must be one of 'linear', 'bouc-wen', got 'steel'"):
        virtual_rig(specimen="steel")
