"""Adaptive time series compensator: displacement, velocity and acceleration, with coefficients learnt on the way.

    command_k = a_0 x_k + a_1 x_k' + a_2 x_k''

x is the signal. The coefficients are those with which the measured displacement m would have given the commands of
the last `window` seconds, in the sense of least squares:

    sum (command_j - a_0 m_j - a_1 m_j' - a_2 m_j'')^2  ->  least,     lower <= a <= upper

They start from a = (1, delay, delay^2/2), the Taylor series of a lead of `delay`. Learnt at tick k, they act from tick
k + 1 on: what is measured does not pass through within the tick.

Derivatives of signal and measured displacement are the same backward differences,

    x_k' = (3 x_k - 4 x_{k-1} + x_{k-2}) / (2 dt),      x_k'' = (x_k - 2 x_{k-1} + x_{k-2}) / dt^2.

x' is late by nothing (its error is -dt^2/3 x'''), x'' by one tick; both are exact for a parabola, so that with a held
the block is PREDICTOR of order 2 between neighbouring ticks. With `cutoff`, x', x'', m' and m'' (not x and m) are
those of the signals behind a Butterworth filter of order 2 (Tustin) and late by its delay sqrt(2)/(2 pi cutoff) more.
As signal and measurement pass the same differences, that delay is learnt with the rest: in a steady sine the residual
delay is zero and the amplitude one, wherever the bounds allow it.

Noise in m draws a_1 and a_2 towards zero (regressors with errors), and a kink in the signal is a spike of x'' that
rules the window: give a cutoff of some times the frequency of interest, unless signal and measurement are smooth.

How a moves. In each tick every coefficient in turn is set to its best value with the others as they are, within its
bounds, PASSES times (Gauss-Seidel); this tends to the bounded least squares. What the window does not determine stays
as it is: with the normal equations scaled to a unit diagonal, a combination of coefficients with an eigenvalue e moves
by about PASSES e of its way in a tick. A single sine, for which m'' = -w^2 m, leaves one combination with e = 0. All of
a stays until the window is filled for the first time, and while sqrt(2) times the standard deviation of m in the
window, the amplitude of a sine, is not above `threshold`. Give one: a specimen at rest, displaced or not, teaches
nothing but noise, and the end of a motion that leaves the window teaches what is not so. `rate` limits the speed of
each coefficient, in widths of its range upper - lower per second.

The normal equations are moving sums, renewed every `window` seconds: their rounding errors do not add up.

Y. Chae, K. Kazemibidokhti, J. M. Ricles, Adaptive time series compensator for delay compensation of servo-hydraulic
actuator systems for real-time hybrid simulation, Earthquake Engineering and Structural Dynamics 42(11), 2013,
1697-1715, which also gives the bounds.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from hybsim.blocks.compensators.derivatives import butterworth, differentiate, remember, resting
from hybsim.blocks.compensators.learning_window import ROUNDING, learning_ticks, window_parameters
from hybsim.blocks.moving_sums import renew, slide
from hybsim.blocks.moving_window import settled_window
from hybsim.errors import ParameterError
from hybsim.kernel import Params, Ports, Positive, Prepared, Real, Sampled, Vector, kernel, zeros

PASSES = 4
"""Over the three coefficients, in each tick."""


class AdaptiveTimeSeries(Sampled):
    """Adaptive time series compensator (Chae, Kazemibidokhti and Ricles)."""

    ins = Ports(signal="displacement the actuator shall have", measured="displacement it has")
    outs = Ports(
        command="command that makes up for delay and amplitude",
        a0="coefficient of the displacement",
        a1="coefficient of the velocity, in s: about the delay",
        a2="coefficient of the acceleration, in s^2",
    )
    params = Params(
        delay=Real("delay of the actuator to start from, in s", at_least=0.0),
        **window_parameters(),
        threshold=Real("amplitude of the measured motion up to which nothing is learnt", 0.0, at_least=0.0),
        cutoff=Positive("cutoff of the filter of the derivatives in Hz; None for no filter", None, optional=True),
        lower=Vector("least a0, a1, a2", (0.7, 0.0, 0.0)),
        upper=Vector("largest a0, a1, a2", (1.3, 0.08, 0.0032)),
        rate=Positive("largest speed of a coefficient in ranges per second; None for no limit", None, optional=True),
        initial=Real("signal and measured displacement before the first sample", 0.0),
    )
    example = dict(delay=0.02, window=0.5)

    @classmethod
    def settle(cls, q: SimpleNamespace, dt: float) -> dict[str, float]:
        return settled_window(q)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        window, longest = learning_ticks(q, dt, "three coefficients")
        start = checked_start(q)
        smooth = butterworth(q.cutoff, dt)
        change = (q.upper - q.lower) * (math.inf if q.rate is None else q.rate * dt)
        return Prepared(
            p=dict(
                dt=dt, window=window, least_motion=0.5 * window * q.threshold * q.threshold,
                smooth=smooth, lower=q.lower, upper=q.upper, change=change,
            ),
            x=dict(
                a=start, past=np.zeros(4 * longest), head=0.0, filled=0.0,
                sums=np.zeros(10), fresh=np.zeros(10), largest=np.zeros(3), signal=resting(q.initial, smooth),
                measured=resting(q.initial, smooth),
            ),
        )  # fmt: skip

    @kernel
    def outputs(u, x, p, y):
        d = zeros(3)
        differentiate(u.signal, x.signal, p.smooth, p.dt, d)
        y.command = x.a[0] * d[0] + x.a[1] * d[1] + x.a[2] * d[2]
        y.a0 = x.a[0]
        y.a1 = x.a[1]
        y.a2 = x.a[2]

    @kernel
    def update(u, x, p):
        d = zeros(3)
        differentiate(u.signal, x.signal, p.smooth, p.dt, d)
        command = x.a[0] * d[0] + x.a[1] * d[1] + x.a[2] * d[2]
        remember(u.signal, x.signal, p.smooth)
        differentiate(u.measured, x.measured, p.smooth, p.dt, d)
        remember(u.measured, x.measured, p.smooth)
        head = int(x.head)
        take(x.sums, x.fresh, x.past, head, command, d)
        x.head = 0.0 if head + 1 == p.window else x.head + 1.0
        if x.head == 0.0:
            renew(x.sums, x.fresh)
            x.filled = 1.0
        for i in range(3):
            x.largest[i] = max(0.0 if x.head == 0.0 else x.largest[i], x.sums[place(i, i)])
        motion = x.sums[0] - x.sums[9] * x.sums[9] / p.window
        if x.filled > 0.0 and motion > max(p.least_motion, ROUNDING * x.largest[0]):
            learn(x.a, x.sums, x.largest, p.change, p.lower, p.upper)


@kernel
def take(sums, fresh, past, head, command, d):
    """Put command and measurement into the ring and the sums: Gram matrix by rows, right side, displacement."""
    for i in range(3):
        for j in range(i, 3):
            slide(sums, fresh, place(i, j), d[i] * d[j], past[4 * head + i] * past[4 * head + j])
    for i in range(3):
        slide(sums, fresh, 6 + i, d[i] * command, past[4 * head + i] * past[4 * head + 3])
    slide(sums, fresh, 9, d[0], past[4 * head])
    for i in range(3):
        past[4 * head + i] = d[i]
    past[4 * head + 3] = command


@kernel
def learn(a, sums, largest, change, lower, upper):
    """Towards the bounded least squares: each coefficient in turn, the others as they are."""
    least = zeros(3)
    most = zeros(3)
    for i in range(3):
        least[i] = max(lower[i], a[i] - change[i])
        most[i] = min(upper[i], a[i] + change[i])
    for _ in range(PASSES):
        for i in range(3):
            misfit = sums[6 + i]
            for j in range(3):
                misfit = misfit - sums[place(i, j)] * a[j]
            if sums[place(i, i)] > ROUNDING * largest[i]:
                a[i] = min(max(a[i] + misfit / sums[place(i, i)], least[i]), most[i])


@kernel
def place(i, j):
    """Where the upper triangle of the Gram matrix, by rows, has its element i, j."""
    row = min(i, j)
    column = max(i, j)
    return 3 * row + column - row * (row + 1) // 2


def checked_start(q: SimpleNamespace) -> np.ndarray:
    """The coefficients at the start; they and the bounds must fit each other."""
    for name in ("lower", "upper"):
        if len(getattr(q, name)) != 3:
            raise ParameterError(f"{name} must hold three numbers, for a0, a1 and a2, got {len(getattr(q, name))}.")
    start = np.array([1.0, q.delay, 0.5 * q.delay * q.delay])
    for i in range(3):
        if not q.lower[i] < q.upper[i]:
            raise ParameterError(f"a{i} has a lower bound of {q.lower[i]:g}, which is not below {q.upper[i]:g}.")
        if not q.lower[i] <= start[i] <= q.upper[i]:
            raise ParameterError(
                f"The delay of {q.delay:g} s starts a{i} at {start[i]:g}, which is not within its bounds"
                f" [{q.lower[i]:g}, {q.upper[i]:g}]; shorten the delay or widen the bounds."
            )
    return start
