"""hybsim compile: lower a diagram, build it, show the order of computation or the C source."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybsim.errors import CompilerError, RunError

from .failures import tell
from .output import JsonOption, report
from .paths import check_different, check_output
from .target import ArgumentOption, SolverOption, TargetArgument, assignments, load_diagram

if TYPE_CHECKING:
    from hybsim.runtime.program import Program


def compile_(
    target: TargetArgument,
    out: Annotated[
        str | None,
        typer.Argument(metavar="OUT.c", help="Where --emit-c writes; without it: stdout.", show_default=False),
    ] = None,
    emit_c: Annotated[bool, typer.Option("--emit-c", help="Give the C source instead of the schedule.")] = False,
    draw: Annotated[
        str | None, typer.Option(metavar="FILE.png", help="Draw the diagram to a picture (png, svg, pdf).")
    ] = None,
    arg: ArgumentOption = None,
    solver: SolverOption = "rk4",
    json: JsonOption = None,
) -> None:
    """Lower a diagram to C and build it; show the order of computation within a tick.

    Example: hybsim compile my_test.py --emit-c my_test.c
    """
    if out is not None and not emit_c:
        raise RunError(f"'{out}' is one word too many: --emit-c {out} writes the C source there.")
    if out is not None and out != "-":
        check_output(out, endings=(".c",))
    to_stdout = emit_c and out in (None, "-")
    if to_stdout and json == "-":
        raise RunError("Both the C source and the JSON would go to stdout: give one of them a file.")
    if draw is not None:
        check_output(draw, endings=(".png", ".svg", ".pdf"))
    check_different(out, draw, json)
    with report(json, stdout_is_data=to_stdout) as to:
        from hybsim.runtime.program import compile

        begin = time.perf_counter()
        program = compile(load_diagram(target, assignments(arg, "--arg")), solver=solver)
        seconds = time.perf_counter() - begin
        if program.compiler_problem is not None:
            if not emit_c:
                raise CompilerError(program.compiler_problem)
            tell(f"warning: the source was not compiled. {program.compiler_problem}")
        if draw is not None:
            program.draw(draw)
            to.note(f"Drew the diagram to {draw}")
        to.say(program.schedule())
        if to_stdout:
            to.alone = program.c_source
        elif out is not None:
            write_source(program, out)
            to.note(f"Wrote the C source to {out}")
        else:
            to.say(f"\nLowered and built in {seconds:.2g} s; kept for the next time as {library(program)}")
        if json is not None:
            to.content = describe(program)


def write_source(program: Program, out: str) -> None:
    from hybsim.runtime.export import complete_file

    with complete_file(out) as draft:
        draft.write_text(program.c_source, encoding="utf-8")


def library(program: Program) -> Path | None:
    """The shared library of a program that was built."""
    from hybsim.runtime.build import build

    return None if program.compiler_problem is not None else build(program.c_source, name=program.graph.name)


def describe(program: Program) -> dict[str, Any]:
    """The lowered diagram as data."""
    from hybsim.runtime.manifest import plain

    return {
        "diagram": program.graph.name,
        "dt": program.dt,
        "solver": program.rule.name,
        "schedule": [
            {
                "block": step.node.name,
                "type": step.node.spec.type,
                "kind": step.node.spec.kind,
                "every": step.node.every,
                "outputs": list(step.outputs),
                "inputs": {port: source.name for port, source in step.node.inputs.items()},
            }
            for step in program.graph.steps
        ],
        "signals": program.names,
        "parameters": {name: plain(value) for name, value in program.parameters.items()},
        "library": None if (path := library(program)) is None else str(path),
        "c_source": program.c_source,
    }
