"""Steady sines through a diagram: frequency responses, delays and cut-offs, measured in the compiled engine.

response at f:  position = Re(H) sin(2 pi f t) + Im(H) cos(2 pi f t) + mean    by least squares, transients gone
delay at f:     -arg H / (2 pi f)
delay at low frequency: from f and f/2, whose difference is 3/4 of the term in f^2
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterable

import numpy as np

from hybsim.runtime.program import Program, compile
from hybsim.wiring import BDSim

Wire = Callable[..., None]
"""Puts blocks behind a source into a diagram: (diagram, source)."""

FIT = 2.0  # s: the least length of the fitted part


def behind_a_sine(wire: Wire, dt: float, amplitude: float = 1.0) -> Program:
    """A diagram with a sine of time, which continuous blocks also see between the ticks."""
    bd = BDSim().blockdiagram(dt=dt)
    wire(bd, bd.WAVEFORM("sine", freq=1.0, amplitude=amplitude, name="sine"))
    return compile(bd)


def response(program: Program, signal: str, hertz: float, settle: float = 6.0) -> complex:
    """The signal over the sine at one frequency."""
    length = math.ceil(FIT * hertz) / hertz
    # From rest the transients of a linear system go with the sine's amplitude, whatever that is.
    run = program.run(duration=settle + length, params={"sine.freq": hertz})
    if run.stopped is not None:
        raise ArithmeticError(str(run.stopped))
    late = run.t >= settle
    phase = 2.0 * math.pi * hertz * run.t[late]
    terms = np.column_stack([np.sin(phase), np.cos(phase), np.ones(len(phase))])
    in_phase, ahead, _ = np.linalg.lstsq(terms, np.asarray(run[signal])[late].reshape(-1), rcond=None)[0]
    return complex(in_phase, ahead) / float(program.parameters["sine.amplitude"])


def delay(of: complex, hertz: float) -> float:
    """The delay of a sine in s."""
    return -cmath.phase(of) / (2.0 * math.pi * hertz)


def low_frequency_delay(program: Program, signal: str, hertz: float) -> float:
    """The delay for frequencies far below `hertz`, extrapolated from `hertz` and half of it."""
    at, below = (delay(response(program, signal, f), f) for f in (hertz, 0.5 * hertz))
    return (4.0 * below - at) / 3.0


def cut_off(program: Program, signal: str, between: tuple[float, float]) -> float:
    """The frequency in Hz at which the gain has fallen to 1/sqrt(2), by bisection."""
    low, high = between
    for _ in range(24):
        middle = 0.5 * (low + high)
        if abs(response(program, signal, middle)) > math.sqrt(0.5):
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def straight_line_delay(hertz: Iterable[float], responses: Iterable[complex]) -> float:
    """The slope of a straight line without offset through the phase, in s: how EERC Sec. 5.5.2 found a delay."""
    f = np.array(list(hertz))
    phase = np.unwrap([cmath.phase(h) for h in responses])
    return float(-(phase @ f) / (2.0 * math.pi * (f @ f)))
