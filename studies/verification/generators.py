"""Command generators measured in the compiled engine: durations, steps of the command, exactness, unloading.

Counts and durations are in ticks of 1 ms; a step has 1200 of them, slow begins at 720 and hold at 960 (EERC Sec. 6.4).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np

from hybsim.studies.verification.generator_runs import DT, K_MAX, commanded, delivered, landings
from hybsim.studies.verification.rows import Row

STEPPED, SMOOTH = "EVENTDRIVEN", "EVENTDRIVEN_SMOOTH"
SLOW, HOLD = 0.6 * K_MAX, 0.8 * K_MAX
WIDTH = HOLD - SLOW
SOON = 200
"""A wait that delays nothing."""


def row(block: str, quantity: str, measured: float, theory: float, tolerance: float) -> Row:
    """Error and tolerance are in the unit of the quantity."""
    measured, theory = float(measured), float(theory)
    return Row(block, quantity, measured, theory, abs(measured - theory), tolerance)


def stepped_duration(wait: float) -> float:
    """EERC Sec. 6.3.2 in ticks: 1.2 s, 0.84 s + dt_I/2 or dt_I + 0.24 s."""
    if wait <= SLOW:
        return K_MAX
    return 0.7 * K_MAX + wait / 2 if wait < K_MAX else wait + K_MAX - HOLD


def smooth_duration(wait: float) -> float:
    """From k' = (hold - k) / W without a target and v' = 1/recovery with one, recovery = W."""
    if wait <= SLOW:
        return K_MAX
    e = math.exp(-(wait - SLOW) / WIDTH)
    return wait + K_MAX - HOLD + WIDTH * e + WIDTH / 2 * (1.0 - e) ** 2


DURATIONS: dict[str, Callable[[float], float]] = {STEPPED: stepped_duration, SMOOTH: smooth_duration}

WAITS = [160, 720, 721, 800, 1001, 1199, 1200, 1201, 1260, 5000]
MODES = ("extrapolate", "interpolate", "slow", "hold", "free vibration")


def durations() -> list[Row]:
    """How long a step lasts, by the tick at which its target comes, to one tick."""
    # EERC Fig. 5-12d: 0.16 s at least, 0.286 s in the mean, 1.26 s at most.
    drawn = np.minimum(160 + np.random.default_rng(1).exponential(126.0, 300), 1260).astype(int)
    result = []
    for block, theory in DURATIONS.items():
        run = delivered(block, np.zeros(len(WAITS)), WAITS, seconds=(sum(WAITS) + 2 * K_MAX * len(WAITS)) * DT)
        starts = landings(run)
        for wait, start, lasted in zip(WAITS, starts[:-1], np.diff(starts), strict=True):
            mode = MODES[int(run.mode[start + wait])]
            result.append(row(block, f"target after {wait}, in {mode}", lasted, theory(wait), 1.0))
        run = delivered(block, np.zeros(len(drawn)), drawn, seconds=float(drawn.sum() + 1000 * len(drawn)) * DT)
        off = np.diff(landings(run)) - [theory(wait) for wait in drawn]
        result.append(row(block, f"{len(off)} random delays, largest deviation", np.abs(off).max(), 0.0, 1.0))
        result += timeouts(block)
    return result


def timeouts(block: str) -> list[Row]:
    """The first ticks of hold and of free vibration after the last target reached, if no target comes any more."""
    run = delivered(block, [0.0], [SOON], seconds=9.0, hold_timeout=3.0)
    hold, free = (np.flatnonzero(run.mode == mode)[0] - landings(run)[-1] for mode in (3, 4))
    # The tick after k = hold; or after the growth, (1 - 1/W)^j from the first tick of slow on, has come to 1/100.
    theory = K_MAX + 1.0 if block == STEPPED else SLOW + 2.0 - math.log(100.0) / math.log1p(-1.0 / WIDTH)
    return [
        row(block, "no target, first tick of hold", hold, theory, 1.0),
        row(block, "no target, first tick of free vibration after 3 s of hold", free, theory + 3.0 / DT, 1.0),
    ]


def velocities() -> list[Row]:
    """Velocities on a ramp, over that of an undelayed step, on the two sides of each transition."""
    result = []
    for block in DURATIONS:
        wait = 2400
        run = delivered(block, np.arange(1.0, 9.0), [SOON] * 4 + [wait, SOON], seconds=12.0)
        v = np.diff(run.command) * K_MAX  # v[j] leads to tick j + 1
        start = int(landings(run)[4])
        update, end = start + wait, int(landings(run)[5])
        slow = start + round(SLOW)
        result.append(row(block, "velocity before slow", v[slow - 1], 1.0, 1e-9))
        if block == STEPPED:
            hold = start + K_MAX
            result += [
                row(block, "velocity in slow", v[slow], 0.5, 1e-9),
                row(block, "velocity in slow, at its end", v[hold - 1], 0.5, 1e-9),
                row(block, "velocity in hold", v[hold], 0.0, 1e-9),
                row(block, "velocity after the update", v[update], 1.0, 1e-9),
            ]
        else:
            half = slow + round(WIDTH)
            change = np.diff(v)
            result += [
                row(block, "velocity at the first tick of slow", v[slow], 1.0, 1e-9),
                row(block, "velocity W ticks later", v[half], math.exp(-1.0), 1.0 / WIDTH),
                row(block, "largest change in a tick on slowing down", -change[slow:update].min(), 1 / WIDTH, 1e-9),
                row(block, "largest change in a tick on recovering", change[update - 1 : end].max(), 1 / WIDTH, 4e-3),
            ]
        result += [
            row(block, "velocity at the end of the step", v[end - 1], 1.0, 1.0 / 240),
            row(block, "velocity at the start of the next", v[end], 1.0, 1e-9),
        ]
    return result


def through(k: np.ndarray, u: np.ndarray) -> np.polynomial.Polynomial:
    """The cubic through four ticks of a run that are far apart."""
    four = np.linspace(0, len(k) - 1, 4).round().astype(int)
    return np.polynomial.Polynomial.fit(k[four], u[four], 3)


def update_steps() -> list[Row]:
    """Position and slope at D_update for targets on a sine, from the commands before and after it."""
    targets = np.sin(0.5 * np.arange(1.0, 9.0))
    difference = np.diff(targets[:5], 4)[0]  # of the fifth target
    result = []
    for block, wait, mode in [(STEPPED, 286, "extrapolate"), (STEPPED, 900, "slow"), (STEPPED, 2000, "hold"),
                              (SMOOTH, 286, "extrapolate"), (SMOOTH, 900, "slow"), (SMOOTH, 2000, "hold")]:  # fmt: skip
        run = delivered(block, targets, [SOON] * 4 + [wait], seconds=10.0)
        start, end = landings(run)[4:6]
        at = start + wait
        moving = slice(start + 1, start + min(wait, round(SLOW)))
        before = through(run.counter[moving], run.command[moving])
        after = through(run.counter[at + 1 : end + 1], run.command[at + 1 : end + 1])
        k = run.counter[at]
        t = k / K_MAX
        position = difference * t * (1.0 + t) * (2.0 + t) / 6.0
        slope = difference * (3.0 * t * t + 6.0 * t + 2.0) / 6.0
        turned = K_MAX * (after.deriv()(k) - before.deriv()(k))
        result += [
            row(block, f"update in {mode}: step of position", after(k) - run.command[at], position, 1e-9),
            row(block, f"update in {mode}: step of slope du/dt", turned, slope, 1e-9),
        ]
        following = through(run.counter[end + 1 : end + 100], run.command[end + 1 : end + 100])
        if mode == "hold":
            gap = [following(0.0) - run.command[end], K_MAX * (following.deriv()(0.0) - after.deriv()(K_MAX))]
            result.append(row(block, "target reached: step of position", gap[0], 0.0, 1e-9))
            result.append(row(block, "target reached: step of slope du/dt", gap[1], 0.0, 1e-7))
    n, compute, lead = 40, 12, 3
    for method, order in (("cubic", 4), ("quadratic", 3)):
        command = commanded(targets, n, compute_ticks=compute, lead=lead * DT, method=method)
        at, t = 6 * n + compute, (compute + lead) / n
        measured = command[at] - np.dot([-1.0, 4.0, -6.0, 4.0], command[at - 4 : at])
        factor = t * (1.0 + t) * (2.0 + t) / 6.0 if order == 4 else t * (1.0 + t) / 2.0
        theory = factor * np.diff(targets[6 - order : 7], order)[0]
        result.append(row("COMMANDS", f"{method}: step of position when the target is known", measured, theory, 1e-12))
    return result


def exactness() -> list[Row]:
    """Largest distance from a motion of the polynomial's degree, with a lead, on all paths."""
    motion = np.polynomial.Polynomial([0.2, 0.4, -0.05, 0.003])
    result = []
    for block in DURATIONS:
        waits = [SOON] * 4 + [286, 900, 1500, 1300, 10]
        run = delivered(block, motion(np.arange(1.0, 12.0)), waits, seconds=14.0, lead=0.095, initial_disp=0.2)
        time = run.steps - run.request + (run.counter + 95.0) / K_MAX
        part = slice(int(landings(run)[4]) + 1, int(landings(run)[9]))
        off = np.abs(run.command[part] - motion(time[part])).max()
        result.append(row(block, "cubic motion, largest error on all paths", off, 0.0, 1e-11))
    n, lead = 10, 2.5
    for method, degree in (("cubic", 3), ("quadratic", 2)):
        followed = motion.truncate(degree + 1)
        command = commanded(followed(np.arange(20.0)), n, compute_ticks=4, lead=lead * DT, method=method)
        time = (np.arange(20 * n) + lead) / n - 1.0
        off = np.abs(command - followed(time))[5 * n :].max()
        result.append(row("COMMANDS", f"{method}: {method} motion, largest error", off, 0.0, 1e-11))
    return result


def unloading() -> list[Row]:
    """Free vibration in front of a spring: 1 s of the model's time a cycle, a thousand ticks, damping 5 %."""
    omega, zeta = 2.0 * math.pi, 0.05
    run: SimpleNamespace = delivered(
        STEPPED, [1.0, 2.0], [SOON] * 2, seconds=12.0, stiffness=omega**2, mass=1.0, damping=2.0 * zeta * omega,
        step_time=K_MAX * DT, hold_timeout=0.5,
    )  # fmt: skip
    begin = int(np.flatnonzero(run.mode == 4)[0]) - 1
    result = []
    damped = omega * math.sqrt(1.0 - zeta**2)
    for t in (0.25, 1.0, 5.0):
        swing = math.cos(damped * t) + zeta * omega / damped * math.sin(damped * t)
        theory = math.exp(-zeta * omega * t) * swing
        measured = run.command[begin + round(t / DT)] / run.command[begin]
        result.append(row(STEPPED, f"free vibration: part left after {t:g} s", measured, theory, 2e-5))
    return result
