"""The record of a test as a folder: log, HDF5, manifest, report with pictures.

run.hslog      the framed log                   report.html, *.png, *.pdf, *.csv
run.h5         the same for other programs      manifest.json    everything that is needed to make the test again
"""

from __future__ import annotations

import hashlib
import html
import json
import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hybsim.errors import HybsimError
from hybsim.hw.rig_model import Rig
from hybsim.runtime.log_export import export_log
from hybsim.runtime.supervisor import LOG, RUN
from hybsim.studies.deployment.ended import Ended, lacking
from hybsim.studies.deployment.record import Record, read_record
from hybsim.studies.deployment.words import outcome, plain_timing
from hybsim.studies.outcome import Outcome
from hybsim.studies.reporting import report_files

HDF5, MANIFEST, PLAN = "run.h5", "manifest", "plan.json"


def manifest(
    ended: Ended, record: Record, folder: Path, *, how: str, command: str, plan: dict[str, Any]
) -> dict[str, Any]:
    """`how` is rig, virtual rig, rehearsal or virtual clock."""
    about: dict[str, Any] = dict(record.about)
    return {
        "kind": "record", "how": how, "state": ended.state, "finished": ended.finished, "causes": list(ended.causes),
        "interrupted": ended.interrupted, "notes": list(ended.notes), "test_ticks": ended.test_ticks,
        "planned_ticks": ended.planned_ticks, "rows": record.rows, "rows_lost": ended.lost,
        "states": [{"state": s.state, "time_s": s.time, "tick": s.tick, "faults": list(s.why)} for s in record.states],
        "faults": [{"fault": c.name, "ticks": c.ticks, "first_s": c.first} for c in record.counted],
        "diagram": {"name": plan.get("diagram", about.get("cut")), "target": about.get("diagram"),
                    "arguments": about.get("arguments"), "params": about.get("params")},
        "rig_file": about.get("rig_file"),
        "rig_file_sha256": hashlib.sha256(str(about.get("rig_file", "")).encode()).hexdigest(),
        "session": about.get("session"), "digest": about.get("digest"), "vectors": about.get("vectors"),
        "versions": about.get("versions"), "cut": about.get("cut"), "home": about.get("home"),
        "solver": about.get("solver"), "dt_s": about.get("dt"), "timing": plain_timing(ended),
        "without_real_time": lacking(ended.lacking), "log": LOG, "log_sha256": _digest(folder / LOG), "plan": plan,
        "made": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "command": command,
        "replay": shlex.join(["hybsim", "replay", str(folder / LOG)]),
    }  # fmt: skip


def keep_plan(folder: Path, about: dict[str, Any]) -> None:
    """For whoever takes the test over: how it was meant, which the log does not say."""
    (folder / PLAN).write_text(report_files.json_text(about))


def kept_plan(folder: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / PLAN).read_text())
    except (OSError, ValueError):
        return {}
    return found


def tidy(folder: Path) -> None:
    """What only the processes needed goes, once the record is there; what they said stays."""
    for said in folder.glob("*.txt"):
        if not said.stat().st_size:
            said.unlink()
    try:
        region = Path(json.loads((folder / RUN).read_text())["region"])
    except (OSError, ValueError, KeyError):
        region = None
    if region is None or not region.exists():
        for name in (RUN, PLAN, "run-head.json", "rig-head.json"):
            (folder / name).unlink(missing_ok=True)


def write(
    ended: Ended,
    folder: Path,
    rig: Rig,
    *,
    how: str,
    command: str,
    plan: dict[str, Any],
    prose: Callable[[str], str] = html.escape,
    wrote: Callable[[Path], None] = lambda path: None,
) -> tuple[Outcome, list[str]]:
    """Everything but the log, which is there; what could not be written is said, and the rest is."""
    record = read_record(folder / LOG, rig)
    about = manifest(ended, record, folder, how=how, command=command, plan=plan)
    found = outcome(ended, record, rig, about)
    (folder / f"{MANIFEST}.json").write_text(report_files.json_text(about))
    problems = []
    try:
        export_log(folder / LOG, folder / HDF5)
        wrote(folder / HDF5)
    except HybsimError as error:
        problems.append(str(error))
    report_files.write(found, folder, name=MANIFEST, command=command, prose=prose, wrote=wrote)
    return found, problems


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
