"""The commands and what they have in common: help and version."""

from __future__ import annotations

from typing import Annotated

import typer

from .blocks import blocks
from .compile import compile_
from .demo import demo
from .deploy import deploy
from .doctor import doctor
from .indicators import indicators
from .latency import latency
from .log import log
from .preflight import preflight
from .psi import psi
from .replay import replay
from .rig import rig
from .run import run
from .study import study

app = typer.Typer(
    name="hybsim",
    help="Block diagrams for hybrid simulation of structures: wire a test once, study it, deploy it.",
    epilog="Start with: hybsim demo",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"hybsim {version('hybsim')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def hybsim(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.command("demo")(demo)
app.command("run")(run)
app.command("study")(study)
app.command("psi")(psi)
app.command("indicators")(indicators)
app.command("preflight")(preflight)
app.add_typer(log, name="log")
app.command("replay")(replay)
app.command("deploy")(deploy)
app.command("rig")(rig)
app.command("latency")(latency)
app.command("compile")(compile_)
app.command("blocks")(blocks)
app.command("doctor")(doctor)
