"""hybsim replay: a test computed again from its logged measured values, and compared bit for bit."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybsim.errors import RunError

from .failures import tell
from .log import LogArgument
from .output import JsonOption, Report, report
from .progress import progress_bar
from .target import ArgumentOption, assignments, load_diagram

if TYPE_CHECKING:
    from hybsim.runtime.replay import Replayed

DIFFERENT = 1


def replay(
    log: LogArgument,
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE[:FUNCTION]", help="The diagram; without it: the one the log names.", show_default=False
        ),
    ] = None,
    engine: Annotated[str, typer.Option(metavar="NAME", help="c or python.")] = "c",
    arg: ArgumentOption = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Go on with a program that is not the one of the test.")
    ] = False,
    json: JsonOption = None,
) -> int:
    """Compute a test again from its log and compare every signal bit for bit.

    Example: hybsim replay run.hslog

    Exit codes: 0 if all bits are the same, 1 if not, 2 for an error.
    """
    with report(json) as to:
        from hybsim.runtime.cut import Cut
        from hybsim.runtime.log_reader import LogReader
        from hybsim.runtime.replay import replay as compute

        with LogReader(log) as reader:
            about = reader.about
            source = target or about.get("diagram")
            if not source:
                raise RunError(f"'{log}' does not say which diagram it is of: name one after it.")
            arguments = {**about.get("arguments", {}), **assignments(arg, "--arg")}
            cut = Cut(
                load_diagram(source, arguments), about.get("cut", "rig"), solver=about.get("solver", "rk4"),
                home=about.get("home", {}),
            )  # fmt: skip
            with progress_bar("Replaying", reader.size) as advance:
                found = compute(reader, cut, engine=engine, anyway=anyway, progress=advance)
        show(to, source, found, engine)
        to.content = {**asdict(found), "identical": found.identical, "engine": engine, "diagram": source}
    return 0 if found.identical else DIFFERENT


def show(to: Report, source: Any, found: Replayed, engine: str) -> None:
    """The verdict, and where the first difference is."""
    if found.other:
        tell(f"warning: {found.other}")
    for problem in found.problems:
        tell(f"warning: the log is not sound, and was replayed until there: {problem}.")
    to.say(
        f"{source}, engine {engine}: {found.rows} ticks of {found.signals} signals, the diagram asked at"
        f" {found.sampled} of them and advanced by {found.advanced}"
    )
    if found.identical:
        to.say("Identical, bit for bit.", style="bold")
        return
    if not found.rows:
        to.say("There is nothing to compare: the log has no rows.", style="bold")
        return
    to.say(f"Different: {found.differing} numbers in {len(found.by_signal)} signals.", style="bold")
    assert found.first is not None
    first = found.first
    to.say(
        f"First at tick {first.tick} (tick {first.test_tick} of the diagram), {first.signal}: {first.logged!r} in the"
        f" log, {first.found!r} computed ({first.logged.hex()} and {first.found.hex()})"
    )
    for name, count in sorted(found.by_signal.items(), key=lambda item: -item[1])[:8]:
        to.say(f"  {name}: {count}")
