"""Monitors on paths with known answers, measured in the compiled engine: sines with a known gain and delay.

    u^c = U sin(wt),    u^m = g U sin(w (t - tau)),    N ticks a cycle, h = 2 pi/N

At ticks the ellipse u^c, u^m is a polygon, smaller by sin(h)/h than the ellipse.
"""

from __future__ import annotations

import math

import numpy as np

from hybsim.studies.verification.monitor_paths import watched
from hybsim.studies.verification.rows import Row, row

N, CYCLES, HERTZ = 200, 5, 2.0
DT = 1.0 / (N * HERTZ)
U, GAIN, K = 2.0, 0.9, 10.0
TAU = {"lag": 0.02, "lead": -0.01}
ANGLE = 2.0 * math.pi * np.arange(N * CYCLES + 1) / N
COMMAND = U * np.sin(ANGLE)
POLYGON = math.sin(2.0 * math.pi / N) / (2.0 * math.pi / N)
LONG = 1_000_000
"""Ticks of the runs that look for drift."""


def rows() -> list[Row]:
    """Every number of these monitors."""
    return [*_energy_errors(), *_tracking(), *_frequency_evaluation(), *_root_mean_squares(), *_peaks(), *_threshold()]


def measured(words: str) -> np.ndarray:
    """The displacement of an actuator with a lag or a lead."""
    return GAIN * U * np.sin(ANGLE - 2.0 * math.pi * HERTZ * TAU[words])


def _energy_errors() -> list[Row]:
    result = []
    strain = 0.5 * K
    for words, tau in TAU.items():
        meas = measured(words)
        # r = k u^m: E^E = k TA, E^BE = 0 over closed cycles.
        theory = -K * math.pi * GAIN * U**2 * math.sin(2.0 * math.pi * HERTZ * tau) * POLYGON * CYCLES
        source, after = "-pi k g U^2 sin(w tau) a cycle", f"after {CYCLES} cycles, {words}"
        none = np.zeros(len(COMMAND))
        shown = watched("ENERGY", dict(strain_energy=strain), COMMAND, meas, K * meas, none, dt=DT)
        result += [
            row("ENERGY", f"e_error {after}", shown["e_error"][-1], theory, source),
            row("ENERGY", f"hsei_s {after}", shown["hsei_s"][-1], theory / strain, "e_error / E_strain"),
            row("ENERGY", f"hsei_i {after}", shown["hsei_i"][-1], theory / strain, "e_error / E_strain, no input"),
        ]
        shown = watched("ENERGYERROR", {}, COMMAND, meas, K * meas, dt=DT)
        result += [
            row("ENERGYERROR", f"e_error {after}", shown["e_error"][-1], theory, source),
            row("ENERGYERROR", f"e_experimental {after}", shown["e_experimental"][-1], theory, source),
            row("ENERGYERROR", f"e_best {after}", shown["e_best"][-1], 0.0, "a spring keeps nothing"),
        ]
        shown = watched("ENERGYERROR_STIFFNESS", dict(stiffness=K), COMMAND, meas, dt=DT)
        result.append(row("ENERGYERROR_STIFFNESS", f"e_error {after}", shown["e_error"][-1], theory, source))
        shown = watched("ENERGYERROR_TANGENT", {}, COMMAND, meas, np.full(len(COMMAND), K), dt=DT)
        result.append(row("ENERGYERROR_TANGENT", f"e_error {after}", shown["e_error"][-1], theory, source))
    return [*result, *_yielding()]


def _yielding() -> list[Row]:
    """Both forms for a specimen that yields, the second with its tangent stiffness, over cycles after the first.

    To first order in the phase phi the error U phi cos(wt) works against k while the specimen unloads by 2 u_y."""
    n, cycles, u_y, phi = 4000, 4, 0.6, 0.002
    angle = 2.0 * math.pi * np.arange(n * cycles + 1) / n
    command, meas = U * np.sin(angle), U * np.sin(angle - phi)
    force, tangent = np.zeros(len(meas)), np.full(len(meas), K)
    for i in range(1, len(meas)):
        trial = force[i - 1] + K * (meas[i] - meas[i - 1])
        force[i] = min(max(trial, -K * u_y), K * u_y)
        tangent[i] = K if force[i] == trial else 0.0
    s = 1.0 - 2.0 * u_y / U
    theory = -K * phi * U**2 * (math.pi / 2.0 - math.asin(s) - s * math.sqrt(1.0 - s**2)) * (cycles - 1)
    source = "-k phi U^2 (pi/2 - asin s - s sqrt(1 - s^2)) a cycle, s = 1 - 2 u_y/U"
    result = []
    for name, path in (("ENERGYERROR", force), ("ENERGYERROR_TANGENT", tangent)):
        shown = watched(name, {}, command, meas, path, dt=1e-3)["e_error"]
        result.append(row(name, "e_error of cycles, elastic-plastic", shown[-1] - shown[n], theory, source, 0.01))
    return result


def _tracking() -> list[Row]:
    result = []
    for words, tau in TAU.items():
        shown = watched("TRACKINGINDICATOR", {}, COMMAND, measured(words), dt=DT)
        theory = math.pi * GAIN * U**2 * math.sin(2.0 * math.pi * HERTZ * tau) * POLYGON * CYCLES
        for name, sign in (("indicator", 1.0), ("area", 1.0), ("complement", -1.0)):
            source = "pi g U^2 sin(w tau) a cycle" if sign > 0.0 else "-pi g U^2 sin(w tau) a cycle"
            quantity = f"{name} after {CYCLES} cycles, {words}"
            result.append(row("TRACKINGINDICATOR", quantity, shown[name][-1], sign * theory, source))
    return result


def _frequency_evaluation() -> list[Row]:
    result = []
    duration = N * CYCLES * DT
    parameters = dict(f_max=50 / duration, lines=50, interval=1)
    for words, tau in TAU.items():
        shown = watched("FEI", parameters, COMMAND, measured(words), dt=DT)
        # At the last tick the index holds whole cycles: all ticks but that one.
        for name, theory, source in (("amplitude", GAIN, "g"), ("delay", tau, "tau"), ("frequency", HERTZ, "f")):
            result.append(row("FEI", f"{name}, sine with a {words}", shown[name][-1], theory, source))
    two = 0.5 * np.sin(3.0 * ANGLE)
    late = GAIN * 0.5 * np.sin(3.0 * (ANGLE - 2.0 * math.pi * HERTZ * TAU["lag"]))
    shown = watched("FEI", parameters, COMMAND + two, measured("lag") + late, dt=DT)
    hertz, power = HERTZ * np.array([1.0, 3.0]), np.array([U**2, 0.25])
    index = GAIN * np.sum(power * np.exp(-2j * math.pi * hertz * TAU["lag"])) / power.sum()
    f_eq = float(hertz @ power / power.sum())
    delay = -float(np.angle(index)) / (2.0 * math.pi * f_eq)
    for name, theory in (("amplitude", abs(index)), ("delay", delay), ("frequency", f_eq)):
        result.append(row("FEI", f"{name}, two sines with a lag", shown[name][-1], theory, "weights by power"))
    return result


def _root_mean_squares() -> list[Row]:
    error = 0.05 * np.cos(7.0 * ANGLE)
    whole = slice(-2, -1)  # whole cycles end with the last tick but one
    since_start = watched("RUNNINGRMS", {}, COMMAND, dt=DT)["rms"][whole]
    window = watched("RUNNINGRMS", dict(window=N * DT), COMMAND, dt=DT)["rms"]
    ratio = watched("SNR", {}, COMMAND, error, dt=DT)["snr"][whole]
    none = watched("SNR", {}, COMMAND, 0.0 * COMMAND, dt=DT)["snr"]
    top = U / math.sqrt(2.0)
    result = [
        row("RUNNINGRMS", "since the start, whole cycles", since_start[0], top, "U / sqrt(2)"),
        row("RUNNINGRMS", "window of a cycle, at its worst", top + _worst(window[N - 1 :] - top), top, "U / sqrt(2)"),
        row("SNR", "sine with an error of sine form", ratio[0], U / 0.05, "ratio of the amplitudes"),
        row("SNR", "without an error", float(np.abs(none).max()), 0.0, "0: not defined"),
    ]
    # A peak of 1e6 passes, then noise of 1e-3: what a plain moving sum would lose for good.
    signal = 1e-3 * np.random.default_rng(7).normal(size=LONG)
    signal[1000] = 1e6
    ticks = 500
    shown = watched("RUNNINGRMS", dict(window=ticks * DT), signal, dt=DT)["rms"]
    exact = math.sqrt(math.fsum(signal[-ticks:] ** 2) / ticks)
    result.append(row("RUNNINGRMS", f"window after {LONG:.0e} ticks and a peak", shown[-1], exact, "exact sum"))
    shown = watched("RUNNINGRMS", {}, signal, dt=DT)["rms"]
    exact = math.sqrt(math.fsum(signal**2) / LONG)
    result.append(row("RUNNINGRMS", f"since the start, {LONG:.0e} ticks", shown[-1], exact, "exact sum"))
    return result


def _worst(difference: np.ndarray) -> float:
    return float(difference[np.argmax(np.abs(difference))])


def _peaks() -> list[Row]:
    growing = COMMAND * ANGLE
    shown = watched("PEAKHOLD", {}, growing, dt=DT)
    at = int(np.argmax(np.abs(growing)))
    return [
        row("PEAKHOLD", "largest value", shown["largest"][-1], growing.max(), "the path"),
        row("PEAKHOLD", "smallest value", shown["smallest"][-1], growing.min(), "the path"),
        row("PEAKHOLD", "largest magnitude", shown["peak"][-1], abs(growing[at]), "the path"),
        row("PEAKHOLD", "time of it in s", shown["peak_time"][-1], at * DT, "the path"),
    ]


def _threshold() -> list[Row]:
    # The sine is above U/2 for a third of a cycle; |sine| twice as often.
    rearm = np.zeros(len(COMMAND))
    parameters = dict(level=0.5 * U, ticks=3)
    shown = watched("THRESHOLD", parameters, COMMAND, rearm, dt=DT)
    first = int(np.argmax(np.abs(COMMAND) > 0.5 * U)) + 2
    released = watched("THRESHOLD", parameters | dict(latch=False), COMMAND, rearm, dt=DT)["tripped"]
    return [
        row("THRESHOLD", "time of the trip in s", shown["trip_time"][-1], first * DT, "third tick beyond"),
        row("THRESHOLD", "exceedances", shown["exceedances"][-1], 2.0 * CYCLES, "two a cycle"),
        row("THRESHOLD", "ticks tripped, latched", shown["tripped"].sum(), len(COMMAND) - first, "all from there on"),
        row("THRESHOLD", "share of ticks tripped, released", released.mean(), 2.0 / 3.0 - 4.0 / N,
            "2/3 less two ticks each", 0.01),
    ]  # fmt: skip
