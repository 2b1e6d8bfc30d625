"""hybsim compile: the schedule, the C source on stdout or in a file, and what needs a compiler."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = """
import hybsim as hs

print("words of the user's file")

def diagram(n=1):
    bd = hs.BDSim().blockdiagram("chain", dt=0.01)
    last = bd.COSINEPULSE(name="pulse", amplitude=1.0, duration=1.0)
    for i in range(n):
        last = bd.SPRING(name=f"spring{i}", stiffness=2.0, inputs=[last])
    bd.ACTUATOR(name="actuator", system=([1.0], [0.01, 1.0]), inputs=[last])
    return bd
"""


needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler named cc")


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    file = tmp_path / "chain.py"
    file.write_text(TEXT)
    return file


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HYBSIM_CC", "none")
    monkeypatch.setenv("HYBSIM_CACHE", str(tmp_path / "cache"))


def test_the_schedule_is_in_the_order_of_computation(cli, chain) -> None:
    done = cli("compile", chain, "--arg", "n=2", "--solver", "heun")
    assert done.code == 0 and done.err == ""
    assert "chain: dt = 0.01 s, 4 blocks, solver heun" in done.out
    places = [done.out.index(f"{name} (") for name in ("pulse", "spring0", "spring1")]
    assert places == sorted(places)
    library = done.out.split()[-1]
    assert Path(library).is_file() and library.endswith(".so")


@needs_cc
def test_the_c_source_is_alone_on_stdout_and_compiles(cli, chain, tmp_path) -> None:
    done = cli("compile", chain, "--emit-c")
    assert done.code == 0 and done.out.startswith("/*") and "hs_run" in done.out
    assert done.err == "words of the user's file\n"
    assert cli("compile", chain, "--emit-c", "-").out == done.out
    (tmp_path / "alone.c").write_text(done.out)
    checked = subprocess.run(["cc", "-std=c11", "-fsyntax-only", "alone.c"], cwd=tmp_path, capture_output=True)
    assert checked.returncode == 0, checked.stderr


def test_the_c_source_is_written_to_a_file(cli, chain, tmp_path) -> None:
    source = cli("compile", chain, "--emit-c").out
    done = cli("compile", chain, "--emit-c", tmp_path / "out.c")
    assert done.code == 0 and str(tmp_path / "out.c") in done.out
    assert (tmp_path / "out.c").read_text() == source


def test_json_describes_the_lowered_diagram(cli, chain) -> None:
    content = json.loads(cli("compile", chain, "--json", "-").out)
    assert (content["diagram"], content["dt"], content["solver"]) == ("chain", 0.01, "rk4")
    spring = next(step for step in content["schedule"] if step["block"] == "spring0")
    assert spring["inputs"] == {"disp": "pulse.value"} and spring["outputs"] == ["force"]
    assert spring["type"] == "Spring" and spring["kind"] == "function"
    assert content["parameters"]["spring0.stiffness"] == 2.0
    assert content["signals"][:2] == ["pulse.value", "spring0.force"]
    assert Path(content["library"]).is_file() and "hs_run" in content["c_source"]


def test_without_a_compiler_the_source_is_there_but_nothing_is_built(cli, chain, no_compiler) -> None:
    done = cli("compile", chain)
    assert done.code == 2 and done.err.startswith("hybsim: No C compiler is used")
    done = cli("compile", chain, "--emit-c")
    assert done.code == 0 and done.out.startswith("/*")
    assert "hybsim: warning: the source was not compiled. No C compiler is used" in done.err


@pytest.mark.parametrize(
    "words, said",
    [
        (["out.c"], "'out.c' is one word too many: --emit-c out.c writes the C source there."),
        (["--emit-c", "out.txt"], "Cannot write 'out.txt': its name must end in one of .c."),
        (["--emit-c", "nowhere/out.c"], "does not exist, so create it first."),
        (["--emit-c", "--json", "-"], "Both the C source and the JSON would go to stdout"),
        (["--solver", "rk"], "There is no solver 'rk'. Did you mean 'rk4'?"),
    ],
)
def test_a_mistake_is_one_sentence(cli, chain, monkeypatch, words, said) -> None:
    monkeypatch.chdir(chain.parent)
    done = cli("compile", chain, *words)
    assert done.code == 2 and said in done.err and done.err.count("hybsim: ") == 1
    assert "Traceback" not in done.err


@needs_cc
def test_a_source_can_be_piped_into_a_compiler(chain) -> None:
    hybsim = [sys.executable, "-c", "import sys; from hybsim.cli import main; sys.exit(main())"]
    emitted = subprocess.run([*hybsim, "compile", chain, "--emit-c"], capture_output=True)
    compiled = subprocess.run(
        ["cc", "-std=c11", "-x", "c", "-fsyntax-only", "-"], input=emitted.stdout, capture_output=True
    )
    assert compiled.returncode == 0, compiled.stderr


def test_a_diagram_can_be_drawn(cli, tmp_path) -> None:
    picture = tmp_path / "diagram.png"
    done = cli("compile", "hybsim.diagrams.eerc_chapter3:fig_3_5", "--draw", str(picture))
    assert done.code == 0
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 10_000
    refused = cli("compile", "hybsim.diagrams.eerc_chapter3:fig_3_5", "--draw", str(tmp_path / "diagram.bmp"))
    assert refused.code == 2 and ".png" in refused.err
