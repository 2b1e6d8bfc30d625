"""The command line as a whole: help, version, exit codes, streams and pipes."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from bare_package import python
from typer.testing import CliRunner

from hybsim.cli import app, failures, filled, progress
from hybsim.errors import HybsimError

COMMANDS = ("demo", "run", "compile", "study", "psi", "indicators", "preflight", "blocks", "doctor")
HYBSIM = str(Path(sys.executable).with_name("hybsim"))

NOISY = """
import os, sys, warnings
import hybsim as hs

print("printed")
os.system("echo from another program")
warnings.warn("mind\\nthe gap")

def diagram():
    bd = hs.BDSim().blockdiagram("noisy", dt=0.01)
    bd.COSINEPULSE(name="pulse", amplitude=1.0, duration=1.0)
    return bd
"""

HELP = """
from hybsim.cli import main
code = main(["--help"])
heavy = {"bdsim", "matplotlib", "numpy", "scipy", "control", "h5py"} & set(sys.modules)
sys.exit(f"imported {sorted(heavy)}" if heavy else code)
"""


def hybsim(*words: object, **options) -> subprocess.CompletedProcess[str]:
    """A command as a user gives it."""
    return subprocess.run([HYBSIM, *map(str, words)], capture_output=True, text=True, timeout=120, **options)


# ---- help and version


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], *([c, "--help"] for c in COMMANDS)])
def test_help_is_everywhere(words) -> None:
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0 and "Usage: hybsim" in done.output
    if words in ([], ["--help"]):
        assert all(command in done.output for command in COMMANDS)


def test_help_needs_none_of_the_heavy_packages() -> None:
    done = python(HELP)
    assert done.returncode == 0, done.stderr


def test_the_installed_command_knows_its_version() -> None:
    done = hybsim("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"hybsim \d+\.\d+\.\d+\S*\n", done.stdout)


@pytest.mark.parametrize(
    "words, said",
    [
        (["dmo"], "No such command 'dmo'"),
        (["--verbose"], "No such option: --verbose"),
        (["run"], "Missing argument 'FILE[:FUNCTION]'; see 'hybsim run --help'."),
        (["demo", "--out"], "Option '--out' requires an argument"),
        (["doctor", "twice"], "Got unexpected extra argument"),
    ],
)
def test_bad_usage_is_one_sentence(cli, words, said) -> None:
    done = cli(*words)
    assert done.code == 2 and done.out == ""
    assert done.err.startswith("hybsim: ") and said in done.err and done.err.count("\n") == 1


# ---- streams


def test_with_json_on_stdout_nothing_else_is_there(tmp_path) -> None:
    (tmp_path / "noisy.py").write_text(NOISY)
    done = hybsim("run", "noisy.py", "--json", "-", cwd=tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout)["manifest"]["diagram"] == "noisy"
    said = ["printed", "from another program", "hybsim: warning: mind the gap"]
    assert sorted(done.stderr.splitlines()) == sorted(said)


def test_without_json_the_user_s_words_stay_on_stdout(tmp_path) -> None:
    (tmp_path / "noisy.py").write_text(NOISY)
    done = hybsim("run", "noisy.py", cwd=tmp_path)
    assert "printed" in done.stdout and "pulse.value" in done.stdout
    assert done.stderr == "hybsim: warning: mind the gap\n"


def test_a_reader_that_has_enough_is_no_error() -> None:
    for words in ("blocks", "blocks --json -", "blocks --markdown -"):
        done = subprocess.run(f"'{HYBSIM}' {words} | head -n 1", shell=True, capture_output=True, text=True)
        assert done.stderr == "" and done.stdout.count("\n") == 1, words


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_one_sentence() -> None:
    for words in ("blocks", "blocks --json -"):
        done = subprocess.run(f"'{HYBSIM}' {words} > /dev/full", shell=True, capture_output=True, text=True)
        assert (
            done.returncode == 2 and done.stderr == "hybsim: The operating system refused: No space left on device.\n"
        )


def test_closed_streams_are_no_traceback() -> None:
    done = subprocess.run(f"'{HYBSIM}' blocks --json - >&-", shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "hybsim: Cannot write to stdout: it is closed.\n")
    done = subprocess.run(f"'{HYBSIM}' blocks nothing 2>&-", shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")


def test_json_can_go_into_a_device(cli) -> None:
    before = os.stat("/dev/null")
    assert cli("blocks", "SPRING", "--json", "/dev/null").code == 0
    assert os.path.samestat(os.stat("/dev/null"), before), "it was written to, not replaced"


def test_letters_that_a_terminal_lacks_are_replaced(tmp_path) -> None:
    (tmp_path / "greek.py").write_text(NOISY.replace("noisy", "ωτ"), encoding="utf-8")
    done = hybsim("run", "greek.py", cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and "??: 1001 ticks" in done.stdout


def test_values_that_may_be_left_out() -> None:
    assert filled(["doctor", "--json"]) == ["doctor", "--json", "-"]
    assert filled(["blocks", "--markdown", "--json", "-"]) == ["blocks", "--markdown", "docs/blocks.md", "--json", "-"]
    assert filled(["run", "x.py", "--json", "r.json"]) == ["run", "x.py", "--json", "r.json"]


# ---- exceptions


class Odd(Exception):
    pass


EXCEPTIONS = {
    "ours": (HybsimError("Two\nlines."), 2, "hybsim: Two lines."),
    "system": (
        PermissionError(13, "Permission denied", "/x"),
        2,
        "hybsim: The operating system refused '/x': Permission",
    ),
    "memory": (MemoryError("Unable to allocate 3 EiB"), 2, "hybsim: There is not enough memory (Unable to allocate"),
    "a fault": (Odd("what?"), 2, "hybsim: This is a fault in hybsim, please report it (Odd: what?)"),
    "interrupt": (KeyboardInterrupt(), 130, "hybsim: interrupted."),
    "recursion": (RecursionError("deep"), 2, "hybsim: This is a fault in hybsim"),
}


def raising(error: BaseException):
    def command() -> None:
        raise error

    return command


@pytest.mark.parametrize("error, code, said", EXCEPTIONS.values(), ids=EXCEPTIONS)
def test_an_exception_is_one_line_and_a_code(capsys, error, code, said) -> None:
    assert failures.exit_code(raising(error)) == code
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(said) and err.count("\n") == 1


def test_a_traceback_is_there_for_who_asks(capsys, monkeypatch) -> None:
    monkeypatch.setenv("HYBSIM_TRACEBACK", "1")
    assert failures.exit_code(raising(Odd("what?"))) == 2
    assert "Traceback" in capsys.readouterr().err


def test_a_warning_is_one_line_and_said_once(capsys) -> None:
    def command() -> None:
        for _ in range(3):
            warnings.warn("take\ncare", UserWarning, stacklevel=1)

    shown = warnings.showwarning
    assert failures.exit_code(command) == 0
    assert capsys.readouterr().err == "hybsim: warning: take care\n"
    assert warnings.showwarning is shown, "put back"


# ---- progress


def test_long_work_shows_a_bar_with_the_time_left_on_a_terminal(monkeypatch) -> None:
    from rich.console import Console

    screen = io.StringIO()
    monkeypatch.setattr(progress, "console", lambda stderr: Console(file=screen, force_terminal=True, width=80))
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with progress.progress_bar("Running", 200) as advance:
        advance(50)
    assert "Running" in screen.getvalue() and "25%" in screen.getvalue() and ":--" in screen.getvalue()


def test_short_work_and_no_terminal_show_no_bar(monkeypatch, capsys) -> None:
    from rich.console import Console

    screen = io.StringIO()
    monkeypatch.setattr(progress, "console", lambda stderr: Console(file=screen, force_terminal=True, width=80))
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    with progress.progress_bar("Running", 200) as advance:
        advance(200)
    assert screen.getvalue() == ""
    monkeypatch.undo()
    with progress.progress_bar("Running", 200) as advance:
        advance(200)
    assert capsys.readouterr() == ("", "")
