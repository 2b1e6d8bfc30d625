"""A test computed again from what was measured in it, and compared with its log bit for bit.

    of each logged row:   x[hardware] = measured,   p[excitation] = fade * excitation,   outputs   where it was sampled
                          compare all signals
                          update                                                          where it advanced

This is what the loop did (runtime/c/loop.c), without the guard and without the device. Each engine steps whole blocks
of rows and gives the signals it finds.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from hybsim.errors import RunError, near
from hybsim.runtime.build import load
from hybsim.runtime.cut import CHANNELS, Cut
from hybsim.runtime.engine_python import Faulted, PythonEngine
from hybsim.runtime.log_about import controller_half, controller_params, source_digest, vectors_digest
from hybsim.runtime.log_reader import LogReader
from hybsim.runtime.program import Program
from hybsim.runtime.region import COLUMNS
from hybsim.runtime.set_up import _state_places, signal_names

ENGINES = ("c", "python")

WRAPPER = """
/* Rows of a log, as the loop stepped them; `at`: columns of a row, then the places of what is read from it. */
enum { HR_COLUMNS, HR_TICK, HR_SAMPLED, HR_ADVANCED, HR_FADE, HR_MEASURED, HR_COUNT, HR_PARAMETER };

int64_t hr_step(const int64_t *at, const int64_t *into, double excitation, double *p, double *x, double *signals,
                int64_t broken, const double *rows, int64_t n, double *found)
{
    for (int64_t i = 0; i < n; i++, rows += at[HR_COLUMNS], found += HS_SIGNALS) {
        int64_t k = (int64_t)rows[at[HR_TICK]];
        if (rows[at[HR_SAMPLED]] == 1.0) {
            for (int64_t j = 0; j < at[HR_COUNT]; j++) x[into[j]] = rows[at[HR_MEASURED] + j];
            if (at[HR_PARAMETER] >= 0) p[at[HR_PARAMETER]] = excitation * rows[at[HR_FADE]];
            if (!broken) hs_controller.outputs(p, x, k, signals);
        }
        __builtin_memcpy(found, signals, HS_SIGNALS * sizeof(double));
        if (rows[at[HR_ADVANCED]] == 1.0 && !broken) broken = hs_controller.update(p, x, k, signals);
    }
    return broken;
}
"""


class OtherProgram(RunError):
    """What would be computed is not what was computed in the test."""


@dataclass(frozen=True)
class Difference:
    """The first number that is not the same."""

    tick: int
    test_tick: int
    signal: str
    logged: float
    found: float


@dataclass
class Replayed:
    """What the comparison found."""

    rows: int = 0
    sampled: int = 0
    advanced: int = 0
    signals: int = 0
    differing: int = 0
    """Numbers, of rows times signals."""
    by_signal: dict[str, int] = field(default_factory=dict)
    first: Difference | None = None
    other: str = ""
    """How the program differs from that of the test, where it was replayed all the same."""
    problems: list[str] = field(default_factory=list)

    @property
    def identical(self) -> bool:
        return self.differing == 0 and self.rows > 0


@dataclass(frozen=True)
class Places:
    """Where in a row the numbers stand that drive a replay, and where they go."""

    columns: int
    test_tick: int
    sampled: int
    advanced: int
    fade: int
    measured: int
    into: list[int]
    parameter: int
    signals: int

    @classmethod
    def of(cls, log: LogReader, cut: Cut) -> Places:
        """The log and the program must have the same measured values and the same signals."""
        names, lead = log.names, [f"loop.{name}" for name in COLUMNS]
        if names[: len(lead)] != lead:
            raise RunError(f"The log '{log.path}' has not the columns of a loop of this version of hybsim.")
        # By their places, since a block may be called "measured", too.
        start = len(lead) + sum(port.width for port in cut.commands)
        signals = signal_names(cut.controller)
        first = start + sum(port.width for port in cut.measured)
        own = [name.removeprefix("measured.") for name in names[start:first]]
        expected = [channel for port in cut.measured for channel in port.channels]
        if sorted(own) != sorted(expected):
            raise RunError(
                f"The log has the measured values {', '.join(own) or 'none'}, the diagram needs {', '.join(expected)}."
            )
        if names[first:] != signals:
            lacking = next((name for name in signals if name not in names), "their number or order")
            raise RunError(
                f"The log has other signals than the diagram: {lacking!r} is not the same.{near(lacking, names)}"
            )
        tick, sampled, advanced, fade = (
            lead.index(f"loop.{name}") for name in ("test_tick", "sampled", "advanced", "fade")
        )
        return cls(
            columns=len(names), test_tick=tick, sampled=sampled, advanced=advanced, fade=fade,
            measured=start,
            into=_state_places(cut.controller, cut.measured, own),
            parameter=int(log.about.get("fade_parameter", -1)), signals=first,
        )  # fmt: skip


class Steps(Protocol):
    """One way of stepping the controller half."""

    def step(self, rows: np.ndarray) -> np.ndarray:
        """The signals at each of some logged rows that follow on those before."""


class CSteps:
    """The emitted C of the controller half."""

    def __init__(self, cut: Cut, params: Mapping[str, Any], places: Places) -> None:
        library = load(controller_half(cut).source + WRAPPER, name=f"{cut.controller.graph.name}_replay")
        self._step = library.hr_step
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        self._step.argtypes = [pointer, pointer, ctypes.c_double, *[pointer] * 3, number, pointer, number, pointer]
        self._step.restype = number
        self.p, self.x = cut.controller.vectors(params)
        self.signals = np.zeros(max(cut.controller.graph.columns, 1))
        self.excitation = float(self.p[places.parameter]) if places.parameter >= 0 else 0.0
        at = [places.columns, places.test_tick, places.sampled, places.advanced, places.fade, places.measured]
        self.at = np.array([*at, len(places.into), places.parameter], dtype=np.int64)
        self.into = np.array(places.into, dtype=np.int64)
        self.broken = 0

    def step(self, rows: np.ndarray) -> np.ndarray:
        rows = np.ascontiguousarray(rows, dtype=np.float64)
        found = np.empty((len(rows), len(self.signals)))
        self.broken = self._step(
            self.at.ctypes.data, self.into.ctypes.data, self.excitation, self.p.ctypes.data, self.x.ctypes.data,
            self.signals.ctypes.data, self.broken, rows.ctypes.data, len(rows), found.ctypes.data,
        )  # fmt: skip
        return found


class PythonSteps:
    """The Python engine, block by block."""

    def __init__(self, cut: Cut, params: Mapping[str, Any], places: Places) -> None:
        program: Program = cut.controller
        self.engine: PythonEngine = program.engine_python(params)
        self.places, self.broken = places, False
        self.signals = np.zeros(max(program.graph.columns, 1))
        live = {one.node.name: one for one in self.engine.live}
        by_place = {
            place + i: (live[CHANNELS + port.name], i)
            for port in cut.measured
            for place in _state_places(program, [port], port.channels[:1])
            for i in range(port.width)
        }
        self.into = [by_place[place] for place in places.into]
        self.scaled = next((key for key, place in program.layout.p.items() if place == places.parameter), None)
        self.excitation = program.vectors(params)[0][places.parameter] if self.scaled else 0.0

    def step(self, rows: np.ndarray) -> np.ndarray:
        found = np.empty((len(rows), len(self.signals)))
        at, dt = self.places, self.engine.graph.dt
        for row, out in zip(rows, found, strict=True):
            k = int(row[at.test_tick])
            t = float(k) * dt
            if row[at.sampled] == 1.0:
                for (live, i), value in zip(self.into, row[at.measured :].tolist(), strict=False):
                    live.x.value[i] = value
                if self.scaled:
                    self._scale(float(self.excitation) * float(row[at.fade]))
                if not self.broken:
                    with suppress(Faulted):  # the loop discards such a sample, and asks again at the next tick
                        self.engine._outputs(self.engine.steps, k, t)
                    self.engine._log(self.signals)
            out[:] = self.signals
            if row[at.advanced] == 1.0 and not self.broken:
                self._update(k, t)
        return found

    def _scale(self, value: float) -> None:
        assert self.scaled is not None
        index, name = self.scaled
        fields = self.engine.live[index].p
        setattr(fields, name, [value] if isinstance(getattr(fields, name), list) else value)

    def _update(self, k: int, t: float) -> None:
        engine = self.engine
        try:
            for live in engine.sampled:
                if k % live.node.every == 0:
                    engine._feed(live)
                    engine._guard(live, live.node.kernels.python("update"), live.u, live.x, live.p, t)
            if engine.continuous:
                engine._integrate(k, t)
        except Faulted:
            self.broken = True


def replay(
    log: LogReader, cut: Cut, *, engine: str = "c", anyway: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Replayed:  # fmt: skip
    """Compute the test of a log again. `anyway`: also with a program that is not that of the test."""
    if engine not in ENGINES:
        raise RunError(f"There is no engine {engine!r}.{near(engine, ENGINES)}")
    kind = log.about.get("kind")
    if kind != "loop":
        raise RunError(f"'{log.path}' is not the log of a loop{f', but of a {kind}' if kind else ''}.")
    params = controller_params(cut, log.about.get("params", {}))
    places = Places.of(log, cut)
    result = Replayed(signals=places.columns - places.signals, other=other_program(log, cut, params))
    if result.other and not anyway:
        raise OtherProgram(f"{result.other} Replay it all the same with --anyway.")
    steps: Steps = CSteps(cut, params, places) if engine == "c" else PythonSteps(cut, params, places)
    tick = log.names.index("loop.tick")
    for _, rows in log.frames():
        expected = np.arange(result.rows, result.rows + len(rows))
        if len(gaps := np.flatnonzero(rows[:, tick] != expected)):
            raise RunError(f"The log lacks tick {expected[gaps[0]]}: what follows cannot be computed again.")
        _compare(result, log.names[places.signals :], rows, steps.step(rows), places)
        if progress:
            progress(log.good_bytes)
    result.problems = log.problems
    return result


def other_program(log: LogReader, cut: Cut, params: Mapping[str, Any]) -> str:
    """How the program built now differs from the one that the log was made with; nothing if it does not."""
    if log.about.get("digest") != source_digest(cut):
        versions = log.about.get("versions", {})
        by = f" by hybsim {versions['hybsim']}" if "hybsim" in versions else ""
        return f"The controller half built now is not the one that ran in the test{by}: its C source differs."
    if log.about.get("vectors") != vectors_digest(*cut.controller.vectors(params)):
        return "The controller half starts from other parameters or states than in the test."
    return ""


def _compare(result: Replayed, names: list[str], rows: np.ndarray, found: np.ndarray, places: Places) -> None:
    logged = np.ascontiguousarray(rows[:, places.signals :])
    different = logged.view(np.int64) != found.view(np.int64)
    result.sampled += int(np.count_nonzero(rows[:, places.sampled] == 1.0))
    result.advanced += int(np.count_nonzero(rows[:, places.advanced] == 1.0))
    if different.any():
        result.differing += int(np.count_nonzero(different))
        for name, count in zip(names, different.sum(axis=0).tolist(), strict=True):
            if count:
                result.by_signal[name] = result.by_signal.get(name, 0) + count
        if result.first is None:
            row = int(np.argmax(different.any(axis=1)))
            column = int(np.argmax(different[row]))
            result.first = Difference(
                result.rows + row, int(rows[row, places.test_tick]), names[column],
                float(logged[row, column]), float(found[row, column]),
            )  # fmt: skip
    result.rows += len(rows)
