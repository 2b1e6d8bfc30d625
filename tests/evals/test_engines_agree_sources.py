"""Sources, delays and predictors in whole diagrams: the C and the Python engine give the same bits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from agreement import agreed

import hybsim as hs
from hybsim.errors import DiagramError, ParameterError

SOURCES = [
    ("GROUNDMOTION", dict(record="elcentro", scale=0.2 * 386.1)),
    ("GROUNDMOTION", dict(record="tabas", time_scale=0.3 / math.sqrt(3.0), interpolation="hold")),
    ("SINESWEEP", dict(f_start=0.5, f_end=10.0, duration=2.0, after="hold")),
    ("SINESWEEP", dict(f_start=10.0, f_end=0.5, duration=2.0, law="logarithmic", phase=1.0)),
    ("COSINEPULSE", dict(amplitude=0.15, duration=0.6, start=0.25)),
    ("NORMAL", dict(mean=0.1, variance=0.01, seed=4)),
    ("NORMAL", dict(width=3, seed=5)),
    ("WHITENOISE", dict(power=0.01, seed=6)),
    ("WHITENOISE", dict(power=0.01, sample_time=0.06, width=2, seed=7)),
]

FOLLOWERS = [
    ("DELAY", dict(delay=0.03)),
    ("DELAY", dict(delay=0.0337, max_delay=0.2, initial=0.5)),
    ("DELAY", dict(delay=0.0037)),
    ("DELAY", dict(delay=0.0)),
    ("PREDICTOR", dict(horizon=0.02, spacing=0.02)),
    ("PREDICTOR", dict(horizon=0.013, order=5, max_spacing=0.05, initial=-0.2)),
    ("PREDICTOR", dict(horizon=0.013, order=0)),
]


@pytest.mark.parametrize(("factory", "parameters"), SOURCES)
@pytest.mark.parametrize("slower", [1, 3])
def test_sources_agree(factory, parameters, slower):
    bd = hs.BDSim().blockdiagram(dt=0.01)
    clock = {} if slower == 1 else {"clock": bd.clock(slower * 0.01)}
    source = getattr(bd, factory)(name="source", **parameters, **clock)
    bd.DELAY(name="sink", delay=0.01, width=parameters.get("width", 1), inputs=[source])
    result = agreed(hs.compile(bd), 10.0)
    (port,) = source.outlabels
    values = result[f"source.{port}"]
    assert len(values) == 1001
    assert np.ptp(values) > 0.0
    held = values[: 1000 // slower * slower].reshape(-1, slower, *values.shape[1:])
    assert (held == held[:, :1]).all()


@pytest.mark.parametrize(("factory", "parameters"), FOLLOWERS)
@pytest.mark.parametrize("width", [1, 3])
def test_delays_and_predictors_agree(factory, parameters, width):
    bd = hs.BDSim().blockdiagram(dt=0.01)
    noise = bd.NORMAL(name="noise", seed=3, width=width)
    getattr(bd, factory)(name="follower", width=width, inputs=[noise], **parameters)
    agreed(hs.compile(bd), 2.0)


def test_parameters_within_the_declared_limits_need_no_new_program():
    bd = hs.BDSim().blockdiagram(dt=0.01)
    quake = bd.GROUNDMOTION(name="quake", record="elcentro", max_duration=60.0)
    lag = bd.DELAY(name="lag", delay=0.02, max_delay=0.1, inputs=[quake])
    bd.PREDICTOR(name="ahead", horizon=0.02, max_spacing=0.1, inputs=[lag])
    program = hs.compile(bd)
    for delay in (0.01, 0.02, 0.055, 0.1):
        changes = {"quake.record": "tabas", "lag.delay": delay, "ahead.horizon": delay, "ahead.spacing": 0.05}
        result = agreed(program, 5.0, **changes)
        t, accel = result.t, result["quake.accel"]
        expected = np.interp(t - delay, t, accel, left=0.0)
        expected[t < delay] = np.interp((t - delay)[t < delay], [-0.01, 0.0], [0.0, accel[0]], left=0.0)
        assert result["lag.delayed"] == pytest.approx(expected, abs=1e-12)


def test_a_predictor_and_a_delay_of_the_same_time_cancel_on_a_slow_signal():
    bd = hs.BDSim().blockdiagram(dt=0.001)
    sine = bd.SINESWEEP(name="sine", f_start=1.0, f_end=1.0, duration=10.0)
    late = bd.DELAY(name="late", delay=0.01, inputs=[sine])
    bd.PREDICTOR(name="ahead", horizon=0.01, spacing=0.01, inputs=[late])
    result = agreed(hs.compile(bd), 3.0)
    error = (result["ahead.predicted"] - result["sine.value"])[50:]
    assert np.abs(error).max() <= abs(1.0 - np.exp(-2j * math.pi * 0.01)) ** 4 * (1.0 + 1e-6)


@pytest.mark.parametrize(("delay", "breaks"), [(0.005, False), (0.01, True), (0.015, True)])
def test_a_delay_of_a_tick_or_more_breaks_a_loop(delay, breaks):
    bd = hs.BDSim().blockdiagram(dt=0.01)
    pulse = bd.COSINEPULSE(name="pulse", amplitude=1.0, duration=0.2)
    total = bd.SUM("++", name="total")
    half = bd.GAIN(0.5, name="half")
    loop = bd.DELAY(name="loop", delay=delay)
    bd.connect(pulse, total[0])
    bd.connect(total, loop)
    bd.connect(loop, half)
    bd.connect(half, total[1])
    if not breaks:
        with pytest.raises(DiagramError, match="loop"):
            hs.compile(bd)
        return
    result = agreed(hs.compile(bd), 1.0)
    u, y = result["pulse.value"], np.zeros(101)
    n, f = divmod(delay / 0.01, 1.0)
    for k in range(101):
        newer, older = (y[k - j] if k >= j else 0.0 for j in (int(n), int(n) + 1))
        y[k] = u[k] + 0.5 * ((1.0 - f) * newer + f * older)
    assert result["total"] == pytest.approx(y, abs=1e-14)


def test_a_run_refuses_what_the_program_was_not_built_for():
    bd = hs.BDSim().blockdiagram(dt=0.01)
    bd.DELAY(name="lag", delay=0.02, inputs=[bd.NORMAL(name="noise")])
    program = hs.compile(bd)
    for delay, words in ((0.005, "min_delay"), (0.05, "declare max_delay="), (-0.1, "must be at least 0")):
        with pytest.raises(ParameterError, match=words):
            program.run(duration=1.0, engine="python", params={"lag.delay": delay})
    with pytest.raises(ParameterError, match=r"longer than the run of 0\.01 s"):
        program.run(duration=0.01, engine="python")
