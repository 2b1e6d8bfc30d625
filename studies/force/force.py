"""The study of Shao's force-based hybrid simulation: loading cases, late devices, several floors, capacities.

The seven cases of Table 3 and two of Eq. 2, with ideal devices beside the whole structure solved in one piece, and with
devices that are late or slow; two floors with full splitting matrices and a computed third; the splitting that a
laboratory with limited devices can afford; what is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from hybsim.diagrams.force_based import (
    CASES as TABLE_3,
)
from hybsim.diagrams.force_based import (
    DAMPING_RATIO,
    DT,
    FREQUENCY,
    MASS,
    TABLE_DELAY,
    VIRTUAL,
    table_3_specimen,
    two_floors,
)
from hybsim.runtime.manifest import plain
from hybsim.studies.force import force_figures as figures
from hybsim.studies.force import force_words as words
from hybsim.studies.force.assumptions import SHOWN
from hybsim.studies.force.cases import (
    ACTUATOR_LATE,
    CASES,
    CORRECTED,
    DURATION,
    FAST,
    LINE_UP,
    PERFECT,
    PRINTED,
    TABLE_LATE,
    Devices,
    factors,
)
from hybsim.studies.force.floors import FLOORS, splitting
from hybsim.studies.force.found import Found, simulate
from hybsim.studies.force.laboratory import CAPACITIES, LOWEST, TABLE_MASS, UNITS
from hybsim.studies.force.late_loop import damping
from hybsim.studies.outcome import Outcome, Picture, Progress, Settings, Table

NAMES = ("A_g", "A_x", "F_g", "F_x")


def run(settings: Settings, progress: Progress) -> Outcome:
    """All runs, beside what the paper prints and says."""
    found = simulate(settings, progress)
    return Outcome(
        title="Force-based hybrid simulation: a specimen split between shake table, actuators and computer",
        summary=summary(settings, found),
        tables=list(tables(found)),
        pictures=list(pictures(found)),
        data={
            **lists(found),
            "refusals": [{"what": what, "sentence": said} for what, said in found.refused.items()],
        },
        introduction=words.introduction(found),
        notes=words.notes(found),
        conclusions=words.conclusions(found),
    )


def tables(found: Found) -> Iterator[Table]:
    yield from factor_tables(found)
    yield ideal_table(found)
    yield late_table(found, TABLE_LATE, words.TABLE_LATE_TABLE)
    yield late_table(found, ACTUATOR_LATE, words.ACTUATOR_LATE_TABLE)
    yield from devices_tables(found)
    yield specimens_table(found)
    yield floors_table(found)
    yield laboratory_table(found)


def factor_rows(found: Found) -> list[dict[str, Any]]:
    """A_g, A_x, F_g, F_x of Table 3: printed, corrected, in closed form, and fitted to the run."""
    rows = []
    for case, split in TABLE_3.items():
        row: dict[str, Any] = {"case": case, "alpha_m": split[0], "alpha_l": split[1], "beta": split[2]}
        kinds = {
            "printed": map(float, PRINTED[case]), "corrected": map(float, CORRECTED.get(case, PRINTED[case])),
            "computed": factors(*split), "in_run": found.of(str(case), PERFECT).fitted,
        }  # fmt: skip
        for kind, values in kinds.items():
            row |= {f"{name}_{kind}": value for name, value in zip(NAMES, values, strict=True)}
        rows.append(row)
    return rows


def factor_tables(found: Found) -> Iterator[Table]:
    """Table acceleration, then actuator force."""
    columns = (
        "case",
        "alpha_m",
        "alpha_l\nEq. 2",
        "alpha_l\nTable 3",
        "printed",
        "corrected",
        "computed",
        "in the run",
    )
    named = (("A", "acceleration of the table", words.FACTOR_TABLE), ("F", "force of the actuator / M", ""))
    for letter, name, explanation in named:
        rows = []
        for row in factor_rows(found):
            shown = [
                pair(row[f"{letter}_g_{kind}"], row[f"{letter}_x_{kind}"], digits)
                for kind, digits in (("printed", 3), ("corrected", 3), ("computed", 5), ("in_run", 5))
            ]
            alphas = row["alpha_m"], row["alpha_l"], 1.0 - row["alpha_l"]
            rows.append((str(row["case"]), *(f"{alpha:g}" for alpha in alphas), *shown))
        yield Table(f"Table 3: {name}", columns, rows, explanation)


def pair(ground: float, motion: float, digits: int) -> str:
    """Factors of u_g'' and x''."""
    ground, motion = (value if abs(value) > 1e-7 else 0.0 for value in (ground, motion))
    return f"{ground:.{digits}g}; {motion:.{digits}g}"


def ideal_table(found: Found) -> Table:
    columns = ("case", "peak, split\n[mm]", "peak, whole\n[mm]", "largest difference\n/ peak", "rms difference\n/ rms")
    rows = []
    for case in CASES:
        r = found.of(case, PERFECT).row()
        rows.append((case, f"{1e3 * r['peak_disp_m']:.6f}", f"{1e3 * r['peak_disp_whole_m']:.6f}",
                     f"{r['peak_error']:.1e}", f"{r['rms_error']:.1e}"))  # fmt: skip
    return Table("Ideal devices beside the whole structure in one piece", columns, rows, words.IDEAL_TABLE)


def late_table(found: Found, devices: Devices, explanation: str) -> Table:
    columns = ("case", "peak error\n[%]", "rms error\n[%]", "peak /\nwhole's", "delay\n[ms]", "amplitude",
               "damping\n[%]")  # fmt: skip
    rows = []
    for case in CASES:
        r = found.of(case, devices).row()
        rows.append((
            case, percent(r["peak_error"]), percent(r["rms_error"]), f"{r['peak_ratio']:.3f}",
            f"{1e3 * r['delay_s'] + 0.0:.1f}".replace("-0.0", "0.0"), f"{r['amplitude']:.3f}",
            percent(damping(case, devices)),
        ))  # fmt: skip
    return Table(f"Errors, {devices.prose}", columns, rows, explanation)


def devices_tables(found: Found) -> Iterator[Table]:
    """Peak and rms error of every case with every set of devices."""
    every = (*LINE_UP, FAST)
    columns = ("case", *("\n".join(devices.name.rsplit(" ", 1)) for devices in every))
    for kind, explanation in (("peak", ""), ("rms", words.DEVICES_TABLE)):
        rows = []
        for case in CASES:
            runs = [found.runs.get((case, devices.name)) for devices in every]
            rows.append((case, *(percent(r.row()[f"{kind}_error"]) if r else "refused" for r in runs)))
        title = f"The {kind} error with all devices [%]"
        yield Table(title, columns, rows, explanation)


def specimens_table(found: Found) -> Table:
    columns = ("frame", *(f"case {case}" for case in SHOWN), "theory,\ncase 1", "theory,\ncase 4")
    rows = []
    for row in found.specimens:
        errors = [row[f"rms_error_{case}"] for case in SHOWN] + [row["theory_1"], 0.5 * row["theory_1"]]
        frame = f"{row['frequency_hz']:g} Hz, {100.0 * row['damping_ratio']:g} %"
        rows.append((frame, *map(percent, errors)))
    return Table("The rms error with a table 13 ms late, other frames [%]", columns, rows, words.specimens_table(found))


def floors_table(found: Found) -> Table:
    columns = ("devices", *(f"{floor},\n{what}" for floor in FLOORS for what in ("peak error", "rms error")))
    rows = []
    for each in found.floors:
        ideal = each is found.floors[0]
        errors = [error for i in range(len(FLOORS)) for error in each.errors(i)]
        rows.append((each.name, *(f"{error:.1e}" if ideal else f"{100.0 * error:.1f} %" for error in errors)))
    return Table("Two floors with full splitting matrices, a third one computed", columns, rows, words.FLOORS_TABLE)


def laboratory_table(found: Found) -> Table:
    columns = ("demand", "capacity", *(
        f"{'Eq. 2' if each.inertia == 'actuators' else 'Table 3'},\n{what}"
        for each in found.choices for what in ("predicted", "in the run", "use [%]")
    ))  # fmt: skip
    rows = []
    for name, limit in CAPACITIES.given().items():
        device, kind = name.split("_")
        unit, factor = UNITS[kind]
        cells = []
        for each in found.choices:
            predicted, measured = factor * each.predicted[name], factor * each.measured[name]
            cells += [f"{predicted:.4g}", f"{measured:.4g}", f"{100.0 * each.measured[name] / limit:.1f}"]
        rows.append((f"{device} {kind} [{unit}]", f"{factor * limit:g}", *cells))
    for name in ("alpha_l", "alpha_m", "margin"):
        cells = [cell for each in found.choices for cell in (f"{getattr(each.choice, name):.3f}", "", "")]
        rows.append((name, "", *cells))
    return Table("The splitting with the largest margin in a small laboratory", columns, rows, words.LABORATORY_TABLE)


def percent(value: float) -> str:
    return f"{100.0 * value:.2f}"


def pictures(found: Found) -> Iterator[Picture]:
    yield Picture("responses", "Displacements with a late table (as the paper's Fig. 5)", words.RESPONSES_FIGURE,
                  partial(figures.responses, found))  # fmt: skip
    yield Picture("errors", "Errors of each loading case", words.ERRORS_FIGURE, partial(figures.errors, found))
    yield Picture("delays", "How fast the errors grow with the delay of the table", words.DELAYS_FIGURE,
                  partial(figures.delays, found))  # fmt: skip
    yield Picture("floors", "Two floors and a computed one", words.FLOORS_FIGURE,
                  partial(figures.several_floors, found))  # fmt: skip
    yield Picture("feasible", "Which splitting the laboratory can afford", words.FEASIBLE_FIGURE,
                  partial(figures.feasible, found))  # fmt: skip


def case_rows(found: Found) -> list[dict[str, Any]]:
    by_name = {devices.name: devices for devices in (*LINE_UP, FAST)}
    return [
        {**each.row(), "damping_of_loop": damping(case, by_name[name])} for (case, name), each in found.runs.items()
    ]


def lists(found: Found) -> dict[str, list[dict[str, Any]]]:
    """The rows that stand in the csv files and in the json."""
    return {
        "rows": case_rows(found),
        "table_3": factor_rows(found),
        "delays": found.delays,
        "specimens": found.specimens,
        "floors": [each.row() for each in found.floors],
        "laboratory": [each.row() for each in found.choices],
    }


def summary(settings: Settings, found: Found) -> dict[str, Any]:
    """The rows and everything that is needed to compute them again."""
    record = found.record
    return {
        "study": "force",
        **lists(found),
        "refusals": found.refused,
        "growth_in_each_delay": {"measured": found.growth[0], "theory": found.growth[1]},
        "seed": settings.seed,
        "record": {**found.manifest["blocks"]["ground"], "sha256": record.sha256, "pga": record.pga},
        "dt_s": DT, "dt_of_fast_actuator_s": FAST.dt, "duration_s": DURATION,
        "specimen": {
            **{f"{name}_{unit}": table_3_specimen()[name]
               for name, unit in (("mass", "kg"), ("damping", "N_s_m"), ("stiffness", "N_m"))},
            "mass_in_paper_kg": MASS, "virtual_share": VIRTUAL, "frequency_assumed_hz": FREQUENCY,
            "damping_ratio_assumed": DAMPING_RATIO, "damping": "viscous, c = 2 zeta m omega, all of it built",
        },
        "two_floors": plain({**two_floors(), **splitting(),
                             "damping_definition": "in proportion to stiffness, 1.5 % in mode 1 of the specimen"}),
        "devices": {each.name: {"prose": each.prose, "command": each.command, "dt_s": each.dt,
                                "table": vars(each.table), "actuator": vars(each.actuator)}
                    for each in (*LINE_UP, FAST)},
        "table_delay_s": TABLE_DELAY,
        "capacities": CAPACITIES.given(), "table_mass_kg": TABLE_MASS, "lowest_frequency_of_table_hz": LOWEST,
        "delay_estimator": "shift of largest normalised correlation of the displacements, parabola between ticks",
        "reference": "exact discretisation of the whole structure by a matrix exponential, ground held over a tick",
        "errata": words.ERRATA,
        "manifest": found.manifest,
    }  # fmt: skip
