"""Delays, cut-offs and limits of the actuators, found by driving the blocks."""

from __future__ import annotations

import math

import control
import numpy as np

from hybsim.blocks.actuators.identified import as_printed
from hybsim.blocks.actuators.servo_pd import ServoPd, cut_off, low_frequency_delay, small_signal
from hybsim.runtime.program import compile
from hybsim.studies.verification import actuator_responses as measure
from hybsim.studies.verification.actuator_models import alone
from hybsim.studies.verification.rows import Row, row
from hybsim.wiring import BDSim


def rows() -> list[Row]:
    """Every number."""
    return [*_delays(), *_servo_pd(), *_piston_limits()]


def _delays() -> list[Row]:
    result = []
    for name, a1, a0 in (("TS_1", 3.182e7, 2.382e9), ("TS_2", 6.282e7, 4.930e9)):
        program = measure.behind_a_sine(alone("ACTUATOR", "command", system=name), 0.0005)
        found = 1e3 * measure.low_frequency_delay(program, "rig.position", 2.0)
        quantity = f"delay of {name} at low frequency, ms"
        result.append(row("ACTUATOR", quantity, found, 1e3 * a1 / a0, "a1/a0", 1e-5))
        _, den = as_printed(name)
        for hertz in (5.0, 10.0, 20.0):
            found = 1e3 * measure.delay(measure.response(program, "rig.position", hertz), hertz)
            theory = 1e3 * measure.delay(complex(control.tf([den[-1]], den)(2j * math.pi * hertz)), hertz)
            result.append(row("ACTUATOR", f"delay of {name} at {hertz:g} Hz, ms", found, theory, "phase of H", 1e-5))
    lag, dt = 0.05, 0.02
    for block, tick, theory, source in (
        ("FIRSTORDER", 0.0005, lag, "T"),
        ("FIRSTORDER_S", dt, dt / (1.0 - math.exp(-dt / lag)), "dt / (1 - exp(-dt/T)), dt = 20 ms"),
    ):
        program = measure.behind_a_sine(alone(block, "command", time_constant=lag), tick)
        found = measure.low_frequency_delay(program, "rig.position", 0.2)
        quantity = "delay at low frequency, T = 50 ms, ms"
        result.append(row(block, quantity, 1e3 * found, 1e3 * theory, source, 1e-5))
        if block == "FIRSTORDER":
            corner = measure.cut_off(program, "rig.position", (0.5, 20.0))
            result.append(row(block, "cut-off, Hz", corner, 1.0 / (2.0 * math.pi * lag), "1 / (2 pi T)", 1e-6))
    return result


def _servo_pd() -> list[Row]:
    block, result = "SERVO_PD", []
    loop, change = (float(ServoPd.params[name].default) for name in ("loop_gain", "derivative_time"))
    for kp, kd in ((0.5, 0.25), (1.0, 0.5), (2.0, 3.0)):
        wire = alone(block, "command", proportional_gain=kp, derivative_gain=kd)
        program = measure.behind_a_sine(wire, 0.001, amplitude=0.1)
        gains = f"gains {kp:g}, {kd:g}"
        found = 1e3 * measure.low_frequency_delay(program, "rig.position", 0.1)
        built = 1e3 * low_frequency_delay(kp, loop)
        result.append(row(block, f"delay at low frequency, {gains}, ms", found, built, "1 / (G Kp)", 1e-4))
        corner = measure.cut_off(program, "rig.position", (0.5, 50.0))
        theory = cut_off(kp, kd, loop, change)
        result.append(row(block, f"cut-off, {gains}, Hz", corner, theory, "H falls to 1/sqrt(2)", 1e-5))
    hertz, found_responses = sweep()
    system = control.tf(*small_signal(0.5, 0.25, loop, change))
    line = measure.straight_line_delay(hertz, (complex(system(2j * math.pi * f)) for f in hertz))
    found = measure.straight_line_delay(hertz, found_responses)
    quantity = "delay by a straight line through the phase of a sweep, 0.01 to 2 Hz in 100 s, ms"
    result.append(row(block, quantity, 1e3 * found, 1e3 * line, "the same line through H", 5e-3))
    return result


def sweep() -> tuple[np.ndarray, np.ndarray]:
    """Frequencies and responses by the sine sweep of EERC Sec. 5.5.2: 0.01 to 2 Hz in 100 s, 0.1 in."""

    def command(t: float) -> float:
        return 0.1 * math.sin(2.0 * math.pi * (0.01 * t + 0.00995 * t * t))

    bd = BDSim().blockdiagram(dt=0.002)
    source = bd.FUNCTION(command, name="sweep", inputs=[bd.TIME(name="time")])
    alone("SERVO_PD", "command")(bd, source)
    run = compile(bd).run(duration=100.0)
    sent, got = np.fft.rfft(run["sweep"]), np.fft.rfft(np.asarray(run["rig.position"]).reshape(-1))
    hertz = np.fft.rfftfreq(len(run.t), 0.002)
    inside = (hertz > 0.1) & (hertz < 1.9)  # at the ends of a sweep there is little to divide by
    return hertz[inside], (got / sent)[inside]


def _piston_limits() -> list[Row]:
    """The velocity on the way to a command far away, against a constant force."""
    block, result = "SERVO_PD", []
    v_max, stall = 25.0 * 231.0 / 60.0 * math.sqrt(3000.0 / 1000.0) / 4.22, 3.0 * 4.22
    for share in (0.0, 0.5, -0.5, 1.2):
        bd = BDSim().blockdiagram(dt=0.001)
        bd.SERVO_PD(name="rig", inputs=[bd.CONSTANT(1e3), bd.CONSTANT(share * stall)])
        run = compile(bd).run(duration=0.1)
        position = np.asarray(run["rig.position"]).reshape(-1)
        speed = float(position[-1] - position[0]) / 0.1
        theory = v_max * math.sqrt(max(0.0, 1.0 - share))
        quantity, source = f"velocity against {share:g} F_max, in/s", "v_max sqrt(1 - F/F_max)"
        result.append(row(block, quantity, speed, theory, source))
    return result
