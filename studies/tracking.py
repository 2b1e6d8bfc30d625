"""How well an actuator followed its command: delay, amplitude and error of two complete records.

    FEI       = sum O conj(I) / sum |I|^2,    f_eq = sum f |I|^2 / sum |I|^2        I, O: Fourier transforms
    amplitude = |FEI|,    delay = -arg(FEI) / (2 pi f_eq)
    delay by correlation: the shift n dt with the largest sum_k u^c_k u^m_{k+n}
    nrms = rms(u^m - u^c) / rms(u^c),    peak error = max |u^m - u^c| / max |u^c|

u^c command, u^m measured, sampled every dt; a delay above 0 is a lag. During a test, the monitors FEI and
TRACKINGINDICATOR show the same.

Guo et al. (2014) for the frequency evaluation index.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hybsim.errors import ParameterError


class FrequencyEvaluation(NamedTuple):
    """Measured over command amplitude, delay in s, and the frequency in Hz they belong to."""

    amplitude: float
    delay: float
    frequency: float


def frequency_evaluation_index(
    command: Any, measured: Any, dt: float, *, f_max: float | None = None
) -> FrequencyEvaluation:
    """Amplitude and delay by the frequency evaluation index, from the frequencies above 0 up to `f_max`.

    >>> t = np.arange(1000) * 0.01
    >>> index = frequency_evaluation_index(np.sin(6.0 * t), 0.9 * np.sin(6.0 * (t - 0.02)), 0.01)
    >>> round(index.amplitude, 2), round(index.delay, 3)
    (0.9, 0.02)
    """
    command, measured = _records(command, measured)
    frequencies = np.fft.rfftfreq(len(command), dt)
    used = (frequencies > 0.0) & (frequencies <= (math.inf if f_max is None else f_max))
    i, o, f = np.fft.rfft(command)[used], np.fft.rfft(measured)[used], frequencies[used]
    power = np.abs(i) ** 2
    if not power.sum() > 0.0:
        raise ParameterError(
            "The command has no motion at the frequencies of the index; give a record that moves, or a higher f_max."
        )
    fei = np.sum(o * np.conj(i)) / power.sum()
    frequency = float(np.sum(f * power) / power.sum())
    return FrequencyEvaluation(float(abs(fei)), float(-np.angle(fei) / (2.0 * math.pi * frequency)), frequency)


def delay_by_correlation(
    command: Any, measured: Any, dt: float, *, max_delay: float | None = None, between_ticks: bool = True
) -> float:
    """The shift in s at which the measured record resembles the command most, within +/- `max_delay`.

    Between the ticks the top of the parabola through the best shift and its neighbours is taken; without, the delay is
    a whole number of ticks, as in the 2020 benchmark problem for real-time hybrid simulation.

    >>> t = np.arange(1000) * 0.01
    >>> round(delay_by_correlation(np.sin(6.0 * t), np.sin(6.0 * (t - 0.03)), 0.01), 3)
    0.03
    """
    from scipy.signal import correlate

    command, measured = _records(command, measured)
    if not command.any():
        raise ParameterError("The command has no motion; give a record that moves.")
    middle = len(command) - 1
    reach = middle if max_delay is None else min(middle, math.floor(max_delay / dt + 1e-9))
    alike = correlate(measured, command)[middle - reach : middle + reach + 1]
    best = int(np.argmax(alike))
    shift = float(best - reach)
    if between_ticks and 0 < best < len(alike) - 1:
        before, top, after = alike[best - 1 : best + 2]
        shift += 0.5 * (before - after) / (before - 2.0 * top + after)
    return float(shift * dt)


def nrms(command: Any, measured: Any, *, about_mean: bool = False) -> float:
    """RMS of the error over that of the command; about their means as in the 2020 benchmark problem, if asked.

    >>> nrms([4.0, -4.0], [5.0, -5.0])
    0.25
    """
    command, measured = _records(command, measured)
    error = measured - command
    if about_mean:
        command, error = command - command.mean(), error - error.mean()
    return _ratio(_rms(error), _rms(command))


def peak_error(command: Any, measured: Any) -> float:
    """The largest error over the largest command, in magnitude.

    >>> peak_error([0.0, 2.0, -4.0], [0.0, 2.5, -5.0])
    0.25
    """
    command, measured = _records(command, measured)
    return _ratio(float(np.abs(measured - command).max()), float(np.abs(command).max()))


def _records(command: Any, measured: Any) -> tuple[np.ndarray, np.ndarray]:
    records = np.asarray(command, dtype=float), np.asarray(measured, dtype=float)
    shapes = [record.shape for record in records]
    if shapes[0] != shapes[1] or len(shapes[0]) != 1 or shapes[0][0] < 2:
        raise ParameterError(
            f"Command and measured must be records of one channel and the same length of 2 or more, got shapes"
            f" {shapes[0]} and {shapes[1]}; cut them to the same ticks."
        )
    if not all(np.isfinite(record).all() for record in records):
        raise ParameterError("Command and measured must hold finite numbers only; leave out the ticks without.")
    return records


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _ratio(error: float, command: float) -> float:
    if not command > 0.0:
        raise ParameterError("The command has no motion to compare the error with; give a record that moves.")
    return error / command
