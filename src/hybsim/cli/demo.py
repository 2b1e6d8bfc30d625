"""hybsim demo: the EERC Fig. 3-5 diagram with three lags, in three engines, as a table and a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .output import JsonOption, Report, grid, report
from .paths import check_output, make_folder
from .progress import progress_bar

if TYPE_CHECKING:
    from hybsim.studies.demo import Agreement, Demo

FIGURE = "displacement_lag.png"
TITLE = "Displacement lag in a hybrid test (EERC Fig. 3-5): T = 1 s, 5 % damping, El Centro, dt = 10 ms"


def demo(
    out: Annotated[
        str, typer.Option(metavar="FOLDER", help="Where the figure is written; created if missing.")
    ] = "hybsim-demo",
    json: JsonOption = None,
) -> None:
    """Show what a lagging actuator does to a test: peaks, energy error and a figure, from three engines.

    Needs neither network nor compiler and takes some seconds.
    """
    folder = make_folder(out)
    figure = folder / FIGURE
    check_output(str(figure))
    with report(json) as to:
        to.say(TITLE, style="bold")
        with progress_bar("Running", 1.0) as advance:
            from hybsim.runtime.export import write_figure
            from hybsim.studies.demo import run_demo

            results = run_demo(advance)
            write_figure(results.figure(), figure)
        show_cases(to, results)
        show_engines(to, results)
        to.note(f"Figure: {figure}")
        to.content = {**results.summary(), "figure": str(figure)}


def show_cases(to: Report, results: Demo) -> None:
    numbers = ("lag [ms]", "peak disp. [in]", "vs. no lag", "peak force [kip]", "HSEI_S", "HSEI_I")
    table = grid("specimen", *numbers, numbers=numbers)
    for case in results.cases:
        growth = f"{100.0 * results.growth(case):+.1f} %" if case.lag_ms else ""
        table.add_row(
            case.specimen, f"{case.lag_ms:g}", f"{case.peak_disp:.4f}", growth, f"{case.peak_force:.3f}",
            f"{case.hsei_s:.3f}", f"{case.hsei_i:.3f}",
        )  # fmt: skip
    to.show(table)
    to.say("HSEI (at the end): energy error over strain energy (S), over strain and input energy (I);")
    to.say("below zero the lag has added energy, and the structure moves further than it should.")
    to.say()


def show_engines(to: Report, results: Demo) -> None:
    if results.why_not_c is not None:
        to.note(f"Engine c is left out and python stands in for it: {results.why_not_c}", style="yellow")
    for agreement in results.agreements:
        to.say(words(agreement), style=None if agreement.identical else "red")
    from hybsim.studies.demo import DURATION

    times = ", ".join(f"{engine} {readable(seconds)}" for engine, seconds in results.seconds.items())
    to.say(f"One run of {DURATION:g} s took, on this machine and just now: {times}.")


def words(agreement: Agreement) -> str:
    both = f"Engines {agreement.reference} and {agreement.engine}"
    count = f"{agreement.samples} samples in {agreement.runs} runs"
    if agreement.identical:
        return f"{both} agree in every bit ({count})."
    return f"{both} differ in {agreement.different} of {count}, by {agreement.largest:.3g} at most."


def readable(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{1000.0 * seconds:.2g} ms"
