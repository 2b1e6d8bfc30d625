"""FILE[:function]: which diagram a target means, and what is said about a mistake in the user's file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

DIAGRAM = """
import hybsim as hs

def {name}({arguments}):
    bd = hs.BDSim().blockdiagram("{title}", dt=0.1)
    bd.COSINEPULSE(name="pulse", amplitude=1.0, duration=1.0)
    return bd
"""


def diagram(name: str, title: str, arguments: str = "") -> str:
    return DIAGRAM.format(name=name, title=title, arguments=arguments)


VARIABLE = diagram("_make", "variable") + "\nbd = _make()\n"
KERNEL = "\nfrom hybsim.kernel import kernel\n\n\n@kernel\ndef twice(x):\n    return 2.0 * x\n"

# The text of a file, what follows its name, and the diagram that is meant.
CHOICES = {
    "named": (diagram("first", "first") + diagram("second", "second"), ":second", "second"),
    "the usual name": (diagram("other", "other") + diagram("diagram", "usual"), "", "usual"),
    "a variable": (VARIABLE + diagram("other", "other"), "", "variable"),
    "a named variable": (VARIABLE, ":bd", "variable"),
    "the only function": (diagram("anything", "only") + KERNEL, "", "only"),
    "the only one without arguments": (diagram("one", "one") + diagram("two", "two", "k"), "", "one"),
}


@pytest.fixture
def user_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "my.py") -> str:
        (tmp_path / name).write_text(text)
        return name

    return write


@pytest.mark.parametrize("text, function, title", CHOICES.values(), ids=CHOICES)
def test_the_diagram_that_is_meant(cli, user_file, text, function, title) -> None:
    done = cli("run", user_file(text) + function)
    assert done.code == 0 and done.out.startswith(f"{title}: ")


def test_a_dotted_module_is_a_target(cli) -> None:
    done = cli("run", "hybsim.diagrams.eerc_chapter3:fig_3_5", "--arg", "specimen=elastic-plastic", "--duration", 1)
    assert done.code == 0 and done.out.startswith("fig_3_5: 101 ticks")


def test_a_file_with_a_colon_or_another_ending_is_a_file(cli, user_file) -> None:
    for name in ("a:b", "diagram.txt", "numpy.py"):
        assert cli("run", user_file(diagram("diagram", "odd"), name)).out.startswith("odd: ")


def test_a_file_may_import_its_neighbours_and_leaves_no_trace(cli, user_file) -> None:
    user_file(diagram("made", "neighbour"), "neighbour_of_my.py")
    text = "import sys\nfrom neighbour_of_my import made\nassert len(sys.argv) == 1\ndef diagram(): return made()\n"
    before = list(sys.path), list(sys.argv)
    assert cli("run", user_file(text)).out.startswith("neighbour: ")
    assert (sys.path, sys.argv) == before


# The text of a file, what follows its name, and what is said.
MISTAKES = {
    "syntax": ("x = 1\ndef diagram(:\n", "", "my.py:2: invalid syntax (Python cannot read the file)."),
    "at import": ("import math\nmath.sqrt(-1)\n", "", "my.py:2: ValueError: "),
    "missing module": ("import no_module\n", "", "my.py:1: ModuleNotFoundError: No module named 'no_module'."),
    "in the function": ("def diagram():\n    a = 1\n    return a.foo\n", "", "my.py:3: AttributeError: "),
    "no text": ("raise ValueError\n", "", "my.py:1: ValueError."),
    "exit": ("raise SystemExit(3)\n", "", "my.py:1: the file ended the program with code 3"),
    "parameter": (
        diagram("diagram", "x").replace("amplitude=1.0", "\n        amplitde=1.0"),
        "",
        "my.py:6: Block 'pulse' has no parameter 'amplitde'. Did you mean 'amplitude'",
    ),
    "unknown block": (
        diagram("diagram", "x").replace("COSINEPULSE", "COSINEPULS"),
        "",
        "my.py:6: AttributeError: 'BlockDiagram' object has no attribute 'COSINEPULS'. Did you mean 'COSINEPULSE'",
    ),
    "not a diagram": ("def diagram():\n    return 7\n", "", "'my.py' gives a value of type int, not a diagram"),
    "nothing returned": ("def diagram():\n    pass\n", "", "'my.py' gives nothing, not a diagram"),
    "arguments": ("def diagram(k):\n    pass\n", "", "diagram of 'my.py' cannot be called: missing a"),
    "no function": ("x = 1\n", "", "'my.py' has no diagram: write a function `diagram()` that returns one."),
    "several": ("def a(): pass\ndef b(): pass\n", "", "'my.py' has the functions a, b: name one, as in my.py:a"),
    "wrong name": ("def first(): pass\n", ":frist", "'my.py' has no function 'frist'. Did you mean 'first'?"),
    "no name": ("def first(): pass\n", ":", "'my.py:' is no FILE:FUNCTION"),
}  # fmt: skip


@pytest.mark.parametrize("text, function, said", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_the_file_is_one_sentence_with_its_line(cli, user_file, text, function, said) -> None:
    done = cli("run", user_file(text) + function)
    assert done.code == 2 and done.out == ""
    assert done.err.startswith(f"hybsim: {said}") and done.err.count("\n") == 1


def test_a_mistake_in_an_imported_file_names_that_file(cli, user_file) -> None:
    user_file("def part():\n    return 1 / 0\n", "part_of_my.py")
    done = cli("run", user_file("from part_of_my import part\ndef diagram():\n    return part()\n"))
    assert done.err.startswith("hybsim: part_of_my.py:2: ZeroDivisionError: ")


def test_what_other_code_raises_names_the_users_line_and_that_code(cli, user_file) -> None:
    done = cli("run", user_file("import json\ndef diagram():\n    return json.loads('{')\n"))
    assert done.err.startswith("hybsim: my.py:3: JSONDecodeError: ") and "(raised in json/decoder.py:" in done.err


@pytest.mark.parametrize(
    "target, said",
    [
        ("yours.py", "There is no file 'yours.py'."),
        ("mi.py", "There is no file 'mi.py'. Did you mean 'my.py'?"),
        ("nowhere/my.py", "There is no folder 'nowhere' either."),
        (".", "'.' is a folder: name a Python file in it."),
        ("hybsim.nothing:x", "There is no file or module 'hybsim.nothing'"),
    ],
)
def test_a_target_that_does_not_exist(cli, user_file, target, said) -> None:
    user_file("", "my.py")
    done = cli("run", target)
    assert done.code == 2 and said in done.err and done.err.count("\n") == 1


def test_an_algebraic_loop_is_refused_with_its_path(cli, user_file) -> None:
    text = (
        "import hybsim as hs\nbd = hs.BDSim().blockdiagram(dt=0.01)\n"
        "a = bd.SPRING(name='a', stiffness=1.0)\nb = bd.SPRING(name='b', stiffness=1.0)\n"
        "bd.connect(a, b)\nbd.connect(b, a)\n"
    )
    done = cli("run", user_file(text))
    assert done.code == 2 and done.err.startswith("hybsim: Algebraic loop: ")


def test_an_interrupt_is_exit_code_130(cli, user_file) -> None:
    done = cli("run", user_file("def diagram():\n    raise KeyboardInterrupt\n"))
    assert (done.code, done.out, done.err) == (130, "", "hybsim: interrupted.\n")
