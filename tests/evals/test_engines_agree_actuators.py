"""Actuators and rig in whole diagrams: the C and the Python engine give the same bits, and what theory says."""

from __future__ import annotations

import math
import warnings

import control
import numpy as np
import pytest
from agreement import agreed

import hybsim as hs
from hybsim.blocks.actuators.degrees_of_freedom import storey_drifts
from hybsim.blocks.actuators.servo_hydraulic import closed_loop

MASS, COLUMN = 4.0 / 386.4, 2.8  # EERC Sec. 6.2.1: kip s^2/in, kip/in


def two_storeys(**servo):
    """EERC's two-storey test: integrator, degrees of freedom, limits, servo loops, backlash, frame, half columns."""
    bd = hs.BDSim().blockdiagram(dt=0.002)
    t = storey_drifts(2)
    stiffness = COLUMN * t.T @ t
    omega = math.sqrt(np.linalg.eigvalsh(stiffness / MASS)[0])
    load = bd.MUX(2, name="load", inputs=[bd.COSINEPULSE(amplitude=a, duration=0.6) for a in (0.6, 1.0)])
    structure = bd.NEWMARK(name="structure", mass=MASS * np.eye(2), damping=2.0 * 0.05 / omega * stiffness)
    commands = bd.TOACTUATORS(name="commands", transformation=t, scale=0.5)
    rate = bd.RATELIMIT(name="rate", rising=20.0, width=2)
    stops = bd.SATURATION(name="stops", lower=-3.0, upper=3.0, width=2)
    rig = bd.SERVO_PD(name="rig", width=2, **{"loop_gain": 1000.0, **servo})
    clevis = bd.BACKLASH(name="clevis", gap=0.002, width=2)
    # Well damped, so that Euler steps of 2 ms are stable too.
    frame = bd.REACTIONFRAME(name="frame", stiffness=44.0, frequency=37.0, damping_ratio=0.3, width=2)
    columns = bd.SPRING(name="columns", stiffness=COLUMN, width=2)
    forces = bd.TOSTRUCTURE(name="forces", transformation=t, scale=2.0)
    bd.connect(load, structure.load)
    bd.connect(structure.disp_target, commands)
    bd.connect(commands, rate)
    bd.connect(rate.followed, stops)
    bd.connect(stops.within, rig.command)
    bd.connect(rig.position, clevis)
    bd.connect(clevis, frame.stroke)
    bd.connect(frame.disp, columns)
    bd.connect(columns, rig.force, frame.force, forces)
    bd.connect(forces, structure.force)
    return bd


@pytest.mark.parametrize("solver", ["euler", "heun", "rk4"])
def test_a_test_of_two_storeys_agrees(solver):
    result = agreed(hs.compile(two_storeys(), solver=solver), 3.0)
    drift = result["structure.disp_target"] @ storey_drifts(2).T
    np.testing.assert_allclose(result["commands.disp_cmd"], 0.5 * drift, rtol=0, atol=1e-12)
    # The frame gives way by k_s / (k + k_s) of the stroke, the clevis by half its gap.
    lost = np.abs(result["rig.position"] - result["frame.disp"]).max()
    assert lost == pytest.approx(np.abs(result["rig.position"]).max() * COLUMN / (44.0 + COLUMN), rel=0.1)
    assert np.abs(drift).max() > 0.3


def test_gains_are_data():
    program = hs.compile(two_storeys())
    changed = agreed(program, 1.0, **{"rig.proportional_gain": 0.9, "rig.derivative_gain": 0.0})
    anew = agreed(hs.compile(two_storeys(proportional_gain=0.9, derivative_gain=0.0)), 1.0)
    assert changed["columns.force"].tobytes() == anew["columns.force"].tobytes()


def test_a_nonlinear_specimen_at_the_servo_hydraulic_chain_agrees():
    bd = hs.BDSim().blockdiagram(dt=0.0005)
    rig = bd.SERVOHYDRAULIC(name="rig", stiffness=0.0)
    specimen = bd.BOUCWEN_RATE(name="specimen", stiffness=1.19e6, yield_disp=1e-3, alpha=0.1)
    bd.connect(bd.WAVEFORM("sine", freq=2.0, amplitude=4e-3, name="sine"), rig.command)
    bd.connect(rig.position, specimen.disp)
    bd.connect(rig.vel, specimen.vel)
    bd.connect(specimen, rig.force)
    result = agreed(hs.compile(bd), 2.0)
    # Slow motion: what the load cell sees is the specimen and the inertia of 29 kg, damped by 114 N s/m.
    accel = np.gradient(result["rig.vel"], 0.0005)
    expected = result["specimen.force"] + 29.13 * accel + 114.22 * result["rig.vel"]
    late = result.t > 0.5
    np.testing.assert_allclose(result["rig.force_meas"][late], expected[late], rtol=0, atol=30.0)
    assert result.peak("rig.force_meas") > 1200.0


def test_a_step_of_the_servo_hydraulic_chain_is_that_of_python_control():
    bd = hs.BDSim().blockdiagram(dt=0.0002)
    bd.SERVOHYDRAULIC(name="rig", inputs=[bd.CONSTANT(1e-3, name="step"), bd.CONSTANT(0.0, name="free")])
    result = agreed(hs.compile(bd), 0.3)
    expected = 1e-3 * control.step_response(control.tf(*closed_loop()), result.t).outputs
    np.testing.assert_allclose(result["rig.position"], expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize("name", ["TS_1", "TS_2"])
def test_identified_actuators_agree_and_are_exact_for_held_commands(name):
    bd = hs.BDSim().blockdiagram(dt=0.001)
    noise = bd.NORMAL(name="noise", seed=4)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="TS_2 is used with unit DC gain")
        bd.ACTUATOR(name="integrated", system=name, inputs=[noise])
        bd.ACTUATOR_S(name="sampled", system=name, inputs=[noise])
    result = agreed(hs.compile(bd), 1.0)
    np.testing.assert_allclose(result["integrated.position"], result["sampled.position"], rtol=0, atol=1e-3)


def test_both_lags_are_exact_for_held_commands():
    bd = hs.BDSim().blockdiagram(dt=0.001)
    noise = bd.NORMAL(name="noise", seed=5, width=2)
    bd.FIRSTORDER(name="integrated", time_constant=0.02, width=2, inputs=[noise])
    bd.FIRSTORDER_S(name="sampled", time_constant=0.02, width=2, inputs=[noise])
    result = agreed(hs.compile(bd), 1.0)
    np.testing.assert_allclose(result["integrated.position"], result["sampled.position"], rtol=0, atol=1e-7)


def test_a_static_frame_gives_way_by_its_share():
    bd = hs.BDSim().blockdiagram(dt=0.001)
    frame = bd.REACTIONFRAME_S(name="frame", stiffness=44.0)
    specimen = bd.ELASTICPLASTIC(name="specimen", stiffness=COLUMN, yield_disp=10.0)
    bd.connect(bd.WAVEFORM("sine", freq=0.5, amplitude=2.0, name="stroke"), frame.stroke)
    bd.connect(frame.disp, specimen)
    bd.connect(specimen, frame.force)
    result = agreed(hs.compile(bd), 2.0)
    assert result.peak("frame.disp") == pytest.approx(2.0 * 44.0 / (44.0 + COLUMN), rel=1e-4)


def test_a_rate_dependent_specimen_at_the_servo_loop_is_an_algebraic_loop():
    bd = hs.BDSim().blockdiagram(dt=0.001)
    rig, damper = bd.SERVO_PD(name="rig"), bd.VISCOUSDAMPER(name="damper", damping=0.1)
    bd.connect(bd.CONSTANT(1.0, name="command"), rig.command)
    bd.connect(rig.vel, damper)
    bd.connect(damper, rig.force)
    with pytest.raises(hs.HybsimError, match="loop"):
        hs.compile(bd)


def test_a_name_is_a_parameter_like_any_other():
    def behind(system):
        bd = hs.BDSim().blockdiagram(dt=0.001)
        bd.ACTUATOR_S(name="actuator", system=system, inputs=[bd.NORMAL(name="noise", seed=6)])
        return hs.compile(bd)

    with pytest.warns(UserWarning, match="TS_2 is used with unit DC gain"):
        changed = agreed(behind("TS_1"), 0.3, **{"actuator.system": "TS_2"})
        anew = agreed(behind("TS_2"), 0.3)
    assert changed["actuator.position"].tobytes() == anew["actuator.position"].tobytes()
