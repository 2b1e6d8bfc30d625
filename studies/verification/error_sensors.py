"""Sensors measured in the compiled engine: SENSORERROR, QUANTISER, HOLD, FIRSTORDERHOLD and LOWPASS."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hybsim.runtime.program import compile
from hybsim.studies.verification.error_rows import around, exact
from hybsim.studies.verification.rows import Bounded
from hybsim.wiring import BDSim

DT, N = 0.001, 50
"""Tick, and ticks of a period of the holds: near to continuous time."""

T = N * DT


def rows() -> list[Bounded]:
    """Every number of the sensors."""
    return [*_sensor_error(), *_quantiser(), *_holds(), *_lowpass()]


def _sensor_error() -> list[Bounded]:
    gain, offset, drift = -0.02, 0.3, 0.07
    bd = BDSim().blockdiagram(dt=DT)
    noise = bd.NORMAL(name="signal", seed=4)
    bd.SENSORERROR(name="sensor", gain_error=gain, offset=offset, drift=drift, inputs=[noise])
    run = compile(bd).run(duration=5.0)
    columns = np.column_stack([run["signal"], np.ones(run.t.size), run.t])
    fitted = np.linalg.lstsq(columns, run["sensor"], rcond=None)[0]
    names, values = ("gain", "offset", "drift"), (1.0 + gain, offset, drift)
    return [
        exact("SENSORERROR", f"{name} fitted to noise", float(got), value, "(1 + gain_error) u + offset + drift t")
        for name, got, value in zip(names, fitted, values, strict=True)
    ]


def _quantiser() -> list[Bounded]:
    from scipy.stats import norm

    bits, limit, deviation, count = 12, 4.0, 1.0, 400_000
    step = 2.0 * limit / 2**bits
    bd = BDSim().blockdiagram(dt=DT)
    noise = bd.NORMAL(name="signal", variance=deviation**2, seed=4)
    bd.QUANTISER(name="adc", bits=bits, range=limit, inputs=[noise])
    program = compile(bd)
    run = program.run(duration=(count - 1) * DT)
    inside = run["adc.saturated"] == 0.0
    error = (run["adc.quantised"] - run["signal"])[inside] / step
    n = error.size
    # A range of one deviation leaves much beyond it, from half a step outside the last codes on.
    narrow = program.run(duration=(count - 1) * DT, params={"adc.range": 1.0})
    beyond = float(norm.sf(1.0 - 0.5 / 2 ** (bits - 1)) + norm.cdf(-1.0 - 0.5 / 2 ** (bits - 1)))
    block, source = "QUANTISER", f"{n} normal numbers, 12 bits"
    return [
        around(block, "variance of the error over step^2", error.var(), 1.0 / 12.0,
               math.sqrt((1.0 / 80.0 - 1.0 / 144.0) / n), source),
        around(block, "mean of the error over step", error.mean(), 0.0, math.sqrt(1.0 / (12.0 * n)), source),
        around(block, "correlation of error and signal", float(np.corrcoef(error, run["signal"][inside])[0, 1]), 0.0,
               1.0 / math.sqrt(n), source),
        Bounded(block, "largest error over step", float(np.abs(error).max()), 0.5, 0.499, 0.5 + 1e-9, "1/2"),
        around(block, "share flagged beyond a range of one deviation", narrow["adc.saturated"].mean(), beyond,
               math.sqrt(beyond * (1.0 - beyond) / count), "normal distribution"),
        exact(block, "highest reading over range", narrow["adc.quantised"].max(), 1.0 - 2.0**-11, "range - step"),
        exact(block, "lowest reading over range", narrow["adc.quantised"].min(), -1.0, "-range"),
    ]  # fmt: skip


def response(factory: str, parameters: dict[str, Any], hertz: float) -> complex:
    """The gain at a whole number of cycles in 10 s, in the steady state."""
    bd = BDSim().blockdiagram(dt=DT)
    wave = bd.SINESWEEP(name="wave", amplitude=1.0, f_start=hertz, f_end=hertz, duration=100.0)
    getattr(bd, factory)(name="sensor", inputs=[wave], **parameters)
    run = compile(bd).run(duration=15.0)
    ticks = round(10.0 / DT)
    over, under = (np.fft.rfft(run[name][-ticks:])[round(10.0 * hertz)] for name in ("sensor", "wave"))
    return complex(over / under)


def _holds() -> list[Bounded]:
    result = []
    for hertz in (0.5, 3.3, 7.7):
        wt = 2.0 * math.pi * hertz * T
        z = np.exp(1j * wt / N)
        in_time = (1.0 - np.exp(-1j * wt)) / (1j * wt)
        # The tick itself is a hold, whose response belongs to continuous time.
        tick = (1.0 - 1.0 / z) / (1j * wt / N)
        zero = response("HOLD", dict(period=T), hertz) * tick
        late = response("FIRSTORDERHOLD", dict(period=T, mode="delayed"), hertz) * tick**2 * z
        ahead = response("FIRSTORDERHOLD", dict(period=T), hertz)
        ages = np.arange(N)
        # Weights of the last sample, 1 + i/N, and of the one before, -i/N, over the ages of both.
        line = np.sum((1.0 + ages / N) * z**-ages - ages / N * z ** -(ages + N)) / N
        sloped = (1.0 + 1j * wt) * in_time**2
        of = f"at {hertz:g} Hz, T = {T:g} s"
        name = "FIRSTORDERHOLD"
        result += [
            exact("HOLD", f"gain {of}", abs(zero), abs(in_time), "H_0 = (1 - exp(-jwT)) / (jwT)"),
            exact("HOLD", f"phase {of}", float(np.angle(zero)), -0.5 * wt, "a delay of T/2"),
            exact(name, f"gain {of}, delayed", abs(late), abs(in_time**2), "H_0^2"),
            exact(name, f"phase {of} less a delay of T", float(np.angle(late * np.exp(1j * wt))), 0.0, "H_0^2"),
            exact(name, f"gain {of}, extrapolated", abs(ahead), abs(line), "line at ticks"),
            exact(
                name, f"phase {of}, extrapolated", float(np.angle(ahead)), float(np.angle(line)), "the line at ticks"
            ),
            # A tick later than continuous time at most.
            exact(name, f"gain {of}, extrapolated", abs(ahead), abs(sloped), "(1 + jwT) H_0^2, of no tick", wt / N),
        ]
    return result


def _lowpass() -> list[Bounded]:
    result = []
    cutoff = 40.0
    warped = math.tan(math.pi * cutoff * DT)
    for order in (1, 2, 4, 8):
        parameters = dict(cutoff=cutoff, order=order)
        of = f"order {order}, {cutoff:g} Hz"
        for hertz in (20.0, 40.0, 80.0):
            # The bilinear transform bends frequencies by tan.
            ratio = math.tan(math.pi * hertz * DT) / warped
            theory = 1.0 / math.sqrt(1.0 + ratio ** (2 * order))
            gain = abs(response("LOWPASS", parameters, hertz))
            result.append(exact("LOWPASS", f"gain at {hertz:g} Hz, {of}", gain, theory, "1/sqrt(1 + (w/w_c)^(2N))"))
        slow = -float(np.angle(response("LOWPASS", parameters, 0.1))) / (2.0 * math.pi * 0.1)
        theory = DT / (2.0 * warped * math.sin(math.pi / (2.0 * order)))
        result.append(exact("LOWPASS", f"delay at 0.1 Hz in s, {of}", slow, theory, "dt / (2 g sin(pi/(2N)))", 1e-4))
    bd = BDSim().blockdiagram(dt=DT)
    bd.LOWPASS(name="settled", cutoff=cutoff, order=8, initial=0.1, inputs=[bd.CONSTANT(0.1, name="one")])
    off = np.abs(compile(bd).run(duration=1.0)["settled"] - 0.1).max()
    return [*result, exact("LOWPASS", "error at a constant, settled", off, 0.0, "a gain of 1", 0.0)]
