"""Whole commands from a cold cache: `hybsim study NAME --out`, in a new process with nothing compiled."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import Figure
from timing import spread

STUDIES = ("fht", "force", "osm")
"""The studies of the other laboratories."""

LONGEST = 60.0
"""Aim in s for any study."""


def command_from_cold_cache(study: str) -> float:
    """Seconds of `hybsim study NAME --out`."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "HYBSIM_CACHE": str(Path(folder) / "cache")}
        program = "import sys; from hybsim.cli import main; sys.exit(main(sys.argv[1:]))"
        words = [sys.executable, "-c", program, "study", study, "--out", str(Path(folder) / "report")]
        start = time.perf_counter()
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - start
        if done.returncode != 0 or not (Path(folder) / "report" / "report.html").is_file():
            raise RuntimeError(f"hybsim study {study} failed:\n{done.stderr}")
    return seconds


def cold_study_figures(quick: bool) -> list[Figure]:
    rounds = 1 if quick else 3
    return [
        Figure(
            f"hybsim study {name} --out, cold cache",
            spread([command_from_cold_cache(name) for _ in range(rounds)]),
            unit="s",
            aim=LONGEST,
        )
        for name in STUDIES
    ]
