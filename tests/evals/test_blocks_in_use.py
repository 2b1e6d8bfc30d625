"""Actuators, compensators, errors, sensors, monitors and generators as a test uses them.

Each block is swept, clocked, widened and overdriven; then all of them close the loop of a virtual hybrid test.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from agreement import agreed, alike, assert_same_bits

import hybsim as hs
from hybsim.blocks import CATALOGUE
from hybsim.kernel.parameters import Integer, Real

FAMILIES = {"actuators", "compensators", "errors", "sensors", "monitors", "generators"}
BLOCKS = [name for name, cls in CATALOGUE.items() if FAMILIES & set(cls.__module__.split("."))]
EVERY = pytest.mark.parametrize("name", BLOCKS)

WITHIN = {("VARIABLEDELAY", "delay"): "max_delay", ("PREDICTOR_ADAPTIVE", "horizon"): "max_horizon"}
"""Inputs that must stay from 0 to a parameter."""


def arguments(name, tick, **changed):
    """The example of a block, with times that are whole numbers of its ticks."""
    given = {**CATALOGUE[name].example, **changed}
    return given | {key: 50 * tick for key in ("period", "window") if key in given and key not in changed}


def driven(name, *, dt=0.002, every=1, source=None, **changed):
    """A block on a clock of its own, every input driven, and blocks at the base tick behind every output."""
    bd = hs.BDSim().blockdiagram(dt=dt)
    given = arguments(name, every * dt, **changed)
    clock = {"clock": bd.clock(every * dt)} if every > 1 and CATALOGUE[name].kind == "sampled" else {}
    block = getattr(bd, name)(name="block", **given, **clock)
    for number, port in enumerate(block.ins):
        signal = source(bd, number) if source else sweep(bd, number)
        if (name, port) in WITHIN:
            most = CATALOGUE[name].example[WITHIN[name, port]]
            signal = bd.SUM("++", inputs=[bd.GAIN(most / 4.0, inputs=[sweep(bd, number)]), bd.CONSTANT(most / 2.0)])
        width = block.widths.get(port, 1)
        channels = [bd.GAIN(1.0 + 0.3 * i, inputs=[signal]) for i in range(width)]
        bd.connect(bd.MUX(width, inputs=channels), block[number])
    for number, port in enumerate(block.outs):
        width = block.widths.get(port, 1)
        bd.DELAY(delay=1.5 * dt, width=width, name=f"behind_{port}", inputs=[block[number]])
    return bd


def sweep(bd, number):
    return bd.SINESWEEP(amplitude=1.5, f_start=0.7 + number, f_end=3.0 + number, duration=1.0)


@EVERY
def test_on_a_slower_clock_the_three_engines_agree(name):
    wide = {"width": 2} if "width" in CATALOGUE[name].params else {}
    program = hs.compile(driven(name, every=5, **wide))
    clocked = CATALOGUE[name].kind != "continuous"
    result = agreed(program, 0.4, ("c", "python", "bdsim") if clocked else ("c", "python"))
    if CATALOGUE[name].kind == "sampled":
        for port in CATALOGUE[name].outs:
            held = result[f"block.{port}"]
            assert np.array_equal(held, held[np.arange(len(held)) // 5 * 5]), "held between its own ticks"


@EVERY
def test_a_changed_parameter_gives_the_bits_of_a_new_diagram(name):
    program, changed = hs.compile(driven(name)), 0
    for key, declared in CATALOGUE[name].params.items():
        value = program.parameters[f"block.{key}"]
        fixed = isinstance(declared, Integer) or key.startswith(("min_", "max_"))
        if value is None or not isinstance(declared, Real) or fixed:
            continue
        new = value if key in ("period", "window") else 0.9 * value
        anew = hs.compile(driven(name, **{key: new})).run(0.3)
        batch = program.sweep({f"block.{key}": [value, new]}, duration=0.3)
        assert_same_bits(program.run(0.3, params={f"block.{key}": new}), anew)
        for port in CATALOGUE[name].outs:
            assert batch[f"block.{port}"][1].tobytes() == anew[f"block.{port}"].tobytes()
        changed += 1
    assert changed or not any(type(p) is Real for p in CATALOGUE[name].params.values())


def alternating(size):
    def source(bd, number):
        last = bd.DELAY(delay=bd.dt, initial=-size)
        now = bd.GAIN(-1.0, inputs=[last])
        bd.connect(now, last)
        return now

    return source


SOURCES = {
    "nothing": lambda bd, number: bd.CONSTANT(0.0),
    "a step": lambda bd, number: bd.STEP(T=0.02),
    "tiny": lambda bd, number: bd.GAIN(1e-300, inputs=[sweep(bd, number)]),
    "huge": alternating(1e12),
    "overflowing": alternating(1e308),
}


@EVERY
def test_signals_of_any_size_give_numbers_or_a_reason(name):
    for source in SOURCES.values():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = alike(hs.compile(driven(name, source=source)), 0.2)
        assert "index" not in str(result.stopped) and "division" not in str(result.stopped)
        assert all(np.isfinite(result[signal]).all() for signal in result.names)
        if source is not SOURCES["overflowing"]:
            assert result.stopped is None


RATE = 1024.0
MASS, FREQUENCY, YIELD = 100.0, 1.5, 0.01
STIFFNESS = MASS * (2.0 * math.pi * FREQUENCY) ** 2
DAMPING = 2.0 * 0.03 * math.sqrt(STIFFNESS * MASS)
LATE = 3.182e7 / 2.382e9 + 0.5 / RATE
"""Low-frequency delay of TS_1, a1/a0, and of the hold before it."""

COMPENSATORS = {
    "PREDICTOR": dict(horizon=LATE),
    "PREDICTOR_ADAPTIVE": dict(max_horizon=0.03),
    "INVERSECOMP": dict(delay=LATE),
    "ATS": dict(delay=LATE, threshold=0.2 * YIELD),
    "PHASELEAD": dict(lead=LATE + 0.001, lag=0.001),
    "FEEDFORWARD": dict(system="TS_1", cutoff=150.0),
}


def rig(sub, disp_cmd):
    """The part that a laboratory would replace."""
    actuator = sub.ACTUATOR_S(system="TS_1", name="actuator", inputs=[disp_cmd])
    specimen = sub.BOUCWEN(stiffness=STIFFNESS, yield_disp=YIELD, alpha=0.1, name="specimen", inputs=[actuator])
    cell = sub.LOADCELL(snr=200.0, signal_rms=5000.0, seed=3, name="cell", inputs=[specimen])
    low = sub.LOWPASS(cutoff=200.0, order=2, name="filter", inputs=[cell.force_meas])
    return {"disp_meas": actuator, "force_meas": low}


def virtual_test(compensator):
    """GROUNDMOTION -> NEWMARK -> compensator -> rig -> NEWMARK, watched by every kind of monitor."""
    bd = hs.BDSim().blockdiagram(dt=1.0 / RATE)
    ground = bd.GROUNDMOTION(record="elcentro", scale=0.5 * 9.81, name="ground")
    load = bd.GAIN(-MASS, name="load", inputs=[ground])
    structure = bd.NEWMARK(mass=MASS, damping=DAMPING, name="structure")
    none = bd.CONSTANT(0.0, name="none")
    target = command = structure.disp_target
    if compensator is not None:
        block = getattr(bd, compensator)(name="compensator", **COMPENSATORS[compensator])
        command = block.command if "command" in block.outs else block.predicted
        bd.connect(target, block.signal)
    part = hs.subsystem(bd, rig, inputs=[command])
    disp_meas, force_meas = part[0], part[1]
    if compensator == "ATS":
        bd.connect(disp_meas, block.measured)
    if compensator == "PREDICTOR_ADAPTIVE":
        estimator = bd.DELAYESTIMATOR(max_delay=0.03, initial_delay=LATE, threshold=0.2 * YIELD, name="estimator")
        bd.connect(command, estimator.command)
        bd.connect(disp_meas, estimator.measured)
        bd.connect(estimator.delay, block.horizon)
    balance = bd.ENERGYBALANCE(mass=MASS, damping=DAMPING, name="balance")
    energy = bd.ENERGY(strain_energy=0.5 * STIFFNESS * YIELD**2, name="energy")
    errors = bd.ENERGYERROR(name="errors")
    index = bd.FEI(f_max=5.0, lines=25, name="index")
    indicator = bd.TRACKINGINDICATOR(name="indicator")
    alarm = bd.THRESHOLD(level=0.4, ticks=3, name="alarm")
    bd.connect(load, structure.load, balance.load, energy.load)
    bd.connect(force_meas, structure.force, balance.force_meas, energy.force_meas, errors.force_meas)
    bd.connect(target, balance.disp_target)
    for monitor in (energy, errors, index, indicator):
        bd.connect(target, monitor.disp_cmd)
        bd.connect(disp_meas, monitor.disp_meas)
    bd.connect(structure.vel, balance.vel)
    bd.connect(none, balance.force_num, alarm.rearm)
    bd.connect(energy.hsei_i, alarm.signal)
    return bd


@pytest.mark.parametrize("compensator", [None, *COMPENSATORS])
def test_a_whole_virtual_test_agrees_and_is_plausible(compensator):
    program = hs.compile(virtual_test(compensator))
    agreed(program, 1.0)
    agreed(program, 0.2, ("c", "bdsim"))
    result = program.run(20.0)
    assert result.stopped is None
    assert 2.0 * YIELD < result.peak("structure.disp_target") < 4.0 * YIELD
    np.testing.assert_array_equal(result["rig.force_meas"], result["rig/filter.filtered"])

    # Newmark's explicit method: the residual is -dt^2/8 (a M a - a_0 M a_0), whatever the errors of the rig are.
    accel = result["structure.accel"]
    theory = -(MASS / RATE**2) / 8.0 * (accel[1:] ** 2 - accel[1] ** 2)
    largest = result.peak("balance.e_input")
    np.testing.assert_allclose(result["balance.residual"][1:], theory, rtol=0, atol=1e-12 * largest)
    assert 0.0 < np.abs(theory).max() < 1e-4 * largest

    # All energies of the monitors are made of the same sums.
    np.testing.assert_allclose(result["errors.e_error"], result["energy.e_error"], rtol=0, atol=1e-12 * largest)
    assert result["balance.e_experimental"][1:] == pytest.approx(result["errors.e_experimental"][:-1], abs=1e-9)

    added, late = result.final("errors.e_error") / result.final("energy.e_input"), result.final("index.delay")
    if compensator is None:
        assert late == pytest.approx(LATE, abs=1e-3)
        assert added < -0.3 and result.final("indicator.indicator") > 0.0  # a lag adds energy, and area
        assert result.final("alarm.tripped") == 1.0 and result.final("energy.hsei_i") < -0.4
    elif compensator == "FEEDFORWARD":
        assert late == pytest.approx(4.0 / (2.0 * math.pi * 150.0) + 0.5 / RATE, abs=3e-4)  # n / w_c and the hold
        assert -0.3 < added < 0.0
    else:
        # A lead that is right to the first order of w tau leaves errors of its square.
        left = (2.0 * math.pi * FREQUENCY * LATE) ** 2
        assert abs(late) < left * LATE and abs(added) < left and result.final("alarm.tripped") == 0.0
        assert result.final("index.amplitude") == pytest.approx(1.0, abs=left)


def test_parameters_inside_the_rig_are_swept_without_building_anew():
    program = hs.compile(virtual_test("INVERSECOMP"))
    library = program.engine_c.library
    batch = program.sweep({"rig/cell.snr": [1e12, 50.0], "compensator.delay": [0.0, LATE]}, duration=20.0)
    lag = batch.final("indicator.indicator").reshape(batch.shape)
    assert (lag[:, 0] > 50.0 * np.abs(lag[:, 1])).all()
    noise = batch.peak("rig/cell.error").reshape(batch.shape)
    assert (noise[0] < 1e-6).all() and (noise[1] > 100.0).all()
    assert program.engine_c.library is library
