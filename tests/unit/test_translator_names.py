"""Names: what they stand for in Python is what they stand for in the translation, wherever a kernel is defined."""

from __future__ import annotations

import importlib.util
import linecache
import math
import sys
import types
from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from math import sqrt as root
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hybsim.errors import KernelError
from hybsim.kernel import ir, kernel
from hybsim.kernel.frontend import translate_kernel
from hybsim.kernel.origins import is_current
from hybsim.kernel.python_backend import compile_python
from hybsim.kernel.source import kernel_from_text

FIELDS: dict[str, dict[str, ir.Type | int]] = {
    "u": {"a": "float"}, "x": {}, "p": {"n": "int"}, "y": {"out": "float"},
}  # fmt: skip


def translated(function: Callable[..., Any]) -> ir.Function:
    return translate_kernel(function, "outputs", FIELDS)


def output(function: Callable[..., Any] | ir.Function, a: float = 3.0, n: int = 2, t: float = 0.25) -> float:
    """y.out of a kernel in the Python engine."""
    translation = function if isinstance(function, ir.Function) else translated(function)
    y = SimpleNamespace(out=0.0)
    compile_python(translation, ("u", "x", "p", "y", "t"))(SimpleNamespace(a=a), None, SimpleNamespace(n=n), y, t)
    return float(y.out)


def from_text(text: str, label: str = "names", **names: Any) -> Callable[..., Any]:
    return kernel_from_text(text, label, {"math": math, **names})


def module(folder: Path, name: str, text: str) -> types.ModuleType:
    """A module written now and imported."""
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


# constants from outside -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2.5, 7.5),
        (np.float64(0.1), 3.0 * 0.1),
        (np.int64(7), 21.0),
        (np.int8(-3), -9.0),
        (7, 21.0),
        (-0.0, -0.0),
        (math.inf, math.inf),
    ],
)
def test_numbers_outside_are_constants(value: float, expected: float) -> None:
    assert output(from_text("def outputs(u, x, p, y):\n    y.out = u.a * K\n", K=value)) == expected


@pytest.mark.parametrize("value", [True, np.bool_(True)])
def test_truth_values_outside_are_conditions(value: bool) -> None:
    assert output(from_text("def outputs(u, x, p, y):\n    y.out = 1.0 if K else 2.0\n", K=value)) == 1.0


@pytest.mark.parametrize("value", [[1.0], "text", np.zeros(3), np.float32(0.1), None, {}])
def test_other_things_outside_are_refused(value: object) -> None:
    with pytest.raises(KernelError, match=r"<names.*>:2: 'K' is a \w+ outside the kernel, not a number; pass it in"):
        translated(from_text("def outputs(u, x, p, y):\n    y.out = u.a * K\n", K=value))


def test_a_name_that_is_assigned_is_local_everywhere() -> None:
    """CPython raises UnboundLocalError here; the constant outside must not be read instead."""
    text = "def outputs(u, x, p, y):\n    y.out = u.a * K\n    K = 2.0\n    y.out = K\n"
    with pytest.raises(KernelError, match="'K' may not be set here"):
        translated(from_text(text, K=5.0))


@pytest.mark.parametrize(
    "line", ["abs = u.a\n    y.out = abs(u.a)", "math = u.a\n    y.out = math.sqrt(u.a)", "h = u.a\n    y.out = h(u.a)"]
)
def test_a_variable_hides_a_function(line: str) -> None:
    with pytest.raises(KernelError, match="is a variable here"):
        translated(from_text(f"def outputs(u, x, p, y):\n    {line}\n", h=kernel(lambda a: a)))


def test_a_function_outside_hides_a_builtin() -> None:
    with pytest.raises(KernelError, match="'abs' is not a kernel; mark its definition with @kernel"):
        translated(from_text("def outputs(u, x, p, y):\n    y.out = abs(u.a)\n", abs=lambda a: 7.0))
    own = kernel_from_text("def own(a):\n    return a * 10.0\n", "own")
    assert output(from_text("def outputs(u, x, p, y):\n    y.out = abs(u.a)\n", abs=own)) == 30.0


def test_functions_are_known_under_any_name() -> None:
    text = "def outputs(u, x, p, y):\n    y.out = root(u.a) + m.floor(u.a)\n"
    assert output(from_text(text, root=root, m=math), a=6.25) == 8.5


# names that mean something to the back ends -------------------------------------------------


@pytest.mark.parametrize(
    "name", ["float", "abs", "min", "range", "_wrap", "_int", "self", "print", "print_", "t", "dx"]
)
def test_locals_may_have_any_name(name: str) -> None:
    text = f"def outputs(u, x, p, y):\n    {name} = p.n * 2\n    for i in range(2):\n        {name} += i\n    y.out = u.a * {name}\n"
    if name == "range":
        text = text.replace("range(2)", "(0, 1)")
        with pytest.raises(KernelError):
            translated(from_text(text))
        return
    assert output(from_text(text)) == 15.0


@pytest.mark.parametrize("name", ["float", "min", "_hs_wrap", "compile_python", "math"])
def test_helpers_may_have_any_name(name: str) -> None:
    helper = kernel_from_text(f"def {name}(a, n):\n    return a * n\n", "helper")
    text = f"def outputs(u, x, p, y):\n    y.out = {name}(u.a, p.n)\n"
    assert output(kernel_from_text(text, "names", {name: helper})) == 6.0


def test_time_is_an_argument_or_a_name_like_others() -> None:
    given = translated(from_text("def outputs(u, x, p, y, t):\n    y.out = t * 2.0\n"))
    assert given.uses_time and output(given) == 0.5
    local = translated(from_text("def outputs(u, x, p, y):\n    t = u.a\n    y.out = t * 2.0\n"))
    assert not local.uses_time and output(local) == 6.0
    helper = kernel_from_text("def h(t):\n    t = t + 1.0\n    return t\n", "h")
    passed = translated(from_text("def outputs(u, x, p, y):\n    y.out = h(u.a)\n", h=helper))
    assert not passed.uses_time and output(passed) == 4.0


def test_names_of_the_python_engine_are_refused() -> None:
    with pytest.raises(KernelError, match="names that begin with _hs_ are taken; call '_hs_wrap' something else"):
        translated(from_text("def outputs(u, x, p, y):\n    _hs_wrap = u.a\n    y.out = _hs_wrap\n"))


# where kernels are defined ------------------------------------------------------------------


def made(factor: float) -> Callable[..., Any]:
    @kernel
    def scaled(a):
        return a * factor

    @kernel
    def outputs(u, x, p, y):
        y.out = scaled(u.a) + factor

    return outputs


def test_closures_keep_their_own_numbers() -> None:
    assert [output(made(2.0)), output(made(-1.0))] == [8.0, -4.0]


def test_functions_of_one_name_in_two_modules(tmp_path: Path) -> None:
    text = "from hybsim.kernel import kernel\nFACTOR = {}\n@kernel\ndef gain(a):\n    return a * FACTOR\n"
    one, two = (module(tmp_path, f"module_{i}", text.format(i)) for i in (10.0, 0.5))
    kernel_text = "def outputs(u, x, p, y):\n    y.out = one.gain(u.a) + two.gain(u.a)\n"
    assert output(from_text(kernel_text, one=one, two=two)) == 31.5


def test_a_kernel_in_a_notebook_cell() -> None:
    """IPython keeps the text of a cell in linecache under the name it compiles it with."""
    cell = "await_ = 1\n@kernel\ndef outputs(u, x, p, y):\n    y.out = u.a * 4.0\n"
    filename = "/tmp/ipykernel_1/123.py"
    linecache.cache[filename] = (len(cell), None, cell.splitlines(keepends=True), filename)
    names: dict[str, Any] = {"kernel": kernel}
    exec(compile(cell, filename, "exec"), names)
    assert output(names["outputs"]) == 12.0


def test_a_written_kernel_survives_an_emptied_linecache() -> None:
    function = from_text("def outputs(u, x, p, y):\n    y.out = u.a * 6.0\n", label="emptied")
    linecache.clearcache()
    assert output(function) == 18.0


def test_two_lambdas_on_a_line() -> None:
    double, triple = kernel(lambda a: a * 2.0), kernel(lambda a: a * 3.0)
    text = "def outputs(u, x, p, y):\n    y.out = double(u.a) - triple(u.a)\n"
    assert output(from_text(text, double=double, triple=triple)) == -3.0


def test_a_kernel_without_text_is_refused() -> None:
    names: dict[str, Any] = {}
    exec("def outputs(u, x, p, y):\n    y.out = 1.0\n", names)
    with pytest.raises(KernelError, match=r"outputs has no source text .* put it in a file"):
        translated(kernel(names["outputs"]))


def test_wrapped_functions_are_refused() -> None:
    def logged(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def wrapper(*args: Any, **more: Any) -> Any:
            return function(*args, **more)

        return wrapper

    with pytest.raises(KernelError, match=r"has \*, \*\* or keyword-only arguments"):
        translated(logged(made(1.0)))
    with pytest.raises(KernelError, match="is not a plain function; put @kernel right above its def"):
        translated(lru_cache(made(1.0)))


# text and functions that change --------------------------------------------------------------

VERSION = "from hybsim.kernel import kernel\n@kernel\ndef outputs(u, x, p, y):\n    y.out = u.a * {}\n"


def test_a_file_that_changed_since_it_was_imported_is_refused(tmp_path: Path) -> None:
    old = module(tmp_path, "changing", VERSION.format(2.0))
    assert output(old.outputs) == 6.0
    new = module(tmp_path, "changing", VERSION.format(2.25))
    linecache.checkcache()
    assert output(new.outputs) == 6.75
    with pytest.raises(KernelError, match=r"changing.py:2: the source of outputs was not found .* import it again"):
        translated(old.outputs)


def test_a_reloaded_file_is_read_again(tmp_path: Path) -> None:
    assert output(module(tmp_path, "reloaded", VERSION.format(2.0)).outputs) == 6.0
    # Without checkcache, linecache still holds the old lines.
    assert output(module(tmp_path, "reloaded", VERSION.format("10.0 + 1.0")).outputs) == 31.0


def current(change: Callable[[dict[str, Any]], None], text: str, names: Mapping[str, Any]) -> bool:
    function = from_text(text, **names)
    translation = translated(function)
    assert is_current(translation)
    change(function.__globals__)
    return is_current(translation)


def test_a_translation_notices_what_it_rests_on() -> None:
    text = "def outputs(u, x, p, y):\n    y.out = h(u.a) * K\n"
    names = {"h": kernel_from_text("def h(a):\n    return a + G\n", "h", {"G": 1.0}), "K": 2.0, "other": 1.0}
    assert current(lambda g: g.update(other=2.0), text, names)
    assert current(lambda g: g.update(K=2.0), text, names)
    assert not current(lambda g: g.update(K=3.0), text, names)
    assert not current(lambda g: g.update(K=2), text, names)
    assert not current(lambda g: g.update(h=kernel(lambda a: a)), text, names)
    assert not current(lambda g: g["h"].__globals__.update(G=5.0), text, names)


def test_a_helper_is_translated_again_when_its_constant_changes() -> None:
    helper = kernel_from_text("def h(a):\n    return a * G\n", "changing helper", {"G": 2.0})
    text = "def outputs(u, x, p, y):\n    y.out = h(u.a)\n"
    assert output(from_text(text, h=helper)) == 6.0
    helper.__globals__["G"] = 5.0
    assert output(from_text(text, h=helper)) == 15.0


def test_a_helper_whose_code_was_replaced_is_translated_again(tmp_path: Path) -> None:
    """IPython's autoreload keeps the function and gives it the new code."""
    text = "from hybsim.kernel import kernel\n@kernel\ndef h(a):\n    return a * {}\n"
    old = module(tmp_path, "autoreloaded", text.format(2.0))
    use = "def outputs(u, x, p, y):\n    y.out = h(u.a)\n"
    assert output(from_text(use, h=old.h)) == 6.0
    old.h.__code__ = module(tmp_path, "autoreloaded", text.format(7.0)).h.__code__
    linecache.checkcache()
    assert output(from_text(use, h=old.h)) == 21.0


def test_expressions_may_be_long_and_chains_too() -> None:
    terms = " + ".join(["u.a"] * 90)
    chain = "\n".join(f"    elif u.a < {i}.0:\n        y.out = {i}.0" for i in range(1, 150))
    text = f"def outputs(u, x, p, y):\n    y.out = {terms}\n    if u.a < 0.0:\n        y.out = 0.0\n{chain}\n"
    assert output(from_text(text, label="long"), a=120.5) == 121.0
    assert output(from_text(text, label="long"), a=1000.0) == 90_000.0
    assert sys.getrecursionlimit() <= 3000  # the chain does not live on a raised limit
