"""All monitors in whole tests: the C and the Python engine give the same bits, and the numbers make sense."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import agreed

import hybsim as hs
from hybsim.diagrams import fig_3_5
from hybsim.studies import tracking
from hybsim.studies.verification.monitor_balance import CASES

DURATION = 10.0


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_energy_monitors_agree(case):
    result = agreed(hs.compile(case.make(0.01)), 5.0)
    assert result.peak("balance.e_kinetic") > 0.0
    assert np.ptp(result["balance.residual"]) > 0.0


def watched_test(mean):
    """Fig. 3-5 with every monitor of the actuator, and a trip on HSEI."""
    bd = fig_3_5(mean=mean, variance=0.0, dt=0.01)
    block = bd.blocknames
    command, applied = block["integrator"].disp_target, block["lag"][0]
    indicator = bd.TRACKINGINDICATOR(name="tracking")
    index = bd.FEI(name="fei", f_max=10.0, lines=100)
    error = bd.SUM("+-", name="error", inputs=[command, applied])
    noise = bd.SNR(name="snr", window=1.0)
    for monitor in (indicator, index):
        bd.connect(command, monitor.disp_cmd)
        bd.connect(applied, monitor.disp_meas)
    bd.connect(command, noise.signal)
    bd.connect(error, noise.error)
    bd.RUNNINGRMS(name="rms", window=2.0, inputs=[error])
    bd.PEAKHOLD(name="peak", inputs=[block["specimen"]])
    trip = bd.THRESHOLD(name="trip", level=-0.1, sense="below", ticks=3)
    bd.connect(block["energy"].hsei_i, trip.signal)
    bd.connect(bd.STEP(8.0, name="rearm"), trip.rearm)
    return bd


@pytest.fixture(scope="module", params=[0.5, -0.5], ids=["lag", "lead"])
def watched(request):
    return request.param, agreed(hs.compile(watched_test(request.param)), DURATION)


def test_the_indicators_see_the_lag_of_the_actuator(watched):
    mean, result = watched
    late = mean * 0.01  # seconds
    assert np.sign(result["tracking.indicator"][-1]) == np.sign(mean)
    assert np.sign(result["energy.hsei_i"][-1]) == -np.sign(mean)
    assert result["fei.delay"][-1] == pytest.approx(late, rel=0.02)
    assert result["fei.amplitude"][-1] == pytest.approx(1.0, abs=0.01)
    command, applied = result["integrator.disp_target"], result["lag.applied"]
    assert tracking.frequency_evaluation_index(command, applied, 0.01).delay == pytest.approx(late, rel=0.02)
    error = command - applied
    ratio = np.sqrt(np.mean(command[-100:] ** 2) / np.mean(error[-100:] ** 2))
    assert result["snr.snr"][-1] == pytest.approx(ratio, rel=1e-12)
    # A lag of tau is an error of tau times the velocity; the structure has T = 1 s.
    assert ratio == pytest.approx(1.0 / (2.0 * np.pi * abs(late)), rel=0.1)
    assert result["rms.rms"][-1] == pytest.approx(np.sqrt(np.mean(error[-200:] ** 2)), rel=1e-12)


def test_peaks_are_held(watched):
    _, result = watched
    force, held = result["specimen.force"], result["peak.peak"]
    assert held[-1] == np.abs(force).max()
    assert result["peak.peak_time"][-1] == result.t[np.argmax(np.abs(force))]


def test_a_lag_trips_the_energy_index_and_a_lead_does_not(watched):
    mean, result = watched
    beyond = result["energy.hsei_i"] < -0.1
    if mean < 0.0:
        assert not beyond.any() and not result["trip.tripped"].any()
        return
    first = int(np.argmax(beyond)) + 2
    assert beyond[first - 2 : first + 1].all()
    assert result["trip.trip_time"][-1] == result.t[first]
    # Rearmed at 8 s, while the energy error is still there: the trip stays.
    assert (result["trip.tripped"] == (np.arange(len(result.t)) >= first)).all()


def test_windows_and_levels_are_parameters_of_a_run():
    program = hs.compile(watched_test(0.5))
    changed = agreed(program, 4.0, **{"rms.window": 0.5, "trip.level": -0.02, "trip.ticks": 1, "fei.f_max": 8.0})
    usual = agreed(program, 4.0)
    assert changed["trip.trip_time"][-1] == changed.t[np.argmax(changed["energy.hsei_i"] < -0.02)]
    assert not np.array_equal(changed["rms.rms"], usual["rms.rms"])
    assert not np.array_equal(changed["fei.amplitude"], usual["fei.amplitude"])
