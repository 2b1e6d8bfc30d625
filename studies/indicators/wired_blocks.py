"""Linear blocks put together as their wires say: the map of one tick of a whole diagram.

    u = W y + W_w w + W_e e                  inputs of all blocks: outputs of blocks, w from the cut, loads e
    y = C x + D u                            all outputs, so (I - D W) y = C x + D (W_w w + W_e e)
    x_s <- A x_s + B u                       sampled blocks whose clock ticks; their outputs are held until the next
    x_c' = A x_c + B u                       continuous blocks, with sampled outputs, w and e held

The last is integrated by the engines' rule, x_s = x + h a_s k_{s-1}, k_s = f(x_s), x <- x + h sum b_s k_s, which for a
linear f is a matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hybsim.runtime.solvers import Rule
from hybsim.studies.indicators.linear_blocks import LinearBlock, Tick


@dataclass(frozen=True)
class Wiring:
    """Which column of the outputs y, of w and of the loads e every input is; and which outputs are looked at.

    of_outputs, of_cut, of_loads   (inputs, outputs), (inputs, w) and (inputs, loads), ones and zeros
    returned                       (w, outputs): the cut's outputs, which closed are w
    commanded                      (seen, outputs): the cut's inputs
    """

    of_outputs: np.ndarray
    of_cut: np.ndarray
    of_loads: np.ndarray
    returned: np.ndarray
    commanded: np.ndarray


@dataclass(frozen=True)
class Wired:
    """z <- a z + b w + e load; returned = c z + d w + f load; commanded = g z + h w + i load."""

    a: np.ndarray
    b: np.ndarray
    e: np.ndarray
    c: np.ndarray
    d: np.ndarray
    f: np.ndarray
    g: np.ndarray
    h: np.ndarray
    i: np.ndarray

    def closed(self) -> np.ndarray:
        """The state matrix with what is returned as w in the same tick."""
        return np.asarray(self.a + self.b @ np.linalg.solve(np.eye(len(self.d)) - self.d, self.c))


def wire(blocks: Sequence[LinearBlock], wiring: Wiring, phase: int, rule: Rule, dt: float) -> Wired:
    """The map of tick `phase` of a period."""
    parts = _Parts(blocks, phase)
    x, w, e = parts.states, wiring.of_cut.shape[1], wiring.of_loads.shape[1]
    of_z = np.eye(x, x + w + e)
    outside = wiring.of_cut @ np.eye(w, x + w + e, x) + wiring.of_loads @ np.eye(e, x + w + e, x + w)
    # All as rows over (z, w, e).
    y = np.linalg.solve(np.eye(len(parts.c)) - parts.d @ wiring.of_outputs, parts.c @ of_z + parts.d @ outside)
    u = wiring.of_outputs @ y + outside
    following = parts.a @ of_z + parts.b @ u + parts.held @ y
    if parts.continuous.any():
        following[parts.continuous] = _integrated(parts, wiring, y, outside, rule, dt)
    split = (slice(0, x), slice(x, x + w), slice(x + w, None))
    return Wired(
        *(following[:, each] for each in split),
        *((wiring.returned @ y)[:, each] for each in split),
        *((wiring.commanded @ y)[:, each] for each in split),
    )


class _Parts:
    """All blocks side by side: y = c z + d u, z <- a z + b u + held y."""

    def __init__(self, blocks: Sequence[LinearBlock], phase: int) -> None:
        ticks = [_acting(block, phase) for block in blocks]
        inputs = sum(tick.d.shape[1] for tick in ticks)
        outputs = sum(tick.d.shape[0] for tick in ticks)
        slow = [block.node.every > 1 for block in blocks]
        states = sum(block.states for block in blocks)
        self.states = states + sum(tick.d.shape[0] for tick, is_slow in zip(ticks, slow, strict=True) if is_slow)
        self.a, self.b = np.zeros((self.states, self.states)), np.zeros((self.states, inputs))
        self.c, self.d = np.zeros((outputs, self.states)), np.zeros((outputs, inputs))
        self.held = np.zeros((self.states, outputs))
        self.continuous = np.zeros(self.states, dtype=bool)
        self.sampled_outputs = np.zeros(outputs, dtype=bool)
        x = u = y = 0
        hold = states
        for block, tick, is_slow in zip(blocks, ticks, slow, strict=True):
            xs, us = slice(x, x + len(tick.a)), slice(u, u + tick.d.shape[1])
            ys = slice(y, y + tick.d.shape[0])
            x, u, y = xs.stop, us.stop, ys.stop
            self.a[xs, xs], self.b[xs, us] = tick.a, tick.b
            self.c[ys, xs], self.d[ys, us] = tick.c, tick.d
            self.continuous[xs] = block.node.spec.kind == "continuous"
            self.sampled_outputs[ys] = block.node.spec.kind == "sampled"
            if is_slow:
                kept = slice(hold, hold + tick.d.shape[0])
                hold = kept.stop
                if phase % block.node.every:
                    self.c[ys, kept] = self.a[kept, kept] = np.eye(tick.d.shape[0])
                else:
                    self.held[kept, ys] = np.eye(tick.d.shape[0])


def _acting(block: LinearBlock, phase: int) -> Tick:
    """What the block does in this tick; between those of its own clock nothing."""
    every = block.node.every
    tick = block.ticks[phase // every % len(block.ticks)]
    if phase % every == 0:
        return tick
    return Tick(np.eye(block.states), 0.0 * tick.b, 0.0 * tick.c, 0.0 * tick.d)


def _integrated(parts: _Parts, wiring: Wiring, y: np.ndarray, outside: np.ndarray, rule: Rule, dt: float) -> np.ndarray:
    """The continuous states after the tick, as rows over (z, w, e)."""
    c, sampled = parts.continuous, parts.sampled_outputs
    held = np.where(sampled[:, None], y, 0.0)
    # Outputs that follow the continuous states inside the tick: y_f = of_x x_c + of_held (z, w, e).
    through = np.where(sampled[:, None], 0.0, parts.d @ wiring.of_outputs)
    own = np.where(sampled[:, None], 0.0, parts.c)[:, c]
    rest = np.where(sampled[:, None], held, parts.d @ outside)
    solve = np.linalg.inv(np.eye(len(y)) - through)
    of_x, of_held = solve @ own, solve @ rest
    a = parts.a[np.ix_(c, c)] + parts.b[c] @ wiring.of_outputs @ of_x
    v = parts.b[c] @ (wiring.of_outputs @ of_held + outside)
    slope_x, slope_v = a, np.eye(len(a))
    total_x, total_v = rule.b[0] * slope_x, rule.b[0] * slope_v
    for stage, weight in zip(rule.a, rule.b[1:], strict=True):
        slope_x, slope_v = a + dt * stage * a @ slope_x, np.eye(len(a)) + dt * stage * a @ slope_v
        total_x, total_v = total_x + weight * slope_x, total_v + weight * slope_v
    start = np.eye(parts.states, y.shape[1])[c]
    return np.asarray((np.eye(len(a)) + dt * total_x) @ start + dt * total_v @ v)
