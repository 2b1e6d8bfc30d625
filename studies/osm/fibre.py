"""Fibre-section columns of one, two and six storeys (Models 1 to 3), computed by OpenSees in processes of their own.

    python -m hybsim.studies.osm.fibre_worker TASK RESULT        one process for each number of storeys, side by side

OpenSees is an extra. Where it is missing, fails or takes longer than TIMEOUT, the reason stands in place of the result,
and everything else of the study is the same.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from hybsim.blocks.sources.records import load_record
from hybsim.diagrams.osm_columns import DAMPING_RATIO, DAMPINGS, G, M
from hybsim.diagrams.osm_columns import STOREYS as MODELS
from hybsim.diagrams.osm_models import PGA

INSTALL = "pip install 'hybsim[opensees]'"
DURATION = 6.0
DT = 0.005
FINER = 4
ALPHA = -0.1
STOREYS = {storeys: M[model] for model, storeys in MODELS.items()}
"""Storeys, and the m of OSM-US for each."""

NAMES = {1: "one storey", 2: "two storeys", 6: "six storeys"}

TIMEOUT = 120.0
"""Seconds for all processes together, against one that hangs; about 12 on an idle machine with two cores."""


@dataclass(frozen=True, eq=False)
class Fibre:
    """Results by the number of storeys, or the problem."""

    columns: dict[int, dict[str, Any]] = field(default_factory=dict)
    problem: str | None = None

    def run(self, storeys: int, damping: str, integrator: str) -> dict[str, Any]:
        wanted = (damping, integrator)
        found: dict[str, Any] = next(
            run for run in self.columns[storeys]["runs"] if (run["damping"], run["integrator"]) == wanted
        )
        return found


def missing() -> str | None:
    """Why OpenSees is not there, with the command that changes it; None if it is."""
    if find_spec("openseespy") is None:
        return f"openseespy not installed; {INSTALL}"
    return None


def task(storeys: int, duration: float = DURATION) -> dict[str, Any]:
    """What a worker is given."""
    record = load_record("elcentro")
    ground = record.resampled(DT, scale=G * PGA / record.pga)[: round(duration / DT) + 1]
    return dict(storeys=storeys, dt=DT, finer=FINER, m=STOREYS[storeys], alpha=ALPHA, ratio=DAMPING_RATIO,
                dampings=list(DAMPINGS), ground=np.asarray(ground).tolist())  # fmt: skip


class Workers:
    """The processes, from `with Workers() as workers` on; `result` waits for them, leaving ends those still at work."""

    def __init__(self, duration: float = DURATION, timeout: float = TIMEOUT) -> None:
        self.problem = missing()
        self.until = time.monotonic() + timeout
        self.timeout = timeout
        self.duration = duration
        self.processes: dict[int, subprocess.Popen[str]] = {}

    def __enter__(self) -> Workers:
        self.folder = tempfile.TemporaryDirectory(prefix="hybsim-fibre-")
        if self.problem is None:
            for storeys in STOREYS:
                given, result = self._files(storeys)
                given.write_text(json.dumps(task(storeys, self.duration)))
                words = [sys.executable, "-m", "hybsim.studies.osm.fibre_worker", str(given), str(result)]
                # OpenSees prints warnings of every iteration that fails: to a file, as a full pipe would stop it.
                with (Path(self.folder.name) / f"log{storeys}").open("w") as log:
                    self.processes[storeys] = subprocess.Popen(
                        words, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, text=True
                    )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
            process.wait()
        self.folder.cleanup()

    def result(self) -> Fibre:
        """All columns, or the first problem."""
        if self.problem is not None:
            return Fibre(problem=self.problem)
        columns = {}
        for storeys, process in self.processes.items():
            try:
                code = process.wait(max(0.0, self.until - time.monotonic()))
            except subprocess.TimeoutExpired:
                return Fibre(problem=f"OpenSees took longer than {self.timeout:g} s; run the study again")
            result = self._files(storeys)[1]
            if code != 0 or not result.is_file():
                return Fibre(problem=f"OpenSees ended with code {code}: {self._last_words(storeys)}")
            columns[storeys] = json.loads(result.read_text())
        return Fibre(columns)

    def _files(self, storeys: int) -> tuple[Path, Path]:
        folder = Path(self.folder.name)
        return folder / f"task{storeys}.json", folder / f"result{storeys}.json"

    def _last_words(self, storeys: int) -> str:
        lines = (Path(self.folder.name) / f"log{storeys}").read_text().strip().splitlines()
        errors = [line for line in lines if "Error" in line]
        return (errors or lines or ["it said nothing"])[-1]
