"""The catalogue of blocks as a page of documentation, docs/blocks.md."""

from __future__ import annotations

from typing import Any

from . import typeset

HEAD = """\
# Blocks

<!-- Written by `hybsim blocks --markdown` from the source of the blocks: change it there. -->

A block is made by its name in a diagram, as in `bd.BOUCWEN(stiffness=10.0, yield_disp=1.0)`, with keyword
arguments only. Every block also takes `name=`, `inputs=[...]` and, if it is sampled, `clock=`. The kinds:

- **sampled** blocks act at the ticks of a clock, by default the diagram's;
- **continuous** blocks have a derivative and are integrated between the ticks;
- **function** blocks follow their inputs at any time.

An output *follows* an input if it depends on it within the same tick; a loop of such pairs is refused.
What is stated here holds for the example given; parameters can change it (a `DELAY` below one tick follows).
"""


def catalogue_page() -> str:
    """The page, ending with a line end."""
    from hybsim.blocks import catalogue

    blocks = catalogue.blocks()
    parts = [HEAD]
    for family, title in catalogue.families().items():
        members = [b for b in blocks if b["family"] == family]
        links = ", ".join(f"[{b['name']}](#{b['name'].lower()})" for b in members)
        parts.append(f"- {title} {links}")
    parts.append("- [bdsim's own blocks](#bdsims-own-blocks)\n")
    explained: dict[str, str] = {}
    for family, title in catalogue.families().items():
        parts.append(f"## {title.rstrip('.')}\n")
        for block in (b for b in blocks if b["family"] == family):
            parts.append(section(block, explained.get(block["module"])))
            explained.setdefault(block["module"], block["name"])
    parts.append(stock_section())
    return "\n".join(parts).rstrip() + "\n"


def section(block: dict[str, Any], explained_at: str | None) -> str:
    """One block; the equation of a file with two blocks is given once."""
    lines = [f"### {block['name']}", "", f"{block['summary']} *{block['kind'].capitalize()}.*", ""]
    if explained_at is None:
        lines += [typeset.page(block["equation"]), ""]
    else:
        lines += [f"Equations: see [{explained_at}](#{explained_at.lower()}).", ""]
    lines += table(("port", "", "meaning", "follows"), port_rows(block))
    if block["parameters"]:
        lines += table(("parameter", "meaning", "default", "allowed"), parameter_rows(block))
    lines += [f"Example: `{block['example']}`", "", f"Source: [{block['source']}](../{block['source']})", ""]
    return "\n".join(lines)


def port_rows(block: dict[str, Any]) -> list[tuple[str, ...]]:
    follows = {port: ", ".join(f"`{p}`" for p in inputs) or "nothing" for port, inputs in block["feedthrough"].items()}
    return [
        (f"`{port}`", way, typeset.prose(meaning), follows[port] if way == "out" else "")
        for way, ports in (("in", block["inputs"]), ("out", block["outputs"]))
        for port, meaning in ports.items()
    ]


def parameter_rows(block: dict[str, Any]) -> list[tuple[str, ...]]:
    return [
        (
            f"`{p['name']}`",
            typeset.prose(p["prose"]),
            "required" if p["required"] else f"`{p['default']!r}`",
            p["allowed"],
        )
        for p in block["parameters"]
    ]


def stock_section() -> str:
    from hybsim.blocks import catalogue

    lines = ["## bdsim's own blocks", "", "These run in all engines; others are refused by name, with the reason.", ""]
    lines += [f"- {group}: {', '.join(f'`{n}`' for n in names)}" for group, names in catalogue.stock_groups().items()]
    return "\n".join(lines)


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    """A table; a bar inside a cell would end it, so it is escaped."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *cells)] + [""]
