"""Delays and lost samples measured in the compiled engine: DELAY, VARIABLEDELAY, NETWORKDELAY and DROPOUT.

The delay of every packet is seen where packets leave so seldom that none overtakes another: it is the age at the
tick of its arrival. It is compared with scipy's distributions, confined to their limits and rounded up to ticks.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hybsim.runtime.program import compile
from hybsim.studies.verification.error_rows import CHANCE, around, at_most, between, chi2_row, exact, normal_bound
from hybsim.studies.verification.noise_statistics import LAGS, correlations
from hybsim.studies.verification.rows import Bounded
from hybsim.wiring import BDSim

SEEDS, PACKETS = 32, 1000
DT = 0.01
LEAST_EXPECTED = 10.0
"""Packets expected in a class of the chi-squared test; classes with fewer are joined."""


def rows() -> list[Bounded]:
    """Every number of the delays and the dropout."""
    result = [*_fixed(), *_variable()]
    for parameters, theory in _distributions():
        result += _network(parameters, theory)
    return [*result, *_overtaking(), *_dropout(0.1, None), *_dropout(0.1, 3.0), *_dropout(0.5, 4.0)]


def _fixed() -> list[Bounded]:
    hertz, delay = 5.0, 0.0235
    bd = BDSim().blockdiagram(dt=DT)
    wave = bd.SINESWEEP(name="wave", amplitude=1.0, f_start=hertz, f_end=hertz, duration=100.0)
    bd.DELAY(name="late", delay=delay, inputs=[wave])
    run = compile(bd).run(duration=5.0)
    ticks = round(1.0 / DT)
    spectra = [np.fft.rfft(run[name][-ticks:])[round(hertz)] for name in ("late", "wave")]
    gain = complex(spectra[0] / spectra[1])
    z = np.exp(-2j * math.pi * hertz * DT)
    theory = complex(z**2 * (0.65 + 0.35 * z))
    return [
        exact("DELAY", "gain of 2.35 ticks at 5 Hz", abs(gain), abs(theory), "abs(1 - f + f z^-1)"),
        exact("DELAY", "phase of 2.35 ticks at 5 Hz", float(np.angle(gain)), float(np.angle(theory)),
              "z^-n (1 - f + f z^-1)"),
    ]  # fmt: skip


def _variable() -> list[Bounded]:
    """Lines are interpolated exactly, whatever the delay: u = t gives t - delay."""
    bd = BDSim().blockdiagram(dt=DT)
    late = bd.VARIABLEDELAY(name="late", max_delay=1.0)
    sine = bd.SINESWEEP(name="sine", amplitude=0.4, f_start=1.3, f_end=1.3, duration=100.0)
    delay = bd.SUM("++", name="delay", inputs=[sine, bd.CONSTANT(0.5, name="mean")])
    bd.connect(bd.TIME(name="time"), late.signal)
    bd.connect(delay, late.delay)
    run = compile(bd).run(duration=20.0)
    error = np.abs(run["late"] - (run.t - run["delay"]))[100:]
    return [exact("VARIABLEDELAY", "largest error on a line, delay from 0.1 to 0.9 s", error.max(), 0.0,
                  "linear interpolation")]  # fmt: skip


def _distributions() -> list[tuple[dict[str, Any], Any]]:
    """Parameters, with scipy's distribution before it is confined."""
    from scipy import stats

    s = math.sqrt(math.log(1.0 + (0.2333 / 0.1407) ** 2))
    wan = dict(distribution="lognormal", minimum=0.16, mean=0.3007, deviation=0.2333, max_delay=1.26)
    return [
        (dict(distribution="uniform", minimum=0.033, maximum=0.25, max_delay=0.25), stats.uniform(0.033, 0.217)),
        (dict(distribution="exponential", minimum=0.03, mean=0.1, max_delay=0.255), stats.expon(0.03, 0.07)),
        (wan, stats.lognorm(s, loc=0.16, scale=0.1407 * math.exp(-0.5 * s * s))),
        (dict(distribution="normal", minimum=0.02, mean=0.1, deviation=0.06, max_delay=0.25), stats.norm(0.1, 0.06)),
        (dict(distribution="discrete", delays=[0.02, 0.1, 0.25], probabilities=[0.5, 0.3, 0.2], max_delay=0.25),
         stats.rv_discrete(values=([2, 10, 25], [0.5, 0.3, 0.2]))),
    ]  # fmt: skip


def arrivals(parameters: dict[str, Any], theory: Any) -> np.ndarray:
    """P(delay <= n ticks), n = 0, 1, ... up to max_delay."""
    n = np.arange(math.ceil(parameters["max_delay"] / DT - 1e-9) + 1)
    if parameters["distribution"] == "discrete":
        return np.asarray(theory.cdf(n))
    low, high = theory.cdf([parameters["minimum"], parameters["max_delay"]])
    within = (theory.cdf(np.minimum(n * DT, parameters["max_delay"])) - low) / (high - low)
    return np.asarray(np.clip(within, 0.0, 1.0))


def delays_of_packets(parameters: dict[str, Any]) -> np.ndarray:
    """The delay of every packet in ticks, one row a seed."""
    longest = math.ceil(parameters["max_delay"] / DT - 1e-9)
    bd = BDSim().blockdiagram(dt=DT)
    signal = bd.CONSTANT(1.0, name="signal")
    bd.NETWORKDELAY(name="network", interval=longest * DT, inputs=[signal], **parameters)
    sweep = compile(bd).sweep(
        {"network.seed": range(SEEDS)}, duration=PACKETS * longest * DT, keep=["network.age", "network.arrived"]
    )
    came = sweep["network.arrived"] > 0.0
    return np.array([np.rint(age[here] / DT)[:PACKETS] for age, here in zip(sweep["network.age"], came, strict=True)])


def _network(parameters: dict[str, Any], theory: Any) -> list[Bounded]:
    from scipy.stats import kstwobign

    block, kind = "NETWORKDELAY", parameters["distribution"]
    within = arrivals(parameters, theory)
    chances = np.diff(within, prepend=0.0)
    n = np.arange(len(within))
    mean = float(chances @ n)
    spread = math.sqrt(float(chances @ (n - mean) ** 2))
    values = delays_of_packets(parameters)
    drawn = np.bincount(values.astype(int).ravel(), minlength=len(n))
    distance = float(np.abs(np.cumsum(drawn) / values.size - within).max()) * math.sqrt(values.size)
    statistic, degrees = chi_squared(drawn, chances * values.size)
    correlation = float(np.abs(correlations(values).mean(axis=0)).max()) * math.sqrt(values.size)
    # Rounded up to ticks, numbers lie nearer to theory than Kolmogorov's bound says.
    result = [
        around(block, f"mean {kind} delay in s", values.mean() * DT, mean * DT, spread * DT / math.sqrt(values.size),
               f"{values.size} packets, rounded up to ticks"),
        chi2_row(block, f"chi-squared of the {kind} delay", statistic, degrees, f"{degrees} degrees of freedom"),
        at_most(block, f"distance from the {kind} distribution times sqrt(n)", distance, float(kstwobign.isf(CHANCE)),
                "Kolmogorov-Smirnov"),
        at_most(block, f"largest autocorrelation of the {kind} delay, in standard errors", correlation,
                normal_bound(LAGS), f"lags 1 to {LAGS}"),
    ]  # fmt: skip
    if kind == "lognormal":
        share = float((values * DT <= 0.6 + 1e-9).mean())
        error = math.sqrt(0.95 * 0.05 / values.size)
        result.append(around(block, "share of the steps within 0.6 s", share, float(within[60]), error, "F(0.6 s)"))
        # The fit to EERC's figures is good to 1 ms and 0.1 %; rounding up to ticks adds half a tick.
        result.append(
            between(block, "mean less half a tick, in s", values.mean() * DT - 0.5 * DT, 0.286,
                    0.001 + normal_bound(1) * spread * DT / math.sqrt(values.size), "EERC Fig. 5-12d")
        )  # fmt: skip
        result.append(
            between(block, "share of the steps within 0.6 s", share, 0.95, 0.001 + normal_bound(1) * error,
                    "EERC Fig. 5-12d")
        )  # fmt: skip
    return result


def chi_squared(drawn: np.ndarray, expected: np.ndarray) -> tuple[float, int]:
    """Pearson's statistic and its degrees of freedom; small classes are joined with the next."""
    classes: list[list[float]] = [[0.0, 0.0]]
    for seen, due in zip(drawn, expected, strict=True):
        classes[-1][0] += float(seen)
        classes[-1][1] += float(due)
        if classes[-1][1] >= LEAST_EXPECTED:
            classes.append([0.0, 0.0])
    rest = classes.pop()
    classes[-1] = [classes[-1][0] + rest[0], classes[-1][1] + rest[1]]
    return sum((seen - due) ** 2 / due for seen, due in classes), len(classes) - 1


def _overtaking() -> list[Bounded]:
    """A packet at every tick: the age exceeds a ticks if none of the last a packets has arrived."""
    from scipy.stats import t

    parameters, theory = _distributions()[0]
    within = arrivals(parameters, theory)
    mean = float(np.sum(np.cumprod(1.0 - within)))
    bd = BDSim().blockdiagram(dt=DT)
    bd.NETWORKDELAY(name="network", inputs=[bd.TIME(name="time")], **parameters)
    sweep = compile(bd).sweep({"network.seed": range(SEEDS)}, duration=200.0)
    age, sent = sweep["network.age"][:, 100:], sweep["network.received"][:, 100:]
    means = age.mean(axis=1)
    # The age is correlated in time, so its error is taken from the seeds, which are not.
    room = float(t.isf(CHANCE / 2.0, SEEDS - 1)) * means.std(ddof=1) / math.sqrt(SEEDS)
    wrong = float(np.abs(sweep.t[100:] - sent - age).max())
    back = float(max(0.0, -np.diff(sent, axis=1).min()))
    block = "NETWORKDELAY"
    return [
        between(block, "mean age where packets overtake, in s", means.mean(), mean * DT, room,
                "sum of products of 1 - F"),
        exact(block, "time less the received time less its age", wrong, 0.0, "age = (k - s) dt"),
        exact(block, "largest step back in time of what is received", back, 0.0, "overtaken packets are dropped"),
    ]  # fmt: skip


def _dropout(probability: float, burst: float | None) -> list[Bounded]:
    ticks = 10_000
    bd = BDSim().blockdiagram(dt=DT)
    bd.DROPOUT(name="link", probability=probability, burst=burst, inputs=[bd.TIME(name="time")])
    sweep = compile(bd).sweep({"link.seed": range(SEEDS)}, duration=(ticks - 1) * DT, keep=["link.dropped"])
    dropped = sweep["link.dropped"] > 0.0
    length = burst or 1.0 / (1.0 - probability)
    leave, enter = 1.0 / length, probability / ((1.0 - probability) * length)
    memory = 1.0 - leave - enter
    # The variance of a share in a two-state chain.
    error = math.sqrt(probability * (1.0 - probability) / dropped.size * (1.0 + memory) / (1.0 - memory))
    words = f"{probability:g} lost, " + ("independent" if burst is None else f"bursts of {burst:g}")
    result = [
        around("DROPOUT", f"share lost: {words}", dropped.mean(), probability, error, f"{SEEDS} seeds of {ticks}")
    ]
    for name, state, leaving in (("burst", True, leave), ("gap", False, enter)):
        lengths = np.concatenate([whole_stretches(row == state) for row in dropped])
        spread = math.sqrt(1.0 - leaving) / leaving
        counts = np.bincount(lengths)[1:]
        chances = leaving * (1.0 - leaving) ** np.arange(len(counts))
        chances[-1] += (1.0 - leaving) ** len(counts)
        statistic, degrees = chi_squared(counts, chances * lengths.size)
        result += [
            around("DROPOUT", f"mean {name}: {words}", lengths.mean(), 1.0 / leaving, spread / math.sqrt(lengths.size),
                   f"{lengths.size} of them"),
            chi2_row("DROPOUT", f"chi-squared of the {name}s: {words}", statistic, degrees, "geometric"),
        ]  # fmt: skip
    return result


def whole_stretches(flags: np.ndarray) -> np.ndarray:
    """Lengths of the stretches of True that both begin and end within the run."""
    edges = np.flatnonzero(np.diff(flags.astype(int)))
    starts, ends = edges[flags[edges + 1]], edges[~flags[edges + 1]]
    if ends.size and (not starts.size or ends[0] < starts[0]):
        ends = ends[1:]
    return np.asarray(ends - starts[: ends.size])
