"""Delay and amplitude of an actuator, estimated on the way from its command and its measured displacement.

    m_j = A c(t_j - tau) + b,     c(t_j - (l + f) dt) = (1 - f) c_{j-l} + f c_{j-l-1},   0 <= f <= 1

c command, m measured. tau, A > 0 and the offset b are those with the least sum of squared errors over the last
`window` seconds, 0 <= tau <= max_delay. Between two whole lags the model is linear in p = A (1 - f) and q = A f, so no
iteration is needed: the lag l that explains most of m is searched among all whole ones, and p and q are solved for in
the two intervals beside it; all sums are moving sums, renewed every `window` seconds, with one more term in each tick.

The result is exact for a delay with linear interpolation (DELAY). For other delays of a signal of frequency w it is
within (w dt)^2/60 ticks, and the amplitude within (w dt)^2/8; it is unbiased under noise in m. An actuator that is no
pure delay gets the delay and amplitude that fit best in the window: in a steady sine its phase over w and its gain. A
delay beyond half a period of the signal cannot be told from a lead: keep max_delay below that.

Delay and amplitude stay as they are (at first initial_delay and 1)
- until window + max_delay have passed since the start;
- while sqrt(2) times the standard deviation of c in the window, the amplitude of a sine, is not above `threshold`;
- where c and m are nowhere positively correlated.

The estimate of tick k appears at tick k + 1, so that commands may depend on it. To drive a compensator with it, take
the delay between the compensated command and the measurement as the horizon of PREDICTOR_ADAPTIVE::

    bd.connect(predictor, actuator, estimator.command)
    bd.connect(actuator, estimator.measured)
    bd.connect(estimator.delay, predictor.horizon)

For estimates that drive a compensator see M. Ahmadizadeh, G. Mosqueda, A. M. Reinhorn, Compensation of actuator delay
and dynamics for real-time hybrid structural simulation, Earthquake Engineering and Structural Dynamics 37(1), 2008,
21-42.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.compensators.learning_window import ROUNDING, learning_ticks, window_parameters
from hybsim.blocks.errors.time_delay import behind
from hybsim.blocks.moving_sums import renew, slide
from hybsim.blocks.moving_window import settled_window
from hybsim.blocks.ticks import stored_ticks
from hybsim.errors import ParameterError
from hybsim.kernel import Params, Ports, Positive, Prepared, Real, Sampled, kernel

LEAST_DETERMINANT = 1e-10
"""Relative to the product of both variances: neighbouring lags that are alike say nothing between the ticks."""


class DelayEstimator(Sampled):
    """Delay and amplitude between command and measurement, by least squares over a moving window."""

    ins = Ports(command="command to the actuator", measured="displacement it has")
    outs = Ports(delay="delay of the actuator in s", amplitude="measured over commanded amplitude")
    params = Params(
        max_delay=Positive("longest delay in s; below half a period of the signal"),
        initial_delay=Real("delay until there is an estimate, in s", 0.0, at_least=0.0),
        **window_parameters(),
        threshold=Real("amplitude of the command up to which the estimate stays as it is", 0.0, at_least=0.0),
    )
    example = dict(max_delay=0.05, initial_delay=0.02, window=0.5)

    @classmethod
    def settle(cls, q: SimpleNamespace, dt: float) -> dict[str, float]:
        return settled_window(q)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        window, longest = learning_ticks(q, dt, "delay, amplitude and offset")
        if q.initial_delay > q.max_delay:
            raise ParameterError(
                f"initial_delay={q.initial_delay:g} s is longer than max_delay={q.max_delay:g} s;"
                " declare max_delay= for the longest delay."
            )
        lags = stored_ticks("max_delay", q.max_delay, dt) + 1
        length = longest + lags + 1
        return Prepared(
            p=dict(
                dt=dt, window=window, max_delay=q.max_delay, least_variance=0.5 * window * q.threshold * q.threshold
            ),
            x=dict(
                delay=q.initial_delay, amplitude=1.0, head=0.0, turn=0.0, count=0.0, largest=0.0,
                commands=np.zeros(length), measurements=np.zeros(length),
                sums=np.zeros(4 * lags + 1), fresh=np.zeros(4 * lags + 1),
            ),
            structure=dict(lags=lags, length=length),
        )  # fmt: skip

    @kernel
    def outputs(u, x, p, y):
        y.delay = x.delay
        y.amplitude = x.amplitude

    @kernel
    def update(u, x, p):
        head = int(x.head)
        x.commands[head] = u.command
        x.measurements[head] = u.measured
        take(x.sums, x.fresh, x.commands, x.measurements, head, p.window, p.lags)
        x.head = 0.0 if head + 1 == p.length else x.head + 1.0
        x.turn = 0.0 if x.turn + 1.0 == p.window else x.turn + 1.0
        if x.turn == 0.0:
            renew(x.sums, x.fresh)
        x.largest = max(0.0 if x.turn == 0.0 else x.largest, x.sums[1])
        x.count = min(x.count + 1.0, float(p.window + p.lags))
        moved = variance(x.sums, 0, float(p.window), ROUNDING * x.largest)
        if x.count == p.window + p.lags and moved > p.least_variance:
            delay, amplitude = estimate(x.sums, p.lags, float(p.window), ROUNDING * x.largest)
            if amplitude > 0.0:
                x.delay = min(delay * p.dt, p.max_delay)
                x.amplitude = amplitude


@kernel
def take(sums, fresh, commands, measurements, head, window, lags):
    """Move the sums on by one tick: c_{j-l}, its square, c_{j-l} c_{j-l-1} and m_j c_{j-l} for each lag l; then m_j."""
    gone = behind(head, window, len(commands))
    slide(sums, fresh, 4 * lags, measurements[head], measurements[gone])
    new = head
    old = gone
    for lag in range(lags):
        new_before = behind(new, 1, len(commands))
        old_before = behind(old, 1, len(commands))
        slide(sums, fresh, 4 * lag, commands[new], commands[old])
        slide(sums, fresh, 4 * lag + 1, commands[new] * commands[new], commands[old] * commands[old])
        slide(sums, fresh, 4 * lag + 2, commands[new] * commands[new_before], commands[old] * commands[old_before])
        slide(sums, fresh, 4 * lag + 3, commands[new] * measurements[head], commands[old] * measurements[gone])
        new = new_before
        old = old_before


@kernel
def variance(sums, lag, n, least):
    """n times the variance of the command at a lag; 0 where it is rounding."""
    value = sums[4 * lag + 1] - sums[4 * lag] * sums[4 * lag] / n
    return value if value > least else 0.0


@kernel
def covariance(sums, lag, lags, n):
    """n times the covariance of measurement and command at a lag."""
    return sums[4 * lag + 3] - sums[4 * lag] * sums[4 * lags] / n


@kernel
def estimate(sums, lags, n, least):
    """(delay in ticks, amplitude) of the best fit, without lags of a variance up to `least`; amplitude 0 if none is."""
    best = 0
    explained = 0.0
    amplitude = 0.0
    for lag in range(lags):
        v = variance(sums, lag, n, least)
        c = covariance(sums, lag, lags, n)
        if v > 0.0 and c > 0.0 and c * c > explained * v:
            best = lag
            explained = c * c / v
            amplitude = c / v
    delay = float(best)
    for lag in range(max(best - 1, 0), min(best + 1, lags - 1)):
        v0 = variance(sums, lag, n, least)
        v1 = variance(sums, lag + 1, n, least)
        c0 = covariance(sums, lag, lags, n)
        c1 = covariance(sums, lag + 1, lags, n)
        cross = sums[4 * lag + 2] - sums[4 * lag] * sums[4 * (lag + 1)] / n
        determinant = v0 * v1 - cross * cross
        if determinant > LEAST_DETERMINANT * v0 * v1:
            p = (c0 * v1 - c1 * cross) / determinant
            q = (c1 * v0 - c0 * cross) / determinant
            if p > 0.0 and q > 0.0 and p * c0 + q * c1 > explained:
                explained = p * c0 + q * c1
                delay = lag + q / (p + q)
                amplitude = p + q
    return delay, amplitude
