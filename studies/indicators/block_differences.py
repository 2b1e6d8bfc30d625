"""The slopes of a block's kernels at rest, by differences, and what has none.

    f(v) = (outputs, next states),    v = (states, inputs)
    J_j = [f(v + h e_j) - f(v - h e_j)] / (2 h)

A slope is one only if the differences to both sides agree, and those of h and of h/16; it must be one only for states
that are moved by something and that something depends on, not for the largest motion so far, or a flag. Input j has a
dead zone if f does not change for h and does for large motions. The block is linear if f(v + r) - f(v) = J r for random
r of several sizes.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np

from hybsim.errors import DiagramError
from hybsim.kernel.ieee import KernelFault
from hybsim.kernel.spec import blank, fresh
from hybsim.runtime.graph import Node

STEP = 2.0**-26
"""By how much a signal is moved: no yield displacement is as small, and as a power of two it costs no digit."""

KINK = 1e-4
"""Difference of two slopes, over the larger of them, from which on there is none."""

LINEAR = 1e-6
"""Departure from a straight line, over the motion, up to which it is rounding."""

SIZES = (1.0, 1e3, 1e6)
"""Motions by which a block is tried to be linear; no limit of a laboratory is beyond."""

FEW = 8
"""So many states are moved one by one."""

LADDER = 2.0 ** np.arange(-26, 27)
"""Motions with which a gain is looked for in a block that passes none of the smallest."""

PLATEAU = 0.02
"""By how much that gain may differ from one motion to twice that."""


class Kernels:
    """A block's kernels as a function of flat vectors: outputs and, below them, next states (or derivatives)."""

    def __init__(self, node: Node, t: float) -> None:
        self.node, self.t = node, t
        self.p = fresh({**node.prepared.p, **node.prepared.structure})
        self.fields = [(name, int(np.size(v)), isinstance(v, np.ndarray)) for name, v in node.prepared.x.items()]
        widths = node.prepared.widths
        self.ins = [(name, widths.get(name, 1), name in widths) for name in node.spec.ins]
        self.outputs = sum(signal.width for signal in node.outputs.values())
        self.is_continuous = node.spec.kind == "continuous"

    @property
    def label(self) -> str:
        return f"{self.node.name!r} ({self.node.spec.type})"

    def __call__(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        kernels = self.node.kernels
        inputs, state = _spread(u, self.ins), _spread(x, self.fields)
        y = blank(self.node.spec.outs, self.node.prepared.widths)
        try:
            if "outputs" in kernels.functions:
                kernels.python("outputs")(inputs, state, self.p, y, self.t)
            if self.is_continuous:
                rate = _spread(np.zeros(len(x)), self.fields)
                kernels.python("derivative")(inputs, state, self.p, rate, self.t)
                state = rate
            elif "update" in kernels.functions:
                kernels.python("update")(inputs, state, self.p, self.t)
        except KernelFault:
            return np.full(self.outputs + len(x), np.nan)  # beyond a limit of the block
        return np.array([*_flat(y, self.node.spec.outs), *_flat(state, [name for name, _, _ in self.fields])])

    def following(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The states after a tick at rest."""
        return self(x, u)[self.outputs :]


def slopes(kernels: Kernels, x: np.ndarray, u: np.ndarray, moved: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """J, with zeros for what is not to be `moved`, and sentences about what is not linear."""
    rest = np.concatenate([x, u])
    at_rest = kernels(x, u)
    found = np.zeros((len(at_rest), len(rest)))
    smooth = np.ones(found.shape, dtype=bool)
    # Where rest is not zero, a difference has the rounding of what it is taken from.
    rounding = 64.0 * np.finfo(float).eps * np.abs(at_rest) / STEP
    warnings: list[str] = []

    def change(j: int, h: float) -> np.ndarray:
        moving = rest.copy()
        moving[j] += h
        return np.asarray(kernels(moving[: len(x)], moving[len(x) :]) - at_rest)

    quiet, alone = _told_apart(kernels, x, u, np.flatnonzero(moved[: len(x)]), at_rest)
    found[kernels.outputs + quiet, quiet] = 1.0
    for j in [*alone, *np.flatnonzero(moved[len(x) :]) + len(x)]:
        up, down = change(j, STEP) / STEP, -change(j, -STEP) / STEP
        finer = 8.0 * (change(j, STEP / 16.0) - change(j, -STEP / 16.0)) / STEP
        slope = 0.5 * (up + down)
        slope[np.abs(slope) <= rounding] = 0.0
        for other in (up, down, finer):
            apart = np.abs(slope - other)
            smooth[:, j] &= apart <= KINK * np.maximum(np.abs(slope), np.abs(other)) + 16.0 * rounding
        found[:, j] = slope
        if j >= len(x) and not slope.any() and smooth[:, j].all():
            found[:, j] = _beyond_dead_zone(kernels, change, j, warnings)
    _check_smooth(kernels, found, smooth, len(x))
    if not warnings and not _is_linear(kernels, rest, len(x), found, moved, at_rest):
        warnings.append(f"Block {kernels.label} is not linear: it is taken with its slopes at rest.")
    return found, warnings


def _told_apart(
    kernels: Kernels, x: np.ndarray, u: np.ndarray, columns: np.ndarray, at_rest: np.ndarray
) -> tuple[np.ndarray, list[int]]:
    """States that are only kept, and those to be moved one by one; the others are overwritten and change nothing.

    A ring buffer has thousands of places of which few are read or written in a tick. Halves of them are moved at once,
    and only where something else changes are they divided further.
    """
    if len(columns) <= FEW:
        return np.zeros(0, dtype=int), [int(j) for j in columns]
    step = STEP * np.random.default_rng(len(columns)).uniform(0.5, 1.0, len(columns))
    kept = np.ones(len(columns), dtype=bool)
    own = kernels.outputs + columns
    for sign in (1.0, -1.0):
        moving = x.copy()
        moving[columns] += sign * step
        there = kernels(moving, u)
        same = there == at_rest
        kept &= there[own] == moving[columns]
        same[own] = (there[own] == moving[columns]) | same[own]
        if not same.all():
            halves = [_told_apart(kernels, x, u, half, at_rest) for half in np.array_split(columns, 2)]
            return np.concatenate([quiet for quiet, _ in halves]), [j for _, alone in halves for j in alone]
    return columns[kept], []


def matters(found: np.ndarray, outputs: int, states: int) -> np.ndarray:
    """Which states something moves and some output depends on, by the places where J is not 0."""
    there = found != 0.0
    onward = there[outputs:, :states]
    moved = reached(np.flatnonzero(there[outputs:, states:].any(axis=1)), onward.T)
    watched = reached(np.flatnonzero(there[:outputs, :states].any(axis=0)), onward)
    return np.asarray(np.isin(np.arange(states), list(moved & watched)))


def reached(start: Iterable[int], wires: np.ndarray) -> set[int]:
    """All places that wires, as a matrix (from, to) of truths, lead to, and the first ones themselves."""
    onward: dict[int, list[int]] = {}
    for one, other in zip(*np.nonzero(wires), strict=True):
        onward.setdefault(int(one), []).append(int(other))
    found = {int(place) for place in start}
    waiting = list(found)
    while waiting:
        for place in onward.get(waiting.pop(), []):
            if place not in found:
                found.add(place)
                waiting.append(place)
    return found


def _check_smooth(kernels: Kernels, found: np.ndarray, smooth: np.ndarray, states: int) -> None:
    """Refuse a block without a slope in anything that matters."""
    # What has no slope is something; with it, what matters may be more than what counts in the end.
    kept = matters(np.where(smooth, found, 1.0), kernels.outputs, states)
    rows = np.concatenate([np.ones(kernels.outputs, dtype=bool), kept])
    columns = np.concatenate([kept, np.ones(found.shape[1] - states, dtype=bool)])
    wrong = np.flatnonzero((~smooth[rows]).any(axis=0) & columns)
    if len(wrong):
        raise DiagramError(
            f"The diagram cannot be linearised: block {kernels.label} has no slope at rest in"
            f" {_name(kernels, int(wrong[-1]))} (a kink, a jump, or something that adapts to the smallest motion);"
            " replace it by a linear model of it for this check."
        )


def _beyond_dead_zone(kernels: Kernels, change: Any, j: int, warnings: list[str]) -> np.ndarray:
    """The gain for large motions of an input that passes no small ones; 0 if it passes none at all."""
    with np.errstate(all="ignore"):
        gains = np.array([(change(j, h) - change(j, -h)) / (2.0 * h) for h in LADDER])
    gains = np.where(np.isfinite(gains), gains, 0.0)
    active = np.abs(gains).max(axis=0, initial=0.0) > 0.0
    if not active.any():
        return np.zeros(gains.shape[1])
    found = np.zeros(gains.shape[1])
    if not kernels.fields:
        for i in np.flatnonzero(active):
            found[i] = _plateau(gains[:, i])
    if not found.any():
        raise DiagramError(
            f"The diagram cannot be linearised: block {kernels.label} passes nothing of small motions of"
            f" {_name(kernels, j)} and something of large ones, so that at rest its loop is open; replace it by a"
            " linear model of it for this check."
        )
    warnings.append(
        f"Block {kernels.label} passes nothing of the smallest motions: it is taken with its gain for large ones."
    )
    return found


def _plateau(gains: np.ndarray) -> float:
    """The gain that stays over the longest run of motions, at least three; 0 if there is none."""
    best, run = (0, 0.0), 1
    for before, now in pairwise(gains):
        run = run + 1 if now != 0.0 and abs(now - before) <= PLATEAU * abs(now) else 1
        best = max(best, (run, float(now)), key=lambda found: found[0])
    return best[1] if best[0] >= 3 else 0.0


def _is_linear(
    kernels: Kernels, rest: np.ndarray, states: int, found: np.ndarray, moved: np.ndarray, at_rest: np.ndarray
) -> bool:
    kept = matters(found, kernels.outputs, states)
    rows = np.concatenate([np.ones(kernels.outputs, dtype=bool), kept])
    columns = np.concatenate([kept, np.ones(len(rest) - states, dtype=bool)]) & moved
    random = np.random.default_rng(0)
    for size in SIZES:
        step = np.where(columns, random.uniform(-size, size, len(rest)), 0.0)
        there = rest + step
        reached = kernels(there[:states], there[states:]) - at_rest
        allowed = LINEAR * (np.abs(found) @ np.abs(step) + np.abs(at_rest))
        if not (np.abs(reached - found @ step) <= allowed)[rows].all():
            return False
    return True


def _name(kernels: Kernels, j: int) -> str:
    """Which state or input a column is."""
    for kind, fields in (("state", kernels.fields), ("input", kernels.ins)):
        for name, size, _ in fields:
            if j < size:
                return f"{kind} {name!r}"
            j -= size
    raise AssertionError("every column is a state or an input")


def _spread(flat: np.ndarray, fields: list[tuple[str, int, bool]]) -> SimpleNamespace:
    """Fields as kernels see them."""
    values, start = SimpleNamespace(), 0
    for name, size, is_list in fields:
        part = [float(value) for value in flat[start : start + size]]
        setattr(values, name, part if is_list else part[0])
        start += size
    return values


def _flat(values: SimpleNamespace, names: Any) -> list[float]:
    flat: list[float] = []
    for name in names:
        value = getattr(values, name)
        flat.extend(value if isinstance(value, list) else (value,))
    return flat
