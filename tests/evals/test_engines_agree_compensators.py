"""Compensators in hybrid tests: the engines give the same bits, and the loop has the damping that theory leaves it.

One degree of freedom with 2 % damping, its spring behind the actuator TS_1. The delay of about 13.8 ms with its hold
adds the damping -w tau/2 = -8.7 %, so the loop grows without compensation.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from agreement import agreed

import hybsim as hs

DT = 1.0 / 1024.0
OMEGA = 4.0 * math.pi
DELAY = 3.182e7 / 2.382e9 + DT / 2.0  # TS_1 at low frequencies and half a tick of its hold


def none(bd, target, measured):
    return bd.GAIN(1.0, name="compensator", inputs=[target])


def single(factory, **parameters):
    """A compensator that sees the signal alone."""
    return lambda bd, target, measured: getattr(bd, factory)(name="compensator", inputs=[target], **parameters)


def series(bd, target, measured):
    block = bd.ATS(name="compensator", delay=0.8 * DELAY, window=0.5, threshold=0.01, cutoff=30.0)
    bd.connect(target, block.signal)
    bd.connect(measured, block.measured)
    return block.command


def adaptive(bd, target, measured):
    predictor = bd.PREDICTOR_ADAPTIVE(name="compensator", max_horizon=0.03)
    estimator = bd.DELAYESTIMATOR(
        name="estimator", max_delay=0.03, initial_delay=0.8 * DELAY, window=0.5, threshold=0.01
    )
    bd.connect(target, predictor.signal)
    bd.connect(predictor.command, estimator.command)
    bd.connect(measured, estimator.measured)
    bd.connect(estimator.delay, predictor.horizon)
    return predictor.command


def lead_and_control(bd, target, measured):
    # Feedforward of the led signal, with a little PI control of what is left.
    lead = bd.PHASELEAD(name="lead", lead=DELAY + 0.002, lag=0.002, inputs=[target])
    control = bd.PIDCONTROL(name="compensator", kp=0.05, ki=0.5, kd=1e-4, feedforward=1.0, lower=-3.0, upper=3.0)
    bd.connect(lead, control.reference)
    bd.connect(measured, control.measured)
    return control.command


COMPENSATORS = {
    "PREDICTOR": single("PREDICTOR", horizon=DELAY),
    "INVERSECOMP": single("INVERSECOMP", delay=DELAY),
    "FEEDFORWARD": single("FEEDFORWARD", system="TS_1", cutoff=200.0),
    "PHASELEAD": single("PHASELEAD", lead=DELAY + 0.001, lag=0.001),
    "ATS": series,
    "PREDICTOR_ADAPTIVE": adaptive,
    "PHASELEAD and PIDCONTROL": lead_and_control,
}


def hybrid_test(compensated):
    bd = hs.BDSim().blockdiagram(dt=DT)
    structure = bd.NEWMARK(name="structure", mass=1.0, damping=2.0 * 0.02 * OMEGA, initial_disp=1.0)
    still = bd.CONSTANT(0.0, name="still")
    plant = bd.ACTUATOR_S(name="plant", system="TS_1")
    spring = bd.SPRING(name="spring", stiffness=OMEGA**2, inputs=[plant])
    bd.connect(still, structure.load)
    bd.connect(compensated(bd, structure.disp_target, plant), plant)
    bd.connect(spring, structure.force)
    return bd


def damping_ratio(disp):
    """From the decay of the peaks of a free vibration between 1 s and 3 s."""
    rows = np.arange(round(1.0 / DT), round(3.0 / DT))
    peaks = [k for k in rows if disp[k] > disp[k - 1] and disp[k] >= disp[k + 1]]
    return -np.polyfit(DT * np.array(peaks), np.log(disp[peaks]), 1)[0] / OMEGA


def test_without_compensation_the_loop_grows():
    result = agreed(hs.compile(hybrid_test(none)), 3.1)
    assert damping_ratio(result["structure.disp_target"]) == pytest.approx(0.02 - OMEGA * DELAY / 2.0, abs=0.01)


@pytest.mark.parametrize("name", COMPENSATORS)
def test_a_compensated_hybrid_test_agrees_and_has_the_damping_it_should(name):
    result = agreed(hs.compile(hybrid_test(COMPENSATORS[name])), 3.1)
    assert result.stopped is None
    # FEEDFORWARD is left with the delay of its filter and of the hold, the others with next to none.
    left = 4.0 / (400.0 * math.pi) + DT / 2.0 if name == "FEEDFORWARD" else 0.0
    # Around the plant, PIDCONTROL leads a little more.
    close = 0.005 if "PIDCONTROL" in name else 0.001
    assert damping_ratio(result["structure.disp_target"]) == pytest.approx(0.02 - OMEGA * left / 2.0, abs=close)


def test_channels_agree():
    bd = hs.BDSim().blockdiagram(dt=0.001)
    noise = bd.NORMAL(name="noise", seed=4, width=3)
    other = bd.NORMAL(name="other", seed=5, width=3)
    horizon = bd.SINESWEEP(name="sweep", amplitude=0.01, f_start=1.0, f_end=2.0, duration=2.0)
    shifted = bd.SUM("++", name="horizon")
    bd.connect(horizon, shifted[0])
    bd.connect(bd.CONSTANT(0.01, name="mean"), shifted[1])
    bd.PREDICTOR(name="predictor", horizon=0.004, order=5, width=3, inputs=[noise])
    bd.INVERSECOMP(name="inverse", delay=0.0043, width=3, inputs=[noise])
    bd.PHASELEAD(name="lead", lead=0.01, lag=0.002, width=3, inputs=[noise])
    predictor = bd.PREDICTOR_ADAPTIVE(name="adaptive", max_horizon=0.02, spacing=0.003, width=3)
    bd.connect(noise, predictor.signal)
    bd.connect(shifted, predictor.horizon)
    control = bd.PIDCONTROL(name="control", kp=0.4, ki=9.0, kd=0.002, lower=-1.0, upper=0.8, width=3)
    bd.connect(noise, control.reference)
    bd.connect(other, control.measured)
    result = agreed(hs.compile(bd), 1.0)
    assert result["control.limited"].shape == (1001, 3)
    assert 0.1 < result["control.limited"].mean() < 0.9


def test_parameters_are_data_of_the_program():
    program = hs.compile(hybrid_test(series))
    changed = agreed(program, 1.2, **{"compensator.window": 0.3, "compensator.rate": 0.2, "compensator.cutoff": None})
    assert np.any(changed["compensator.a1"] != program.run(1.2)["compensator.a1"])
    program = hs.compile(hybrid_test(COMPENSATORS["FEEDFORWARD"]))
    agreed(program, 0.3, **{"compensator.cutoff": 120.0, "compensator.filter": "butterworth"})
    program = hs.compile(hybrid_test(adaptive))
    agreed(program, 0.8, **{"estimator.window": 0.25, "estimator.threshold": 0.3})
