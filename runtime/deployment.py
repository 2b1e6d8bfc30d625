"""A cut diagram and a rig file, brought to run: on the rig, with a virtual rig, or both on a virtual clock.

deployment = Deployment(cut, rig, head)
with deployment.virtual_rig(folder):                        the device's side, where it is not hardware
    with deployment.supervisor(folder, duration) as test:   the test
        record = test.run()
deployment.rehearse(folder, duration)                       both, tick by tick, as fast as the machine can
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hybsim.errors import ParameterError, RunError
from hybsim.hw.rig_model import Rig
from hybsim.runtime.cut import Cut
from hybsim.runtime.executable import build_executable, controller_sources, rig_sources
from hybsim.runtime.processes import (
    PATIENCE,
    Process,
    memory_for_regions,
    start_logger,
    start_worker,
    wait_for,
)
from hybsim.runtime.region import Region
from hybsim.runtime.set_up import Fault, Options, SetUp, address, loop_set_up, rig_set_up
from hybsim.runtime.supervisor import LOG, Supervisor

RIG_LOG = "rig.hslog"

START = ((1, "RESET"), (2, "CONFIGURE"), (3, "ARM"), (4, "START"))
"""How a scripted test begins: one event a tick."""

MARGIN = 600.0
"""Seconds beside the test itself for which the log has room: checks, pauses, ramps."""


@dataclass(frozen=True)
class Rehearsal:
    """A test on a virtual clock."""

    folder: Path
    state: str
    causes: list[str]
    counts: list[int]
    test_ticks: int
    ticks: int
    lost: int
    set_up: SetUp

    @property
    def log(self) -> Path:
        return self.folder / LOG


@dataclass
class Deployment:
    """`head` is what the logs say about the diagram; `params` are changed parameters, by name, of either half.

    >>> import tempfile
    >>> from importlib.resources import files
    >>> import hybsim as hs
    >>> from hybsim.diagrams import virtual_rig
    >>> rig = hs.read_rig(files("hybsim.diagrams") / "rigs" / "virtual_rig.toml")
    >>> deployment = hs.Deployment(hs.compile(virtual_rig()).cut(rig.cut), rig)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = deployment.rehearse(Path(folder), 1.0)
    >>> done.state, done.test_ticks
    ('FINISHED', 1025)
    """

    cut: Cut
    rig: Rig
    head: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)

    def _params(self, half: Any) -> dict[str, Any]:
        names = half.parameters
        return {name: value for name, value in self.params.items() if name in names}

    def check(self) -> tuple[SetUp, SetUp]:
        """Everything that can be refused before anything is built: rates, channels, signals, parameters."""
        for name in self.params:
            if name not in self.cut.controller.parameters and name not in self.cut.rig.parameters:
                self.cut.whole.split({name: self.params[name]})  # refuses it, with the near ones
        options = Options()
        loop = loop_set_up(self.cut, self.rig, options, self._params(self.cut.controller))
        return loop, rig_set_up(self.cut, self.rig, options, self._params(self.cut.rig))

    def test_ticks(self, duration: float) -> int:
        """As many as a simulated run of this duration has rows."""
        return int(self.cut.whole.ticks(duration, {}))

    def log_bytes(self, duration: float) -> int:
        """What is reserved on disk for the log of a test."""
        columns = len(loop_set_up(self.cut, self.rig, Options()).names)
        seconds = self.test_ticks(duration) / self.rig.rate + MARGIN
        return math.ceil(seconds * self.rig.rate * (8 * columns + 1))

    def loop_executable(self, target: str | None = None) -> Path:
        sources = controller_sources(self.cut, with_rig=self.rig.device.driver == "sim")
        return build_executable(sources, "loop", target=target)

    def rig_executable(self, target: str | None = None) -> Path:
        return build_executable(rig_sources(self.cut), "rig", target=target)

    # on the clock of the laboratory -------------------------------------------------------

    def supervisor(
        self, folder: Path, duration: float, *, rehearsal: bool = False, priority: int = 80, processor: int = -1
    ) -> Supervisor:
        """A test, its processes started and the loop in ESTOP."""
        ticks = self.test_ticks(duration)
        options = Options(test_ticks=ticks, rehearsal=rehearsal, priority=priority, processor=processor)
        set_up = loop_set_up(self.cut, self.rig, options, self._params(self.cut.controller))
        with self._rig_inside(set_up) if self.rig.device.driver == "sim" else nullcontext():
            return Supervisor.begin(
                set_up, self.rig, self.loop_executable(), folder, head=self.head, reserved=self.log_bytes(duration),
                rehearsal=rehearsal,
            )  # fmt: skip

    @contextmanager
    def _rig_inside(
        self, set_up: SetUp, *, virtual_clock: bool = False, faults: Sequence[Fault] = ()
    ) -> Iterator[tuple[Region, SetUp]]:
        """The region of a rig within the loop's process, there until the loop has opened it."""
        options = Options(virtual_clock=virtual_clock, faults=faults)
        inside = rig_set_up(self.cut, self.rig, options, self._params(self.cut.rig))
        path = memory_for_regions() / f"hybsim-rig-{inside.setup['session']}"
        address(set_up.setup, str(path))
        with Region.create(path, inside.setup, inside.guard, inside.p, inside.x) as region:
            try:
                yield region, inside
            finally:
                path.unlink(missing_ok=True)

    @contextmanager
    def virtual_rig(
        self, folder: Path, *, faults: Sequence[Fault] = (), virtual_clock: bool = False, priority: int = 80,
        processor: int = -1, log: bool = True,
    ) -> Iterator[tuple[Region, Process]]:  # fmt: skip
        """The half that was cut out, in a process of its own, answering until the block is left."""
        options = Options(faults=faults, virtual_clock=virtual_clock, priority=priority, processor=processor)
        set_up = rig_set_up(self.cut, self.rig, options, self._params(self.cut.rig))
        executable = self.rig_executable()
        folder.mkdir(parents=True, exist_ok=True)
        path = memory_for_regions() / f"hybsim-rig-{set_up.setup['session']}"
        region = Region.create(path, set_up.setup, set_up.guard, set_up.p, set_up.x)
        processes: list[Process] = []
        try:
            if log:
                processes.append(start_logger(region, folder / RIG_LOG, self._rig_head(set_up)))
            processes.append(start_worker("rig", region, [executable, path], folder))
            yield region, processes[-1]
        finally:
            region["quit"] = 1
            for process in reversed(processes):
                if process.wait(PATIENCE) is None:
                    process.kill()
            path.unlink(missing_ok=True)

    def _rig_head(self, set_up: SetUp) -> dict[str, Any]:
        about = {**self.head, "kind": "rig"}
        return {"names": set_up.names, "dt": set_up.setup["period"], "about": about, "bytes": 1 << 24}

    # on a virtual clock -------------------------------------------------------------------

    def rehearse(
        self,
        folder: Path,
        duration: float,
        *,
        script: Sequence[tuple[int, str]] = START,
        faults: Sequence[Fault] = (),
        rig_faults: Sequence[Fault] = (),
        last_tick: int = 0,
        patience: float = 30.0,
    ) -> Rehearsal:
        """The test by a script of events, loop and virtual rig in lockstep: the same bits every time."""
        if self.rig.device.driver == "shm":  # both ends are ours: nobody else shall meet them
            device = self.rig.device.model_copy(update={"address": f"rehearsal-{os.getpid()}-{time.monotonic_ns()}"})
            own = replace(self, rig=self.rig.model_copy(update={"device": device}))
        else:
            own = self
        return own._rehearse(folder, duration, script, faults, rig_faults, last_tick, patience)

    def _rehearse(
        self, folder: Path, duration: float, script: Sequence[tuple[int, str]], faults: Sequence[Fault],
        rig_faults: Sequence[Fault], last_tick: int, patience: float,
    ) -> Rehearsal:  # fmt: skip
        ticks = self.test_ticks(duration)
        options = Options(
            virtual_clock=True, test_ticks=ticks, script=script, faults=faults, last_tick=last_tick, patience=patience
        )
        set_up = loop_set_up(self.cut, self.rig, options, self._params(self.cut.controller))
        if self.rig.device.driver != "sim":
            with self.virtual_rig(folder, faults=rig_faults, virtual_clock=True):
                return self._scripted(folder, set_up)
        with self._rig_inside(set_up, virtual_clock=True, faults=rig_faults) as (region, inside):
            folder.mkdir(parents=True, exist_ok=True)
            logger = start_logger(region, folder / RIG_LOG, self._rig_head(inside))
            try:
                return self._scripted(folder, set_up)
            finally:
                region["ended"] = region["quit"] = 1
                if logger.wait(PATIENCE) is None:
                    logger.kill()

    def _scripted(self, folder: Path, set_up: SetUp) -> Rehearsal:
        executable = self.loop_executable()
        folder.mkdir(parents=True, exist_ok=True)
        path = memory_for_regions() / f"hybsim-run-{set_up.setup['session']}"
        region = Region.create(path, set_up.setup, set_up.guard, set_up.p, set_up.x)
        head = {"names": set_up.names, "dt": set_up.setup["period"], "about": dict(self.head), "bytes": 1 << 24}
        processes: list[Process] = []
        try:
            processes.append(start_logger(region, folder / LOG, head))
            region["timing_passed"] = 1
            loop = Process("loop", [executable, "loop", path], folder)
            processes.append(loop)
            while loop.running() and processes[0].running():
                time.sleep(0.002)
            if loop.running() or loop.process.returncode != 0 or not region["ended"]:
                raise RunError(f"The loop {loop.ending()}; the logger {processes[0].ending()}.")
            wait_for(lambda: region["stored"] >= region["head"], PATIENCE, processes[0])
            return Rehearsal(
                folder, region.state, region.causes, region.several("counts"), region["test_tick"], region["tick"],
                region["lost"], set_up,
            )  # fmt: skip
        finally:
            region["quit"] = 1
            for process in processes[1:]:
                process.kill()  # nothing moves but models
            if processes and processes[0].wait(PATIENCE) is None:
                processes[0].kill()
            region.close()
            path.unlink(missing_ok=True)


def check_duration(duration: float) -> None:
    if not (math.isfinite(duration) and duration > 0.0):
        raise ParameterError(f"The duration must be a number of seconds above 0, got {duration:g}.")
