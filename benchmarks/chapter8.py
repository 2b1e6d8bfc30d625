"""The 110 runs of EERC Chapter 8: everything computed, against bdsim's engine, and the whole command from a cold cache.

bdsim makes one run of every case and model (two of them with --quick); the lag does not change the work of a run, so
that eleven times their sum stands for all 110. Both sides are lowered or compiled before. They are compared by the time
that the processor worked, all threads added up, so that a busy machine does not change the ratio.
"""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable, Sequence
from typing import Any

from cold_studies import command_from_cold_cache
from figures import Figure
from timing import duration, spread

from hybsim.blocks.sources.records import load_record
from hybsim.diagrams import table_8_10
from hybsim.diagrams.eerc_chapter8 import CASES, MODELS
from hybsim.studies.eerc.chapter8_runs import MEANS, found_by, lag_study
from hybsim.studies.outcome import Settings

PAIRS = [(case, model) for case in CASES for model in MODELS]
QUICK_PAIRS = [(1, "linear"), (5, "elastoplastic")]


def all_rows() -> Callable[[], list[dict[str, Any]]]:
    """What makes the 110 rows with compiled programs: runs, exact runs, measures, amplification matrices."""
    settings = Settings()
    ready = [(lag_study(CASES[case], model, settings, 1), CASES[case], model) for case, model in PAIRS]
    return lambda: [row for one in ready for row in found_by(*one, settings, lambda share: None).rows()]


def bdsim_run(case: int, model: str) -> Callable[[], object]:
    """bdsim's own run of a case for the length of its record, with all outputs logged."""
    bd = table_8_10(case, model=model, mean=0.5)
    with contextlib.redirect_stdout(io.StringIO()):  # it lists outputs that are not connected
        bd.compile()
    watch = [block[port] for block in bd.blocklist for port in range(block.nout)]
    length = load_record(CASES[case].record).duration
    return lambda: bd.runtime.run(bd, T=length, watch=watch)


def all_in_bdsim(pairs: Sequence[tuple[int, str]]) -> float:
    """Seconds of all runs of some cases and models, from one run of each."""
    return len(MEANS) * sum(duration(bdsim_run(case, model), time.process_time) for case, model in pairs)


def chapter8_figures(quick: bool) -> list[Figure]:
    rows = all_rows()
    assert len(rows()) == len(PAIRS) * len(MEANS)
    pairs = QUICK_PAIRS if quick else PAIRS
    wall, worked, bdsim = [], [], []
    for _ in range(1 if quick else 3):
        bdsim.append(all_in_bdsim(pairs) * len(PAIRS) / len(pairs))
        wall += [duration(rows) for _ in range(5)]
        worked += [duration(rows, time.process_time) for _ in range(5)]
    slow = spread(bdsim).median
    cold = [command_from_cold_cache("ch8") for _ in range(1 if quick else 3)]
    return [
        Figure("Chapter 8: all 110 runs with everything computed", spread(wall), unit="s", aim=1.0),
        Figure(
            "Chapter 8: the 110 runs in bdsim's engine, over ours with everything computed",
            spread([slow / seconds for seconds in worked]),
            aim=1000.0,
            at_least=True,
            measured={"bdsim, 110 runs": spread(bdsim), "hybsim, 110 runs": spread(worked)},
        ),
        Figure("Chapter 8: hybsim study ch8 --out, cold cache", spread(cold), unit="s", aim=60.0),
    ]
