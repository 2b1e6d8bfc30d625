"""FILE[:function]: from the words of a command line to a diagram.

FILE is a Python file or a dotted module. The diagram is what the function returns; without one named, the
function `diagram`, else the variable `bd`, else the only function that can be called without arguments.
A mistake in the user's file is one sentence with its file and line.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from traceback import FrameSummary, StackSummary, extract_tb
from types import ModuleType
from typing import Annotated, Any

import typer

from hybsim.errors import HybsimError, near

from .failures import one_line

TargetArgument = Annotated[
    str,
    typer.Argument(
        metavar="FILE[:FUNCTION]",
        help="A Python file (or dotted module) and the function in it that returns the diagram; without one:"
        " the function 'diagram', the variable 'bd', or the only function there is.",
    ),
]
ArgumentOption = Annotated[
    list[str] | None,
    typer.Option("--arg", metavar="NAME=VALUE", help="An argument of the function; may be repeated."),
]
SolverOption = Annotated[
    str, typer.Option("--solver", metavar="NAME", help="Solver of continuous blocks: euler, heun or rk4.")
]


class TargetError(HybsimError):
    """A diagram cannot be had from the user's file."""


def load_diagram(target: str, arguments: Mapping[str, Any] | None = None) -> Any:
    """The diagram that a target names."""
    file, name = split(target)
    with _as_program(file):
        module = _load(file)
        made = _call(module, file, name, dict(arguments or {}))
    from bdsim.blockdiagram import BlockDiagram

    if not isinstance(made, BlockDiagram):
        what = "nothing" if made is None else f"a value of type {type(made).__name__}"
        raise TargetError(f"'{target}' gives {what}, not a diagram: let the function end with `return bd`.")
    return made


def assignments(words: Sequence[str] | None, option: str) -> dict[str, Any]:
    """`name=value` pairs; a value is a number, a list or a word."""
    values: dict[str, Any] = {}
    for word in words or ():
        name, equals, value = word.partition("=")
        if not equals or not name.strip():
            raise TargetError(f"{option} needs name=value, got {word!r}.")
        try:
            values[name.strip()] = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError):
            values[name.strip()] = value  # a word such as elcentro
    return values


def split(target: str) -> tuple[str, str | None]:
    """File and function; a file whose own name has a colon is taken whole."""
    if os.path.exists(target):
        return target, None
    file, colon, name = target.rpartition(":")
    if not colon:
        return target, None
    if not file or not name.isidentifier():
        raise TargetError(f"'{target}' is no FILE:FUNCTION: give a Python file and the name of a function in it.")
    return file, name


@contextmanager
def _as_program(file: str) -> Iterator[None]:
    """Neighbours of the file can be imported and sys.argv holds none of our words, as under `python FILE`."""
    folder = os.path.dirname(os.path.abspath(file)) if os.path.exists(file) else os.getcwd()
    argv, path = sys.argv, list(sys.path)
    sys.argv, sys.path[:] = [file], [folder, *sys.path]
    try:
        yield
    finally:
        sys.argv = argv
        sys.path[:] = path


def _load(file: str) -> ModuleType:
    if os.path.isdir(file):
        raise TargetError(f"'{file}' is a folder: name a Python file in it.")
    if os.path.exists(file):
        from importlib.machinery import SourceFileLoader

        # Under a name of its own: a file called numpy.py must not stand in for the package.
        name = "diagram_file_" + re.sub(r"\W", "_", Path(file).stem)
        spec = importlib.util.spec_from_loader(name, SourceFileLoader(name, os.path.abspath(file)))
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        with _blame(file, f"'{file}' cannot be read"):
            spec.loader.exec_module(module)
        return module
    if re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*", file) and not file.endswith(".py"):
        with _blame(file, f"Module '{file}' cannot be imported"):
            try:
                return importlib.import_module(file)
            except ModuleNotFoundError as error:
                if error.name is None or not f"{file}.".startswith(f"{error.name}."):
                    raise
        raise TargetError(f"There is no file or module '{file}': give a Python file or a dotted module.")
    raise TargetError(f"There is no file '{file}'.{_neighbours(file)}")


def _neighbours(file: str) -> str:
    folder = Path(file).parent
    try:
        names = [p.name for p in folder.iterdir() if p.suffix == ".py"]
    except OSError:
        return f" There is no folder '{folder}' either."
    return near(Path(file).name, names)


def _call(module: ModuleType, file: str, name: str | None, arguments: dict[str, Any]) -> Any:
    function = _chosen(module, file, name)
    if not callable(function):
        if arguments:
            raise TargetError(f"--arg needs a function, but the diagram of '{file}' is a variable.")
        return function
    label = f"{function.__name__} of '{file}'"
    try:
        inspect.signature(function).bind(**arguments)
    except TypeError as error:
        raise TargetError(f"{label} cannot be called: {error}; --arg NAME=VALUE gives it an argument.") from None
    with _blame(getattr(module, "__file__", None) or file, f"{label} failed"):
        return function(**arguments)


def _chosen(module: ModuleType, file: str, name: str | None) -> Any:
    functions = _functions(module)
    if name is not None:
        if not hasattr(module, name):
            raise TargetError(f"'{file}' has no function {name!r}.{near(name, functions)}")
        return getattr(module, name)
    for usual in ("diagram", "bd"):
        if hasattr(module, usual):
            return getattr(module, usual)
    ready = {n: f for n, f in functions.items() if not _needs(f)} or functions
    if len(ready) == 1:
        return next(iter(ready.values()))
    if not ready:
        raise TargetError(f"'{file}' has no diagram: write a function `diagram()` that returns one.")
    raise TargetError(f"'{file}' has the functions {', '.join(ready)}: name one, as in {file}:{next(iter(ready))}")


def _functions(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """Public functions of this module or package; kernels are parts of blocks, not diagrams."""
    from hybsim.kernel.vocabulary import is_kernel

    return {
        name: value
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and f"{value.__module__}.".startswith(f"{module.__name__}.")
        and not name.startswith("_")
        and not is_kernel(value)
    }


def _needs(function: Callable[..., Any]) -> bool:
    """Whether a function has arguments that must be given."""
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return any(p.default is p.empty and p.kind not in kinds for p in parameters)


@contextmanager
def _blame(file: str, otherwise: str) -> Iterator[None]:
    """Turn what the user's code raises into a sentence with the line it came from."""
    try:
        yield
    except (TargetError, KeyboardInterrupt):
        raise
    except SyntaxError as error:
        where = f"{_short(error.filename or file)}:{error.lineno or 1}"
        raise TargetError(f"{where}: {error.msg} (Python cannot read the file).") from error
    except (Exception, SystemExit) as error:
        frames = extract_tb(error.__traceback__)
        blamed = _own_line(frames, file)
        where = otherwise if blamed is None else f"{_short(blamed.filename)}:{blamed.lineno}"
        raise TargetError(f"{where}: {_said(error, frames[-1] if frames[-1] is not blamed else None)}") from error


def _said(error: BaseException, raised_in: FrameSummary | None) -> str:
    """What the exception says, and where it was raised if that is someone else's code."""
    text = one_line(str(error)).rstrip(".")
    if isinstance(error, HybsimError):
        return f"{text}{'' if text.endswith('?') else '.'}"
    if isinstance(error, SystemExit):
        return f"the file ended the program with code {text or 0}; return the diagram instead."
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if raised_in is not None:
        said += f" (raised in {os.sep.join(Path(raised_in.filename).parts[-2:])}:{raised_in.lineno})"
    if isinstance(error, AttributeError) and (error.name or "").isupper():
        from hybsim.blocks import CATALOGUE, stock

        return f"{said}.{near(error.name or '', [*CATALOGUE, *stock.supported()])}"
    return f"{said}."


def _own_line(frames: StackSummary, file: str) -> FrameSummary | None:
    """The innermost line of the user's own code, or of the file at least, that the exception passed."""
    own = [f for f in frames if not _installed(f.filename)]
    given = [f for f in frames if os.path.realpath(f.filename) == os.path.realpath(file)]
    return next(iter((own or given)[-1:]), None)


def _installed(filename: str) -> bool:
    """Whether code belongs to Python, to an installed package or to hybsim."""
    import hybsim

    if filename.startswith("<"):
        return True
    root = Path(hybsim.__file__ or "").resolve().parent
    # In a checkout blocks, runtime and the others lie beside src; each has its own place.
    folders = [root, *(p.resolve() for p in root.iterdir() if p.is_dir())]
    folders += [Path(sysconfig.get_path(key)).resolve() for key in ("stdlib", "platstdlib", "purelib", "platlib")]
    return any(Path(filename).resolve().is_relative_to(folder) for folder in folders)


def _short(filename: str) -> str:
    relative = os.path.relpath(filename)
    return filename if relative.startswith("..") else relative
