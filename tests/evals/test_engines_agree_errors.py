"""Error models and sensors in whole diagrams: the same bits in both engines, and runs that stop with a sentence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from agreement import agreed

import hybsim as hs
from hybsim.errors import DiagramError
from hybsim.runtime.program import StoppedWarning

MASS, STIFFNESS = 10.0 / (2 * math.pi) ** 2, 10.0
DAMPING = 2 * 0.05 * math.sqrt(MASS * STIFFNESS)
WAN = dict(distribution="lognormal", minimum=0.016, mean=0.03, deviation=0.02, max_delay=0.126)

FOLLOWERS = [
    ("LOADCELL", dict(snr=7.8, signal_rms=2.0, sample_time=0.09, seed=2)),
    ("SENSORERROR", dict(gain_error=0.01, offset=-0.2, drift=0.3)),
    ("NETWORKDELAY", dict(WAN, max_delay=0.3, seed=4)),
    ("NETWORKDELAY", dict(distribution="uniform", maximum=0.25, max_delay=0.3, interval=0.09, initial=1.5)),
    ("NETWORKDELAY", dict(distribution="discrete", delays=[0.01, 0.2], probabilities=[0.4, 0.6], max_delay=0.2)),
    ("DROPOUT", dict(probability=0.3, seed=6)),
    ("DROPOUT", dict(probability=0.3, burst=4.0, initial=0.7)),
    ("QUANTISER", dict(bits=6, range=1.0)),
    ("QUANTISER", dict(step=0.003)),
    ("HOLD", dict(period=0.09)),
    ("FIRSTORDERHOLD", dict(period=0.09)),
    ("FIRSTORDERHOLD", dict(period=0.09, mode="delayed", initial=-0.3)),
    ("LOWPASS", dict(cutoff=7.0, order=1)),
    ("LOWPASS", dict(cutoff=12.0, order=7, initial=0.2)),
]


@pytest.mark.parametrize(("factory", "parameters"), FOLLOWERS)
@pytest.mark.parametrize(("width", "slower"), [(1, 1), (3, 1), (2, 3)])
def test_every_model_agrees_on_noise(factory, parameters, width, slower):
    bd = hs.BDSim().blockdiagram(dt=0.01)
    noise = bd.NORMAL(name="noise", seed=3, width=width)
    clock = {} if slower == 1 else {"clock": bd.clock(slower * 0.01)}
    getattr(bd, factory)(name="follower", width=width, inputs=[noise], **parameters, **clock)
    result = agreed(hs.compile(bd), 4.0)
    assert any(np.ptp(result[name]) > 0.0 for name in result.names if name.startswith("follower."))


def variable_delay(amplitude=0.2, mean=0.25, **parameters):
    """Noise, delayed by mean + amplitude sin(2 pi t)."""
    bd = hs.BDSim().blockdiagram(dt=0.01)
    signal = bd.NORMAL(name="signal", seed=3, width=2)
    sine = bd.SINESWEEP(name="sine", amplitude=amplitude, f_start=1.0, f_end=1.0, duration=10.0)
    delay = bd.SUM("++", name="delay", inputs=[sine, bd.CONSTANT(mean, name="mean")])
    late = bd.VARIABLEDELAY(name="late", width=2, **({"max_delay": 0.5} | parameters))
    bd.connect(signal, late.signal)
    bd.connect(delay, late.delay)
    return hs.compile(bd)


@pytest.mark.parametrize("least", [0.0, 0.01])
def test_a_variable_delay_agrees_and_is_the_line_through_the_samples(least):
    result = agreed(variable_delay(min_delay=least), 4.0)
    at = result.t - result["delay"]
    for i in range(2):
        padded_t = np.concatenate([[-9.0, -0.01], result.t])
        padded = np.concatenate([[0.0, 0.0], result["signal"][:, i]])
        assert result["late.delayed"][:, i] == pytest.approx(np.interp(at, padded_t, padded), abs=1e-9)


@pytest.mark.parametrize(
    ("parameters", "tick", "words"),
    [
        # 0.25 + 0.3 sin(2 pi t) > 0.5 from t = 0.16 s on, < 0 from t = 0.66 s on.
        (dict(amplitude=0.3), 16, "the delay is beyond max_delay; declare a longer max_delay or limit the signal"),
        (dict(amplitude=0.3, max_delay=2.0), 66, "the delay is below min_delay (0 s unless declared) or not a number"),
    ],
)
def test_a_delay_outside_its_limits_stops_both_engines_at_the_same_tick(parameters, tick, words):
    program = variable_delay(**parameters)
    for engine in ("c", "python"):
        with pytest.warns(StoppedWarning, match=r"in block 'late', the delay is"):
            result = program.run(duration=2.0, engine=engine)
        assert (result.stopped.tick, result.stopped.block) == (tick, "late")
        assert words in result.stopped.reason
        assert result.t.size == tick


def hybrid_test(dt=0.002):
    """A structure with its specimen at the other end of a network, and a real measuring chain."""
    bd = hs.BDSim().blockdiagram(dt=dt)
    pulse = bd.COSINEPULSE(name="pulse", amplitude=4.0, duration=1.0)
    structure = bd.NEWMARK(name="structure", mass=MASS, damping=DAMPING)
    there = bd.NETWORKDELAY(name="there", seed=1, interval=0.01, **WAN)
    line = bd.FIRSTORDERHOLD(name="line", period=0.01, mode="delayed")
    specimen = bd.BOUCWEN(name="specimen", stiffness=STIFFNESS, yield_disp=0.2, alpha=0.1)
    cell = bd.LOADCELL(name="cell", snr=30.0, signal_rms=1.0, sample_time=0.01, seed=2)
    sensor = bd.SENSORERROR(name="sensor", gain_error=0.01, offset=0.01, drift=0.001)
    smooth = bd.LOWPASS(name="smooth", cutoff=60.0, order=4)
    adc = bd.QUANTISER(name="adc", bits=16, range=20.0)
    link = bd.DROPOUT(name="link", probability=0.05, burst=3.0, seed=3)
    command = bd.HOLD(name="command", period=0.004)
    bd.connect(pulse, structure.load)
    bd.connect(structure.disp_target, command)
    for source, target in ((command, there), (there[0], line), (line, specimen), (specimen, cell), (cell[0], sensor),
                           (sensor, smooth), (smooth, adc), (adc[0], link)):  # fmt: skip
        bd.connect(source, target)
    bd.connect(link[0], structure.force)
    return bd


def test_a_hybrid_test_over_a_network_agrees():
    result = agreed(hs.compile(hybrid_test()), 4.0)
    assert result.peak("structure.disp_target") > 0.2
    assert not result["adc.saturated"].any()
    assert 0.0 < result["link.dropped"].mean() < 0.2
    assert result.peak("there.age") <= 0.126 + 2 * 0.01


def test_parameters_of_error_models_need_no_new_program():
    program = hs.compile(hybrid_test())
    changes = {
        "there.distribution": "uniform", "there.mean": None, "there.deviation": None, "there.maximum": 0.05,
        "there.minimum": 0.01, "there.interval": 0.02, "cell.snr": 5.0, "cell.signal_rms": 3.0, "cell.seed": 9,
        "sensor.drift": 0.1, "smooth.order": 7, "smooth.cutoff": 100.0, "adc.bits": 6, "link.probability": 0.5,
        "link.burst": None, "command.period": 0.01, "line.period": 0.02,
    }  # fmt: skip
    agreed(program, 1.0, **changes)


def test_seeds_are_swept_and_each_run_has_its_own_noise():
    program = hs.compile(hybrid_test())
    sweep = program.sweep({"cell.seed": range(8)}, duration=1.0, keep=["cell.error", "there.age"])
    assert len({row.tobytes() for row in sweep["cell.error"]}) == 8
    assert len({row.tobytes() for row in sweep["there.age"]}) == 1
    again = program.run(duration=1.0, params={"cell.seed": 5})
    assert again["cell.error"].tobytes() == sweep["cell.error"][5].tobytes()


@pytest.mark.parametrize(
    ("factory", "parameters", "breaks"),
    [
        ("NETWORKDELAY", WAN, True),
        ("FIRSTORDERHOLD", dict(period=0.05, mode="delayed"), True),
        ("FIRSTORDERHOLD", dict(period=0.05), False),
        ("HOLD", dict(period=0.05), False),
        ("LOWPASS", dict(cutoff=10.0), False),
        ("DROPOUT", dict(probability=0.1), False),
    ],
)
def test_which_models_break_an_algebraic_loop(factory, parameters, breaks):
    bd = hs.BDSim().blockdiagram(dt=0.01)
    total = bd.SUM("++", name="total")
    half = bd.GAIN(0.5, name="half")
    loop = getattr(bd, factory)(name="loop", **parameters)
    bd.connect(bd.NORMAL(name="noise"), total[0])
    bd.connect(total, loop)
    bd.connect(loop[0], half)
    bd.connect(half, total[1])
    if breaks:
        agreed(hs.compile(bd), 1.0)
    else:
        with pytest.raises(DiagramError, match="loop"):
            hs.compile(bd)
