"""hybsim blocks: the catalogue, one block in full, or the catalogue as a page of documentation."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Annotated, Any

import typer

from hybsim.errors import RunError

from .output import JsonOption, Report, grid, report
from .paths import check_output


def blocks(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Show this block in full.", show_default=False)
    ] = None,
    markdown: Annotated[
        str | None,
        typer.Option(metavar="FILE.md|-", help="Write the catalogue as Markdown; without a value to docs/blocks.md."),
    ] = None,
    json: JsonOption = None,
) -> None:
    """List the blocks a diagram is made of, or show one: equation, ports, parameters, source.

    Example: hybsim blocks BOUCWEN
    """
    if markdown is not None:
        if name is not None or json is not None:
            raise RunError("--markdown writes the whole catalogue: leave out NAME and --json.")
        write_markdown(markdown)
        return
    with report(json) as to:
        from hybsim.blocks import catalogue

        if name is not None:
            to.content = found = catalogue.find(name)
            show_block(to, found)
            return
        to.content = {"families": catalogue.families(), "blocks": catalogue.blocks(), "bdsim": catalogue.stock_groups()}
        show_catalogue(to, to.content)


def show_catalogue(to: Report, content: dict[str, Any]) -> None:
    width = max(len(b["name"]) for b in content["blocks"])
    for family, title in content["families"].items():
        to.say(title, style="bold")
        for block in (b for b in content["blocks"] if b["family"] == family):
            to.say(f"  {block['name']:<{width}}  {block['summary']}")
        to.say()
    to.say("bdsim's own blocks that run in all engines", style="bold")
    for group, names in content["bdsim"].items():
        to.say(f"  {group}: {', '.join(names)}")
    to.say()
    to.say("hybsim blocks NAME shows equation, ports and parameters of one block.")


def show_block(to: Report, block: dict[str, Any]) -> None:
    to.say(f"{block['name']}  {block['summary']}", style="bold")
    to.say(f"{block['kind']} block, class {block['class']}, family {block['family']}")
    to.say()
    for line in block["equation"].splitlines():
        to.say(f"    {line}" if line else "")
    to.say()
    if "parameters" in block:
        show_ports(to, block)
        show_parameters(to, block)
        to.say(f"Example: {block['example']}")
    else:
        to.say(f"Arguments: see bdsim's documentation of {block['name']}.")
    to.say(f"Source:  {file_of(block['module'])}")


def show_ports(to: Report, block: dict[str, Any]) -> None:
    table = grid("port", "", "meaning", "follows within the tick")
    for port, prose in block["inputs"].items():
        table.add_row(port, "in", prose, "")
    for port, prose in block["outputs"].items():
        table.add_row(port, "out", prose, ", ".join(block["feedthrough"][port]) or "nothing")
    to.show(table)


def show_parameters(to: Report, block: dict[str, Any]) -> None:
    if not block["parameters"]:
        return
    table = grid("parameter", "meaning", "default", "allowed")
    for p in block["parameters"]:
        table.add_row(p["name"], p["prose"], "required" if p["required"] else repr(p["default"]), p["allowed"])
    to.show(table)


def file_of(module: str) -> str:
    """Where a module lies, as seen from here if it is below."""
    path = importlib.import_module(module).__file__ or module
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def write_markdown(path: str) -> None:
    if path != "-":
        check_output(path, endings=(".md",))
    from .markdown import catalogue_page

    if path == "-":
        sys.stdout.write(catalogue_page())
        return
    from hybsim.runtime.export import complete_file

    with complete_file(path) as draft:
        draft.write_text(catalogue_page(), encoding="utf-8")
    Report(None).say(f"Wrote the catalogue to {path}")
