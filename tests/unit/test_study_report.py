"""The report of a study: one file that needs nothing else, with every picture and table explained."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from hybsim.studies.outcome import Outcome, Picture, Table
from hybsim.studies.reporting.report import Page
from hybsim.studies.reporting.report_files import write

VOID = {"meta", "img", "br"}


def picture(name: str, width: float = 4.0):
    def draw():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, 3.0))
        figure.subplots().set_title(name)
        return figure

    return Picture(name, f"Title of {name}", f"How to read {name}, <b>& co</b>.", draw)


OUTCOME = Outcome(
    title="Lag < 10 ms & its `cost`",
    summary={
        "rows": [{"lag": 1.0}],
        "record": {"name": "elcentro", "sha256": "0229", "pga": 0.3188},
        "seed": 3,
        "stable": True,
        "nothing": None,
        "manifest": {"blocks": {"lag": {"type": "Lag", "mean": 0.2}}, "long": list(range(100))},
        "plants": [{"name": "first"}, {"name": "second"}],
    },
    tables=[
        Table("Short", ("case", "error\n[%]"), [("a-b", "-1.5"), ("c", "2e-3")], "Of the roof."),
        Table("Long", ("case", "error"), [(str(i), "1") for i in range(110)]),
    ],
    pictures=[picture("history"), picture("loop", 7.0)],
    data={"study": [{"lag": 1.0}], "study_all": []},
    introduction=["First paragraph.", "Second one."],
    notes=["A note."],
    conclusions=["Keep the lag below 2 ms.", "Watch the monitor."],
)


class Reader(HTMLParser):
    """Tags with their attributes, the text by tag, and whether every tag is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data) -> None:
        for tag in self.open:
            self.texts[tag][-1] += data

    def attributes(self, *names: str) -> list[str]:
        return [value for _, given in self.tags for name, value in given.items() if name in names and value is not None]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("study")
    write(OUTCOME, made, name="study", command="hybsim study my.py --out 'a b'", source="x = 1 < 2\n")
    return made


@pytest.fixture(scope="module")
def report(folder) -> Reader:
    return Reader((folder / "report.html").read_text(encoding="utf-8"))


def test_nothing_is_fetched(folder, report) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "http" not in text and "url(" not in text and "@import" not in text
    assert not {"script", "link", "iframe", "object", "base"} & {tag for tag, _ in report.tags}
    assert all(source.startswith("data:image/png;base64,") for source in report.attributes("src"))
    places = {f"#{name}" for name in report.attributes("id")}
    assert report.attributes("href") and set(report.attributes("href")) <= places
    assert report.tags[1] == ("head", {}) and ("meta", {"charset": "utf-8"}) in report.tags
    assert "prefers-color-scheme: dark" in text and "@media print" in text


def test_every_picture_is_embedded_numbered_and_explained(folder, report) -> None:
    images = [base64.b64decode(source.partition(",")[2]) for source in report.attributes("src")]
    assert images == [(folder / f"{p.name}.png").read_bytes() for p in OUTCOME.pictures]
    assert report.attributes("alt") == [p.title for p in OUTCOME.pictures]
    captions = report.texts["figcaption"]
    for number, (shown, caption) in enumerate(zip(OUTCOME.pictures, captions, strict=False), 1):
        assert caption.startswith(f"Figure {number}. {shown.title}. {shown.explanation}")
        assert f"{shown.name}.png, {shown.name}.pdf" in caption
    assert all((folder / f"{p.name}.pdf").read_bytes().startswith(b"%PDF") for p in OUTCOME.pictures)
    narrow, wide = (int(width) for width in report.attributes("width"))
    assert wide / narrow == pytest.approx(7.0 / 4.0, rel=0.01), "text is of one size in all"


def test_tables_are_explained_and_read_as_printed(report) -> None:
    captions = [text for text in report.texts["figcaption"] if text.startswith("Table")]
    assert [" ".join(text.split()) for text in captions] == ["Table 1. Short. Of the roof.", "Table 2. Long."]
    assert report.texts["th"][:2] == ["case", "error[%]"]
    assert report.texts["td"][:4] == ["a-b", "\N{MINUS SIGN}1.5", "c", "2e-3"]
    assert [given.get("class") for tag, given in report.tags if tag == "div"][:2] == ["wide", "wide tall"]
    assert len(report.texts["td"]) >= 4 + 2 * 110, "all rows are there"


def test_what_to_conclude_comes_first_and_then_the_question(report) -> None:
    headings = ["What to conclude", "The question", "Figures", "Tables", "Notes", "Conventions"]
    assert report.texts["h2"] == [*headings, "How to compute this again"]
    assert report.texts["h1"] == ["Lag < 10\N{NO-BREAK SPACE}ms & its cost"] and report.texts["title"][0].startswith(
        "Lag < 10"
    )
    assert report.texts["li"] == ["Keep the lag below 2\N{NO-BREAK SPACE}ms.", "Watch the monitor.", "A note."]
    assert "First paragraph." in report.texts["p"] and "Second one." in report.texts["p"]


def test_the_conventions_and_the_command_are_there_and_the_rows_are_not(report) -> None:
    conventions, source = report.texts["details"]
    for said in (
        "elcentro",
        "0229",
        "0.3188",
        "mean 0.2",
        "stableyes",
        "nothingnone",
        "(100 in all)",
        "first",
        "second",
    ):
        assert said in conventions
    assert "rows" not in conventions and "x = 1 < 2" in source
    assert not any("open" in given for tag, given in report.tags if tag == "details")
    assert report.texts["pre"][0] == "hybsim study my.py --out 'a b'"
    assert {"study.json", "study.csv", "study_all.csv"} <= set(report.texts["code"])


BARE = Page(Outcome("Bare", summary={"rows": []}), {}, "bare", "hybsim study bare")


def test_what_a_study_does_not_have_is_left_out() -> None:
    bare = Reader(BARE.html())
    assert bare.texts["h2"] == ["How to compute this again"] and "details" not in bare.texts


def test_prose_is_escaped_and_code_marked() -> None:
    assert BARE.words("a < b, `x_1 > 2`\n3 %") == "a &lt; b, <code>x_1 &gt; 2</code><br>3&nbsp;%"


def test_equations_in_prose_are_typeset_where_the_command_line_writes_the_report() -> None:
    from hybsim.cli.typeset import typeset

    shown = replace(BARE, prose=typeset).words("omega_n tau / 2 <= zeta at `omega_n`, HSEI_I and eps_max of -1 %")
    assert shown == ("ω<sub>n</sub> τ / 2 ≤ ζ at <code>omega_n</code>, HSEI<sub>I</sub> and eps_max of −1&nbsp;%")


def test_the_same_study_gives_the_same_report(folder, tmp_path) -> None:
    write(OUTCOME, tmp_path, name="study", command="hybsim study my.py --out 'a b'", source="x = 1 < 2\n")
    for name in ("report.html", "study.json", "study.csv", "history.png"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name


def test_numbers_are_written_in_full_and_holes_left_empty(tmp_path) -> None:
    rows = [{"a": 1.0 / 3.0, "b": float("nan")}, {"a": float("inf"), "c": "x,y"}]
    write(Outcome("x", {"rows": rows}, data={"all": rows}), tmp_path, name="n", command="")
    assert (tmp_path / "all.csv").read_text() == 'a,b,c\n0.3333333333333333,,\n,,"x,y"\n'
    assert re.sub(r"\s", "", (tmp_path / "n.json").read_text()) == (
        '{"rows":[{"a":0.3333333333333333,"b":null},{"a":null,"c":"x,y"}]}'
    )
