"""The bdsim engine: the diagram run by bdsim itself, an outside reference for the other two.

Copies of the blocks are wired in a flat diagram of their own, which bdsim orders, evaluates, integrates
and logs; the user's diagram stays as it is. Three things make the run comparable tick by tick:

ticks   bdsim's clocks tick at T, 2 T, ...: here the first tick belongs to t = 0, when bdsim evaluates
        the diagram anyway, so row k of its log is tick k of all clocks.
holds   in bdsim an output changes with its input, or just after the tick with the state; here a clocked
        block computes its outputs at its ticks and holds them in between.
steps   scipy's RK45 goes from tick to tick with tight tolerances, so that what is left between the
        engines on a continuous diagram is the error of our fixed step.
"""

from __future__ import annotations

import copy
import io
import math
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from bdsim.block import EventSource
from scipy.integrate import RK45

from hybsim.blocks import stock
from hybsim.errors import RunError
from hybsim.kernel import KernelBlock
from hybsim.kernel.ieee import KernelFault
from hybsim.runtime.cut import CHANNELS
from hybsim.runtime.diagram import Clock, block_failure, flatten, forget_clock, loop_found, put_on_clock
from hybsim.runtime.engine_c import first_non_finite
from hybsim.runtime.layout import check_same
from hybsim.runtime.result import Stop
from hybsim.wiring import BDSim

if TYPE_CHECKING:
    from hybsim.runtime.graph import Node
    from hybsim.runtime.program import Program

RTOL, ATOL = 1e-10, 1e-13

FIRST_TICK = math.ulp(0.0)
"""bdsim drops events at t = 0; this soon after it, a tick uses the evaluation at t = 0."""

SHORTEST_TICK = 2e-6
"""bdsim takes events less than 1e-6 s apart for one."""

OTHERS = "engines 'c' and 'python' run this diagram"


def run_bdsim(
    program: Program, params: Mapping[str, Any], rows: np.ndarray, progress: Callable[[int], None] | None = None
) -> Stop | None:
    """Fill `rows` tick by tick; a Stop says where and why it ended early."""
    if program.graph.externals:
        raise RunError(
            f"Engine 'bdsim' evaluates a block several times a tick and cannot run {program.graph.externals[0].name!r},"
            f" which is computed outside the program; {OTHERS}."
        )
    if any(node.name.startswith(CHANNELS) for node in program.graph.nodes):
        raise RunError(f"Engine 'bdsim' runs a diagram as it is drawn and knows of no cut; {OTHERS}.")
    if program.dt < SHORTEST_TICK:
        raise RunError(
            f"Engine 'bdsim' needs a base tick of at least {SHORTEST_TICK:g} s, got {program.dt:g} s; {OTHERS}."
        )
    twin = Twin(program, params, progress)
    error = twin.run(len(rows))
    logged = twin.read(rows)
    if not np.isfinite(rows[:logged, : program.graph.columns]).all():
        return first_non_finite(program.graph, rows[:logged], 0)
    if error is not None:
        return twin.stop(error, logged)
    if logged != len(rows):
        raise RunError(f"bdsim logged {logged} ticks instead of {len(rows)}; {OTHERS}.")
    if progress:
        progress(logged)
    return None


@dataclass
class Solver:
    """Whether the integrator is evaluating the diagram; it stays so if that fails."""

    evaluating: bool = False


class Twin:
    """The flat copy of a program's diagram that bdsim runs."""

    def __init__(self, program: Program, params: Mapping[str, Any], progress: Callable[[int], None] | None) -> None:
        self.program, self.solver = program, Solver()
        self.hybrid = any(node.spec.kind == "continuous" for node in program.graph.nodes)
        self.sim = BDSim()
        self.bd = self.sim.blockdiagram(program.graph.name)
        self.clocks = {1: TickClock(1, program.dt, progress)}
        originals, changes = flatten(program.bd).blocks, program.split(params)
        self.blocks = [self.add(node, originals, changes.get(node, {})) for node in program.graph.nodes]
        for node in program.graph.nodes:
            for port, signal in enumerate(node.inputs.values()):
                self.bd.connect(self.plug(signal), self.blocks[node.index][port])
        self.bd.clocklist.extend(self.clocks.values())

    def add(self, node: Node, originals: Mapping[str, Any], changes: Mapping[str, Any]) -> Any:
        """A copy of one block, with its parameters, on a clock that ticks when ours does."""
        if node.name not in originals:
            raise RunError(f"The diagram has lost block {node.name!r} since it was compiled; compile it again.")
        dt, every = self.program.dt, node.every
        block = copy.copy(originals[node.name])
        block.name = node.name
        self.bd.add_block(block)
        prepared = self.program.prepare(node, changes) if changes else node.prepared
        check_same(node, prepared)
        if isinstance(block, KernelBlock):
            block.use(prepared)
        else:
            for name, value in changes.items():
                stock.set_parameter(block, name, value)
            if isinstance(block, EventSource):
                block.start = no_events
        if node.spec.kind == "sampled":
            if every not in self.clocks:
                self.clocks[every] = TickClock(every, dt)
            put_on_clock(block, self.clocks[every])
            if self.hybrid or every > 1:
                block.output = held(block.output, every, dt, self.solver)
            if every > 1:
                block.next = at_own_ticks(block.next, every, dt)
        return block

    def plug(self, signal: Any) -> Any:
        """The output port behind a signal."""
        ports = list(self.program.graph.nodes[signal.node].outputs)
        return self.blocks[signal.node][ports.index(signal.port)]

    def run(self, ticks: int) -> Exception | None:
        """Compile and run in silence; what went wrong in the run is given back, for `stop` to explain."""
        dt = self.program.dt
        printed = io.StringIO()
        with redirect_stdout(printed), np.errstate(all="ignore"):
            try:
                self.bd.compile(evaluate=False)
            except Exception as error:
                loop = loop_found(printed.getvalue())
                why = f"sees the algebraic loop {loop}, since to it every output depends on every input"
                raise RunError(f"bdsim {why if loop else f'cannot compile: {said(error)}'}; {OTHERS}.") from error
            try:
                self.sim.run(
                    self.bd, T=(ticks - 1) * dt, dt=dt, max_step=dt,
                    solver_args={"method": HoldingRK45, "solver": self.solver, "rtol": RTOL, "atol": ATOL},
                    watch=[self.plug(signal) for signal in self.program.graph.signals],
                )  # fmt: skip
            except Exception as error:
                return error
        return None

    def read(self, rows: np.ndarray) -> int:
        """Copy bdsim's log, which is there after a failure too; the number of ticks in it."""
        simstate = self.clocks[1].simstate
        if simstate is None:
            return 0
        logged = len(simstate.tlist)
        for signal, values in zip(self.program.graph.signals, simstate.plist, strict=False):
            part = rows[:logged, signal.column : signal.column + signal.width]
            part[:] = np.asarray(values[:logged], dtype=float).reshape(part.shape)
        return logged

    def stop(self, error: Exception, logged: int) -> Stop:
        """A kernel that fails is a Stop as in the other engines; anything else is bdsim's and is raised."""
        failure = block_failure(error)
        if failure is None or not isinstance(failure.cause, KernelFault | ArithmeticError):
            raise RunError(f"bdsim failed after {logged} ticks: {said(error)}; {OTHERS}.") from error
        # A row is logged once all outputs of its tick are there: only they fail before it.
        unlogged = failure.operation == "output" and not self.solver.evaluating
        tick = logged if unlogged else logged - 1
        return Stop(tick, tick * self.program.dt, failure.block.name, "", str(failure.cause))


def said(error: Exception) -> str:
    """What bdsim's error says, with the block it is about."""
    failure = block_failure(error)
    if failure is None:
        return str(error).rstrip(".")
    return f"{failure.operation} of block {failure.block.name!r} raised {failure.cause!r}"


class TickClock(Clock):  # type: ignore[misc]
    """A clock whose ticks are at 0, T, 2 T, ... with the same rounding as ours."""

    def __init__(self, every: int, dt: float, progress: Callable[[int], None] | None = None) -> None:
        super().__init__(every * dt, name=f"every {every}")
        forget_clock(self)
        self.every, self.dt, self.progress = every, dt, progress
        self.simstate: Any = None

    def start(self, simstate: Any) -> None:
        self.simstate = simstate
        super().start(simstate)

    def time(self, k: int) -> float:
        """bdsim asks for tick k = 1 first, and for each next one when the one before is done."""
        if self.progress and k % 256 == 0:
            self.progress(k - 1)
        return (k - 1) * self.every * self.dt or FIRST_TICK


def no_events(simstate: Any) -> None:
    """A source's own events (where a step or a ramp begins) would add rows off the ticks; RK45 finds them by itself."""


def held(output: Callable[..., Any], every: int, dt: float, solver: Solver) -> Callable[..., Any]:
    """A block's output as it is at its ticks, and as it was at the last one in between."""
    last: Any = None

    def hold(t: float, inputs: Any, x: Any) -> Any:
        nonlocal last
        if not solver.evaluating and round(t / dt) % every == 0:
            last = output(t, inputs, x)
        return last

    return hold


def at_own_ticks(following: Callable[..., Any], every: int, dt: float) -> Callable[..., Any]:
    """A block's next state, which bdsim also asks for at the ticks of other clocks and then throws away."""

    def next_state(t: float, inputs: Any, x: Any) -> Any:
        return following(t, inputs, x) if round(t / dt) % every == 0 else x

    return next_state


class HoldingRK45(RK45):  # type: ignore[misc]
    """scipy's RK45 from one tick to the next, which says when it evaluates the diagram."""

    y: np.ndarray

    def __init__(
        self, fun: Callable[..., Any], t0: float, y0: Any, t_bound: float, *, solver: Solver, **options: Any
    ) -> None:
        def evaluate(t: float, y: Any) -> Any:
            solver.evaluating = True
            slope = fun(t, y)
            solver.evaluating = False
            return slope

        super().__init__(evaluate, t0, y0, t_bound, first_step=t_bound - t0, **options)

    def _step_impl(self) -> tuple[bool, str | None]:
        """A slope that is not finite makes its state nan at the next tick, as a fixed step does."""
        success, message = super()._step_impl()
        if not success and not np.isfinite(self.K).all():
            self.y_old, self.t = self.y, self.t_bound
            self.y = np.where(np.isfinite(self.K).all(axis=0), self.y, np.nan)
            return True, None
        return success, message
