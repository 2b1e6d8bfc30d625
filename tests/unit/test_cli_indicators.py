"""hybsim indicators: its files, its JSON, what it refuses."""

from __future__ import annotations

import csv
import json
import math
import re

import pytest

PICTURES = [
    "stability_diagrams", "stability_regions", "unconditional_range", "phase_envelope", "performance_diagrams",
    "effective_damping",
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The report on an actuator of the first order with a time constant of 10 ms, written once."""
    from hybsim.cli import main

    out = tmp_path_factory.mktemp("indicators")
    words = ["--actuator", "1/0.01,1", "--tau-cr", "0.02", "--tau-comm", "0.002", "--out", str(out / "new")]
    assert main(["indicators", *words, "--json", str(out / "summary.json")]) == 0
    return out


def test_every_figure_is_written_for_paper_and_screen(folder) -> None:
    for name in PICTURES:
        assert (folder / "new" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (folder / "new" / f"{name}.pdf").read_bytes().startswith(b"%PDF")


def test_the_report_explains_each_figure_and_states_the_errata(folder) -> None:
    text = (folder / "new" / "report.html").read_text()
    captions = re.findall(r"<figcaption><b>Figure \d.*?</figcaption>", text, re.S)
    assert len(captions) == len(PICTURES)
    assert all(len(re.sub("<[^>]*>", "", caption)) > 200 for caption in captions)
    for number, said in ((0, "neutral"), (2, "Eq. 2.21 lacks a square"), (4, "has no PPI"), (5, "never negative")):
        assert "Corrected:" in captions[number] and said in captions[number]
    assert not re.findall(r'(?:src|href)="(?!data:|#)', text)  # opens offline
    assert "hybsim indicators --actuator 1/0.01,1 --tau-cr 0.02 --tau-comm 0.002" in text


def test_the_actuator_and_the_sampling(folder) -> None:
    # 1/(0.01 s + 1): the phase delay atan(0.01 w)/w is longest, 10 ms, at rest; 20 - 2 - 10 ms are left
    given = json.loads((folder / "summary.json").read_text())["actuator"]
    assert given["longest_phase_delay_s"] == pytest.approx(0.010, rel=1e-6)
    assert given["sampling_hz"] == pytest.approx(1.0 / (2.0 * 0.008), rel=1e-6)


def test_the_csv_files_hold_the_numbers(folder) -> None:
    with open(folder / "new" / "table_2_2.csv") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6
    for row in rows:
        assert float(row["psi"]) == pytest.approx(float(row["printed"]), abs=6e-3)
        assert float(row["psi"]) == pytest.approx(math.log(1e3 * float(row["omega_cr"]) / float(row["omega_n"])))
    with open(folder / "new" / "stability_diagrams.csv") as file:
        diagram = list(csv.DictReader(file))
    assert len(diagram) == 4 * 5 * 201
    assert all(float(row["omega_cr"]) == 0.0 for row in diagram if row["case"] == "Case IV")
    neutral = [row for row in diagram if row["case"] in ("Case I", "Case III") and float(row["share"]) <= 0.5]
    assert neutral and all(float(row["omega_cr"]) == 0.0 for row in neutral)
    assert {row["case"] for row in diagram if row["omega_cr"] == ""} == {"Case II"}


def test_without_a_folder_there_are_tables(cli) -> None:
    done = cli("indicators", "--actuator", "TS_2")
    assert (done.code, done.err) == (0, "")
    for title in ("PSI Table 2.2", "stable with any delay", "Smallest sampling frequency with TS_2", "PSI Table 4.1"):
        assert title in done.out
    assert "TS_2 is used with unit DC gain" in done.out and "report.html" not in done.out


def test_a_dc_gain_other_than_1_is_a_warning_in_the_result(cli) -> None:
    done = cli("indicators", "--actuator", "0.9/0.01,1", "--json", "-")
    assert done.code == 0
    assert any("DC gain of 0.9" in warning for warning in json.loads(done.out)["warnings"])


def test_an_actuator_that_is_too_slow(cli) -> None:
    done = cli("indicators", "--tau-cr", "0.01", "--json", "-")
    assert json.loads(done.out)["actuator"]["sampling_hz"] is None
    assert "no sampling is fast enough" in " ".join(cli("indicators", "--tau-cr", "0.01").out.split())


@pytest.mark.parametrize(
    "words, said",
    [
        (["--actuator", "1,0,0/1,1"], "must be proper, got a numerator of degree 2 over a denominator of degree 1"),
        (["--actuator", "TS_3"], "There is no identified actuator 'TS_3'."),
        (["--actuator", "1/x"], "The actuator '1/x' cannot be read: give TS_1, TS_2 or NUM/DEN"),
        (["--actuator", "1/-0.01,1"], "is not stable by itself"),
        (["--tau-cr", "0"], "tau_cr, the critical delay in s, must be a finite number above 0, got 0."),
        (["--tau-cr", "nan"], "above 0, got nan."),
        (
            ["--tau-comm", "-1"],
            "tau_comm, the delay of communication in s, must be a finite number of at least 0, got -1.",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_no_folder(cli, tmp_path, words, said) -> None:
    done = cli("indicators", *words, "--out", tmp_path / "out")
    assert (done.code, done.out) == (2, "")
    assert said in done.err and done.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_file_in_place_of_the_folder_is_refused(cli, tmp_path) -> None:
    (tmp_path / "out").write_text("")
    done = cli("indicators", "--out", tmp_path / "out")
    assert done.code == 2 and "it is a file" in done.err
