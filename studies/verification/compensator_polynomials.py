"""Compensators on polynomials in time: exact up to their order, and off by what theory says at the next power.

A polynomial of order n through samples s apart misses t^(n+1) at the horizon h by prod_{i=0..n} (h + i s).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hybsim.runtime.program import compile
from hybsim.studies.verification.compensator_sweeps import DT, position
from hybsim.studies.verification.compensator_theory import TS_1
from hybsim.studies.verification.rows import Row, row
from hybsim.wiring import BDSim

HORIZON = 0.0123
"""Seconds: 12.3 ticks, so that it lies between two of them."""

UNIT = 0.05
"""Seconds in which the powers of time are counted, so that a few ticks count."""

TICKS = 38
"""Powers of time stay below 1 in them, and the longest history is filled."""


def rows() -> list[Row]:
    """Every compensator that has an order, and the lead of straight lines of those that have none."""
    found = []
    for order in range(6):
        found += _of_order("PREDICTOR", order, dict(horizon=HORIZON, order=order))
    found += _of_order("PREDICTOR", 3, dict(horizon=HORIZON, order=3, spacing=12 * DT), 12)
    for order in range(4):
        found += _of_order("PREDICTOR_ADAPTIVE", order, dict(max_horizon=HORIZON, order=order))
    found += _of_order("INVERSECOMP", 1, dict(delay=HORIZON))
    found += _of_order("ATS", 2, dict(delay=HORIZON, threshold=1e9))
    return found + _straight_lines()


def _of_order(factory: str, order: int, parameters: Mapping[str, Any], stride: int = 1) -> list[Row]:
    name = factory if stride == 1 else f"{factory}, spacing {stride} ticks"
    exact = _missed(factory, parameters, order, order * stride)
    beyond = _missed(factory, parameters, order + 1, order * stride)
    theory = math.prod((HORIZON + i * stride * DT) / UNIT for i in range(order + 1))
    return [
        row(name, f"largest error on t^{order}", float(np.abs(exact).max()), 0.0, "exact", 1e-10),
        row(name, f"error on t^{order + 1}", float(beyond[-1]), theory, "prod (h + i s)", 1e-6),
    ]


def _missed(factory: str, parameters: Mapping[str, Any], power: int, started: int) -> np.ndarray:
    """The polynomial ahead less the command, once all samples are the polynomial's."""
    t = DT * np.arange(TICKS)
    command = _commands(factory, parameters, (t / UNIT) ** power)
    missed: np.ndarray = ((t + HORIZON) / UNIT) ** power - command
    return missed[started:]


def _straight_lines() -> list[Row]:
    t = DT * np.arange(501)
    found = []
    for name, factory, parameters, theory, source in (
        ("PHASELEAD", "PHASELEAD", dict(lead=0.014, lag=0.002), 0.012, "lead - lag"),
        ("FEEDFORWARD, repeated", "FEEDFORWARD", dict(system="TS_1", cutoff=100.0),
         TS_1[1][-2] / TS_1[1][-1] - 4.0 / (200.0 * math.pi), "a_1/a_0 - n/w_c"),
        ("FEEDFORWARD, butterworth", "FEEDFORWARD", dict(system="TS_1", cutoff=100.0, filter="butterworth"),
         TS_1[1][-2] / TS_1[1][-1] - 1.0 / (200.0 * math.pi * math.sin(math.pi / 8.0)),
         "a_1/a_0 - 1/(w_c sin(pi/2n))"),
    ):  # fmt: skip
        lead = float(_commands(factory, parameters, t)[-1] - t[-1])
        found.append(row(name, "lead of a straight line in s", lead, theory, source, 1e-8))
    return found


def _commands(factory: str, parameters: Mapping[str, Any], signal: np.ndarray) -> np.ndarray:
    bd = BDSim().blockdiagram(dt=DT)
    block = getattr(bd, factory)(name="block", **parameters)
    bd.connect(bd.GROUNDMOTION(name="signal", record=signal, record_dt=DT), block[0])
    if factory == "PREDICTOR_ADAPTIVE":
        bd.connect(bd.CONSTANT(HORIZON, name="horizon"), block.horizon)
    if factory == "ATS":
        bd.connect(bd.CONSTANT(0.0, name="measured"), block.measured)
    return position(compile(bd).run(duration=(len(signal) - 1) * DT), "block")
