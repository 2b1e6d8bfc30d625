"""A lowered diagram, ready to run: `compile(bd)` makes a Program, `program.run(...)` gives a Result."""

from __future__ import annotations

import hashlib
import math
import platform
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.errors import CompilerError, ParameterError, RunError, near
from hybsim.kernel import Prepared
from hybsim.runtime import manifest
from hybsim.runtime.cut import Cut
from hybsim.runtime.diagram import flatten
from hybsim.runtime.emit import emit
from hybsim.runtime.engine_c import CEngine
from hybsim.runtime.engine_python import PythonEngine
from hybsim.runtime.graph import Graph, Node, Signal, build_graph
from hybsim.runtime.layout import check_same, initial_vectors, lay_out, pack
from hybsim.runtime.result import Result, Stop
from hybsim.runtime.sessions import Sessions
from hybsim.runtime.solvers import rule
from hybsim.runtime.sweep import MOST_BYTES, Batch, run_sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENGINES = ("c", "python", "bdsim")


def compile(bd: Any, *, solver: str = "rk4", cut: str | None = None) -> Program:
    """Lower a diagram, emit C and build it (cached by content); without a compiler the Python engine is left.

    With `cut`, a subsystem that hardware will stand for, signals cross there as they do in the laboratory: at the
    ticks only, and a tick late where the hardware path adds one (runtime/cut.py).

    >>> import hybsim as hs
    >>> bd = hs.BDSim().blockdiagram(dt=0.01)
    >>> _ = bd.SPRING(stiffness=10.0, name="spring", inputs=[bd.COSINEPULSE(amplitude=1.0, duration=1.0)])
    >>> hs.compile(bd).run(duration=1.0).peak("spring.force")
    10.0
    """
    program = Program(bd, build_graph(flatten(bd)), solver)
    if cut is not None:
        program = program.cut(cut).whole
    if program.compiler_problem is None:
        _ = program.engine_c
    return program


class Program:
    """One diagram lowered once; parameters are data, so runs and sweeps never recompile."""

    def __init__(self, bd: Any, graph: Graph, solver: str) -> None:
        self.bd, self.graph, self.rule = bd, graph, rule(solver)
        self.layout = lay_out(graph)
        self.c_source, self._places = emit(graph, self.layout, self.rule)
        self._nodes = {node.name: node for node in graph.nodes}
        self._signals = {signal.name: signal for signal in graph.signals}
        # Blocks as built, with the durations they were found to fit.
        self._fitting: set[tuple[Node, float]] = set()
        self._p, self._x = initial_vectors(graph, self.layout)

    @property
    def dt(self) -> float:
        return self.graph.dt

    @property
    def names(self) -> list[str]:
        """Every block output, by name."""
        return [s.name for s in self.graph.signals]

    @cached_property
    def engine_c(self) -> CEngine:
        return CEngine(self.graph, self.c_source, self._places)

    @cached_property
    def compiler_problem(self) -> str | None:
        """Why the C engine cannot be used, or None."""
        try:
            _ = self.engine_c
        except CompilerError as error:
            return str(error)
        return None

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Every parameter by name, with the value the diagram was built with."""
        return {f"{n.name}.{key}": value for n in self.graph.nodes for key, value in n.spec.parameters.items()}

    @cached_property
    def digest(self) -> str:
        """What tells this program from any other: the SHA-256 of its C source."""
        return hashlib.sha256(self.c_source.encode()).hexdigest()

    @cached_property
    def described(self) -> dict[str, dict[str, Any]]:
        """Every block as a result's manifest lists it, with the parameters the diagram was built with."""
        return {node.name: manifest.block(node, {}) for node in self.graph.nodes}

    def schedule(self) -> str:
        """The order of computation within a tick, as text."""
        lines = [f"{self.graph.name}: dt = {self.dt:g} s, {len(self.graph.nodes)} blocks, solver {self.rule.name}"]
        for i, step in enumerate(self.graph.steps, 1):
            node = step.node
            rate = "" if node.every == 1 else f" every {node.every} ticks"
            sources = ", ".join(s.name for s in node.inputs.values())
            lines.append(
                f"{i:4d}  {node.name} ({node.spec.type}, {node.spec.kind}{rate}): {', '.join(step.outputs)}"
                + (f"  <- {sources}" if sources else "")
            )
        updated = [n.name for n in self.graph.nodes if "update" in n.kernels.functions]
        integrated = [n.name for n in self.graph.nodes if n.spec.kind == "continuous"]
        lines += [f"      then update: {', '.join(updated)}"] if updated else []
        lines += [f"      then integrate: {', '.join(integrated)}"] if integrated else []
        return "\n".join(lines)

    def draw(self, save: str | Path | None = None) -> Figure:
        """A picture of the diagram; `save` writes it to a file."""
        from hybsim.runtime.draw import draw

        return draw(self.graph, save)

    def cut(self, name: str, *, home: Mapping[str, Any] | None = None) -> Cut:
        """The two halves of the diagram at a subsystem, and the whole as it runs with hardware in between.

        `home` gives the command of each input before the first tick, 0 where it is not named.
        """
        return Cut(self.bd, name, solver=self.rule.name, home=home)

    # parameters ---------------------------------------------------------------------------

    def split(self, params: Mapping[str, Any]) -> dict[Node, dict[str, Any]]:
        """Parameters by block; unknown names are refused with the near ones."""
        groups: dict[Node, dict[str, Any]] = {}
        for name, value in params.items():
            block, _, key = str(name).rpartition(".")
            node = self._nodes.get(block)
            if node is None or key not in node.spec.parameters:
                raise ParameterError(
                    f"There is no parameter {name!r} in this diagram.{near(str(name), self.parameters)}"
                )
            groups.setdefault(node, {})[key] = value
        return groups

    def prepare(self, node: Node, changes: Mapping[str, Any]) -> Prepared:
        """One block's numbers with some parameters changed."""
        return node.spec.prepare({**node.spec.parameters, **changes}, node.every * self.dt)

    def vectors(self, params: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """The parameter and state vectors of one run."""
        p, x = self._p.copy(), self._x.copy()
        for node, changes in self.split(params).items():
            pack(self.layout, node, self.prepare(node, changes)).write(p, x)
        return p, x

    def ticks(self, duration: float, params: Mapping[str, Any]) -> int:
        """The number of ticks of a run, both ends included."""
        if not (isinstance(duration, int | float | np.number) and math.isfinite(duration) and duration >= 0):
            raise RunError(f"The duration must be a number of seconds of at least 0, got {duration!r}.")
        groups = self.split(params)
        for node in self.graph.nodes:
            if node in groups or (node, duration) not in self._fitting:
                values = {**node.spec.parameters, **groups.get(node, {})}
                node.spec.check_run(values, node.every * self.dt, float(duration))
            if node not in groups:
                self._fitting.add((node, duration))
        ticks = float(duration) / self.dt + 1e-9
        if ticks * max(self.graph.columns, 1) * 8 > MOST_BYTES:
            raise RunError(
                f"A run of {duration:g} s is {ticks:.3g} ticks of {self.graph.columns} numbers, more than"
                f" {MOST_BYTES / 2**30:.0f} GiB; run it for a shorter time or with a longer tick."
            )
        return math.floor(ticks) + 1

    # runs ---------------------------------------------------------------------------------

    def run(
        self,
        duration: float,
        *,
        engine: str | None = None,
        params: Mapping[str, Any] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Result:
        """Run for `duration` seconds; `params` changes parameters by name, such as {"lag.mean": 0.5}.

        A run that meets nan or inf stops there: `result.stopped` says at which tick and in which block,
        and the result holds all ticks before it.
        """
        params = dict(params or {})
        ticks = self.ticks(duration, params)
        engine = self._choose(engine)
        rows = np.empty((ticks, max(self.graph.columns, 1)))
        if engine == "bdsim":
            from hybsim.runtime.engine_bdsim import run_bdsim

            return self.result(rows, engine, params, run_bdsim(self, params, rows, progress))
        with Sessions(self.graph, self.split(params)) as sessions:
            if engine == "c":
                p, x = self.vectors(params)
                stopped = self.engine_c.run(p, x, rows, progress, sessions)
            else:
                stopped = self.engine_python(params, sessions).run(ticks, rows, progress)
        return self.result(rows, engine, params, stopped)

    def engine_python(self, params: Mapping[str, Any], sessions: Sessions | None = None) -> PythonEngine:
        """The Python engine at the start of a run."""
        changed = {}
        for node, changes in self.split(params).items():
            changed[node] = self.prepare(node, changes)
            check_same(node, changed[node])
        prepared = [changed.get(node, node.prepared) for node in self.graph.nodes]
        return PythonEngine(self.graph, self.rule, prepared, sessions)

    def _choose(self, engine: str | None) -> str:
        if engine is None:
            if self.compiler_problem is None:
                return "c"
            warnings.warn(
                f"Running with the slow Python engine: {self.compiler_problem}", NoCompilerWarning, stacklevel=3
            )
            return "python"
        if engine not in ENGINES:
            raise RunError(f"There is no engine {engine!r}.{near(str(engine), ENGINES)}")
        if engine == "c" and self.compiler_problem is not None:
            raise CompilerError(self.compiler_problem)
        return engine

    def result(self, rows: np.ndarray, engine: str, params: Mapping[str, Any], stopped: Stop | None) -> Result:
        """Name the columns of a finished run."""
        if stopped is not None:
            warnings.warn(str(stopped), StoppedWarning, stacklevel=3)
            rows = rows[: stopped.tick]
        columns = {s.name: _part(rows, s) for s in self.graph.signals}
        columns |= {name: columns[s.name] for name, s in self.graph.aliases.items() if name not in columns}
        t = np.arange(rows.shape[0], dtype=np.float64) * self.dt
        about = manifest.describe(self, params, engine)
        return Result(t, columns, engine=engine, manifest=about, stopped=stopped)

    def column(self, rows: np.ndarray, name: str) -> np.ndarray:
        return _part(rows, self.signal(name))

    def signal(self, name: str) -> Any:
        """A signal by its name, its subsystem's name for it, or its block's alone where that has one output."""
        if name in self._signals:
            return self._signals[name]
        if name in self.graph.aliases:
            return self.graph.aliases[name]
        node = self._nodes.get(name)
        if node is not None and len(node.outputs) == 1:
            return next(iter(node.outputs.values()))
        raise ParameterError(f"There is no signal {name!r} in this diagram.{near(name, self.names)}")

    def sweep(
        self,
        space: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]],
        *,
        duration: float,
        keep: Sequence[str] | None = None,
        jobs: int | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Batch:
        """Run many parameter sets on all cores, without recompiling.

        A mapping of lists is a grid (every combination, the last name fastest); a list of mappings is taken
        as it is. `keep` names the signals whose histories are kept (all by default); final values and peaks
        of every signal are always there.
        """
        return run_sweep(
            self, space, duration=duration, keep=keep, engine=self._choose(None), jobs=jobs, progress=progress
        )

    def __repr__(self) -> str:
        return f"Program({self.graph.name!r}, {len(self.graph.nodes)} blocks, dt={self.dt:g}, {platform.machine()})"


def _part(rows: np.ndarray, signal: Signal) -> np.ndarray:
    """The numbers of one signal; a vector of one element is a number."""
    if signal.width == 1:
        return rows[..., signal.column]
    return rows[..., signal.column : signal.column + signal.width]


class StoppedWarning(UserWarning):
    """A run ended before its duration."""


class NoCompilerWarning(UserWarning):
    """The Python engine stands in for the C engine."""
