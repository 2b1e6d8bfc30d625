"""How the error of a late table depends on what the paper does not say: the delay's size, frequency and damping.

A response of one frequency omega that is tau late is wrong by 2 sin(omega tau / 2) of its amplitude: what cases 1 and 2
have near resonance, and case 4 half of it. In cases 5 and 7 the late loop adds about
(omega tau / 2) alpha_m / (1 - alpha_m) times the table's share of the inertia to the damping ratio, so what counts is
this beside the specimen's own damping.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from hybsim.blocks.sources.records import Record
from hybsim.diagrams.force_based import FREQUENCY, TABLE_DELAY, Device, table_3_specimen
from hybsim.studies.force import cases
from hybsim.studies.force.cases import TABLE_LATE

SHOWN = ("1", "4", "7", "5")
DELAYS = (0.001, 0.002, 0.004, 0.006, 0.009, TABLE_DELAY, 0.017, 0.02)
FREQUENCIES, RATIOS = (0.5, 1.0, 2.0, 4.0, 8.0), (0.02, 0.05)


def over_delays(record: Record) -> list[dict[str, Any]]:
    """The rms error of each case, at 2 Hz and 2 %, for tables that are 1 to 20 ms late."""
    rows = []
    for delay in DELAYS:
        devices = replace(TABLE_LATE, table=Device(delay=delay))
        errors = {f"rms_error_{case}": cases.run(case, devices, record).rms_error for case in SHOWN}
        theory = 2.0 * math.sin(math.pi * FREQUENCY * delay)
        rows.append({"table_delay_s": delay, **errors, "theory_1": theory, "theory_4": 0.5 * theory})
    return rows


def over_specimens(record: Record) -> list[dict[str, Any]]:
    """The rms error of each case with a table 13 ms late, for other frequencies and damping ratios of the frame."""
    rows = []
    for ratio in RATIOS:
        for frequency in FREQUENCIES:
            specimen = table_3_specimen(frequency, ratio)
            errors = {case: cases.run(case, TABLE_LATE, record, specimen).rms_error for case in SHOWN}
            rows.append(
                {"frequency_hz": frequency, "damping_ratio": ratio, **{f"rms_error_{c}": e for c, e in errors.items()},
                 "theory_1": 2.0 * math.sin(math.pi * frequency * TABLE_DELAY), "in_order": ordered(errors)}
            )  # fmt: skip
    return rows


def ordered(errors: dict[str, float]) -> bool:
    """Whether case 4 is better than 1, 1 than 7, and 7 than 5."""
    values = [errors[case] for case in ("4", "1", "7", "5")]
    return values == sorted(values)
