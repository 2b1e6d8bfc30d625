"""The report of a study: one HTML file that opens offline, on a light or a dark screen and on paper.

What to conclude comes first, then the question, the figures and tables, each with its explanation, and last the
conventions and the command that computes everything again. Pictures are part of the file; nothing is fetched.
"""

from __future__ import annotations

import html
import re
import struct
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hybsim.runtime.export import plain
from hybsim.studies.outcome import Outcome
from hybsim.studies.reporting.report_style import STYLE

SHOWN = 0.58
"""Pixels of the screen for one of a picture, which has 200 to the inch: the text of both is then of one size."""

TALL = 40
"""Rows of a table that are shown without scrolling; on paper all are."""

LISTED = 24
"""Entries of a list in the conventions; the json file has them all."""

LONG_TEXT = 2000
"""Characters of one value in the conventions."""


@dataclass(frozen=True)
class Page:
    """The report of an outcome.

    images   the PNG of each picture by its name
    name     of the study, and of its json file
    command  the command line that computes everything again
    source   the text of the user's study file
    prose    makes HTML of a sentence
    """

    outcome: Outcome
    images: Mapping[str, bytes]
    name: str
    command: str
    source: str | None = None
    prose: Callable[[str], str] = html.escape

    def html(self) -> str:
        outcome, title = self.outcome, html.escape(self.outcome.title.replace("`", ""))
        parts = [
            ("conclude", "What to conclude", self._list(outcome.conclusions)),
            ("question", "The question", "".join(f"<p>{self.words(text)}</p>\n" for text in outcome.introduction)),
            ("figures", "Figures", "".join(self._figures())),
            ("tables", "Tables", "".join(self._tables())),
            ("notes", "Notes", self._list(outcome.notes)),
            ("conventions", "Conventions", self._conventions()),
            ("again", "How to compute this again", self._again()),
        ]
        parts = [part for part in parts if part[2]]
        contents = " · ".join(f'<a href="#{key}">{heading}</a>' for key, heading, _ in parts)
        sections = (f'<section id="{key}">\n<h2>{heading}</h2>\n{text}</section>\n' for key, heading, text in parts)
        return (
            f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta name="color-scheme" content="light dark">\n'
            f"<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n"
            f'<p class="kind"><code>{html.escape(self.command.split(" -")[0])}</code></p>\n'
            f"<h1>{self.words(outcome.title)}</h1>\n<nav>{contents}</nav>\n</header>\n"
            f"<main>\n{''.join(sections)}</main>\n</body>\n</html>\n"
        )

    def words(self, text: str) -> str:
        """Prose: what stands between backquotes is code, a new line stays one, a number keeps its unit."""
        marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", self.prose(text))
        return re.sub(r"(?<=\d) (?=%|(?:ms|mm|s|Hz|kip|times)\b)", "&nbsp;", marked).replace("\n", "<br>")

    def _list(self, sentences: Sequence[str]) -> str:
        items = "".join(f"<li>{self.words(sentence)}</li>\n" for sentence in sentences)
        return f"<ul>\n{items}</ul>\n" if items else ""

    def _caption(self, label: str, title: str, explanation: str) -> str:
        ended = title if title.endswith((".", "?", "!")) else f"{title}."
        return f"<b>{label}. {self.words(ended)}</b> {self.words(explanation)}"

    def _figures(self) -> Iterator[str]:
        for number, picture in enumerate(self.outcome.pictures, 1):
            image, name = self.images[picture.name], html.escape(picture.name)
            width, _ = struct.unpack(">II", image[16:24])  # of the header of every PNG
            yield (
                f'<figure id="figure-{number}">\n<img width="{SHOWN * width:.0f}"'
                f' alt="{html.escape(picture.title)}" src="data:image/png;base64,{b64encode(image).decode()}">\n'
                f"<figcaption>{self._caption(f'Figure {number}', picture.title, picture.explanation)}"
                f' <span class="files">{name}.png, {name}.pdf</span></figcaption>\n</figure>\n'
            )

    def _tables(self) -> Iterator[str]:
        for number, table in enumerate(self.outcome.tables, 1):
            tall = len(table.rows) > TALL
            hint = f'<p class="hint">{len(table.rows)} rows; scroll for more.</p>\n' if tall else ""
            head = "".join(f"<th>{self.words(heading)}</th>" for heading in table.headings)
            body = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>\n" for row in table.rows)
            yield (
                f'<figure id="table-{number}">\n<figcaption>'
                f"{self._caption(f'Table {number}', table.title, table.explanation)}</figcaption>\n"
                f'<div class="wide{" tall" if tall else ""}"><table>\n<thead><tr>{head}</tr></thead>\n'
                f"<tbody>\n{body}</tbody>\n</table></div>\n{hint}</figure>\n"
            )

    def _conventions(self) -> str:
        """Everything of the summary but the results themselves, which the csv and json files have."""
        about = {key: value for key, value in plain(self.outcome.summary).items() if key != "rows"}
        if not about:
            return ""
        return (
            "<p>Record, units, masses, damping, time step, seed, estimators: what is needed to compute the numbers"
            f" again, under the names of <code>{html.escape(self.name)}.json</code>.</p>\n"
            f"<details>\n<summary>Show all conventions</summary>\n{_nested(about)}\n</details>\n"
        )

    def _again(self) -> str:
        import platform
        from importlib.metadata import version

        files = [f"{self.name}.json", *(f"{table}.csv" for table in self.outcome.data)]
        text = (
            f"<pre>{html.escape(self.command)}</pre>\n"
            f"<p>hybsim {version('hybsim')}, numpy {version('numpy')}, Python {platform.python_version()},"
            f" {html.escape(platform.system())} {html.escape(platform.machine())}. All numbers are beside this file: "
            f"{', '.join(f'<code>{html.escape(file)}</code>' for file in files)}.</p>\n"
        )
        if self.source is not None:
            source = html.escape(self.source)
            text += f"<details>\n<summary>The study file</summary>\n<pre>{source}</pre>\n</details>\n"
        return text


def _cell(text: str) -> str:
    """A cell of a table; the sign of a negative number as printers set it."""
    return html.escape(re.sub(r"(?<![\w.])-(?=[\d.])", "\N{MINUS SIGN}", text)).replace("\n", "<br>")


def _nested(value: Any, depth: int = 0) -> str:
    """Plain data as tables in tables; what is innermost, below the second one, as a line."""
    if isinstance(value, Mapping) and value:
        items = [(html.escape(str(key)), _nested(item, depth + 1)) for key, item in value.items()]
        if depth > 1 and not any(isinstance(item, Mapping) for item in value.values()):
            return "; ".join(f"<b>{key}</b> {item}" for key, item in items)
        rows = "".join(f"<tr><th>{key}</th><td>{item}</td></tr>\n" for key, item in items)
        return f'<table class="facts">\n{rows}</table>'
    if isinstance(value, list) and value:
        shown = [_nested(item, depth + 1) for item in value[:LISTED]]
        more = [f"… ({len(value)} in all)"] if len(value) > LISTED else []
        if any(isinstance(item, Mapping) for item in value):
            return "".join(f"<div>{item}</div>" for item in shown + more)
        return f"[{', '.join(shown + more)}]"
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    text = str(value) if value not in ("", {}, []) else "–"
    return html.escape(text if len(text) <= LONG_TEXT else f"{text[:LONG_TEXT]} …")
