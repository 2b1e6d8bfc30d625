"""hybsim blocks: the catalogue is complete, true to the source, and docs/blocks.md is up to date."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hybsim as hs
from hybsim.blocks import CATALOGUE, catalogue
from hybsim.kernel import Choice, Integer, Matrix, Param, Positive, Real

ROOT = Path(__file__).parents[2]


def test_every_block_is_listed_with_its_summary_under_its_family(cli) -> None:
    done = cli("blocks")
    assert done.code == 0 and done.err == ""
    for name, cls in CATALOGUE.items():
        assert f"  {name} " in done.out and cls.__doc__.splitlines()[0] in done.out
    assert "Specimens: " in done.out and "GAIN, POW" in done.out


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_block_is_shown_in_full(cli, name) -> None:
    cls = CATALOGUE[name]
    done = cli("blocks", name)
    assert done.code == 0
    for word in (*cls.ins, *cls.outs, *cls.params):
        assert word in done.out.split(), word
    source = Path(done.out.splitlines()[-1].removeprefix("Source:").strip())
    equation = source.read_text().split('"""')[1].strip()
    assert all(line.strip() in done.out for line in equation.splitlines())


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_example_makes_a_block(name) -> None:
    bd = hs.BDSim().blockdiagram(dt=catalogue.TICK)
    made = eval(catalogue.example(name), {"bd": bd})
    assert type(made) is CATALOGUE[name]


# From the equations: an explicit integrator publishes its state; a spring follows its displacement at once;
# the input energy is the work of the load on the command; a first-order actuator and a delay take time.
FOLLOWS = {
    "NEWMARK": {"disp_target": [], "vel": [], "accel": []},
    "SPRING": {"force": ["disp"]},
    "DELAY": {"delayed": []},
    "ACTUATOR": {"position": []},
    "GROUNDMOTION": {"accel": []},
}


@pytest.mark.parametrize("name", FOLLOWS)
def test_feedthrough_is_stated(name) -> None:
    assert catalogue.describe(name)["feedthrough"] == FOLLOWS[name]


def test_input_energy_does_not_follow_the_force() -> None:
    assert catalogue.describe("ENERGY")["feedthrough"]["e_input"] == ["disp_cmd", "load"]


@pytest.mark.parametrize(
    "declared, words",
    [
        (Real("x"), "number"),
        (Positive("x"), "number > 0"),
        (Positive("x", None, optional=True), "number > 0, or None"),
        (Real("x", 0.0, at_least=0.0, at_most=1.0), "number >= 0 and <= 1"),
        (Integer("x", 1, at_least=1, below=2.0**53), "whole number < 9007199254740992 and >= 1"),
        (Choice("x", "a", among=("a", "b")), "'a' or 'b'"),
        (Matrix("x"), "number or square matrix"),
        (Param("x"), ""),
    ],
)
def test_limits_are_said_in_words(declared, words) -> None:
    assert catalogue.allowed(declared) == words


@pytest.mark.parametrize("word", ["boucwen", "BoucWen", "BOUCWEN"])
def test_a_block_is_found_by_name_or_class_in_any_case(cli, word) -> None:
    assert cli("blocks", word).out.startswith("BOUCWEN  Bouc-Wen")


def test_a_block_of_bdsim_is_shown_too(cli) -> None:
    done = cli("blocks", "gain")
    assert done.code == 0 and "GAIN  y = u K" in done.out and "bdsim's documentation" in done.out


def test_an_unknown_name_gets_the_near_ones(cli) -> None:
    done = cli("blocks", "boucwne")
    assert done.code == 2 and done.out == ""
    assert done.err.startswith("hybsim: There is no block 'boucwne'. Did you mean 'BOUCWEN'")


def test_json_of_the_catalogue_and_of_one_block(cli) -> None:
    content = json.loads(cli("blocks", "--json").out)
    assert [b["name"] for b in content["blocks"]] == list(CATALOGUE)
    assert "GAIN" in content["bdsim"]["functions"]
    block = json.loads(cli("blocks", "BOUCWEN", "--json", "-").out)
    assert block["inputs"] == {"disp": "applied displacement u"}
    stiffness, *_, n = block["parameters"]
    assert (stiffness["name"], stiffness["required"], stiffness["allowed"]) == ("stiffness", True, "number > 0")
    assert (n["name"], n["required"], n["default"]) == ("n", False, 2.0)
    assert block["source"] == "blocks/specimens/bouc_wen.py" and (ROOT / block["source"]).is_file()


def test_the_page_of_the_documentation_is_up_to_date(cli) -> None:
    page = cli("blocks", "--markdown", "-").out
    assert (ROOT / "docs/blocks.md").read_text(encoding="utf-8") == page, "run `hybsim blocks --markdown`"
    for name in CATALOGUE:
        assert f"\n### {name}\n" in page
    links = [part.partition(")")[0] for part in page.split("](../")[1:]]
    assert len(links) == len(CATALOGUE) and all((ROOT / link).is_file() for link in links)


def test_the_page_is_written_where_it_belongs(cli, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = cli("blocks", "--markdown")
    assert done.code == 2 and "docs' does not exist" in done.err
    (tmp_path / "docs").mkdir()
    assert cli("blocks", "--markdown").code == 0
    assert (tmp_path / "docs/blocks.md").read_text(encoding="utf-8") == cli("blocks", "--markdown", "-").out


@pytest.mark.parametrize(
    "words", [["BOUCWEN", "--markdown", "-"], ["--markdown", "-", "--json", "-"], ["--markdown", "x"]]
)
def test_a_mistake_is_one_sentence(cli, words) -> None:
    done = cli("blocks", *words)
    assert done.code == 2 and done.out == "" and done.err.count("\n") == 1
