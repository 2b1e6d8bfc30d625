"""Where a kernel's text comes from: the syntax tree of a function, found by file and line."""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from types import CodeType
from typing import Any

from ..errors import KernelError
from .vocabulary import kernel

_written: dict[str, list[str]] = {}
"""Texts of kernels written by programs; kept here too, since others may empty `linecache`."""


def function_tree(function: Callable[..., Any]) -> ast.FunctionDef | ast.Lambda:
    """The definition of `function`, from its file (or notebook cell)."""
    code = getattr(function, "__code__", None)
    if code is None:
        raise KernelError(f"{function!r} is not a plain function; put @kernel right above its def.")
    if not _lines(code.co_filename):
        raise KernelError(
            f"{function.__qualname__} has no source text to translate (it was made by exec); put it in a file."
        )
    tree = _definition(code)
    if tree is None:  # the lines may be older than the file
        linecache.checkcache(code.co_filename)
        tree = _definition(code)
    if tree is None:
        raise KernelError(
            f"{short(code.co_filename)}:{code.co_firstlineno}: the source of {code.co_name} was not found (the file"
            " changed since it was imported, pytest rewrote an assert in it, or the line holds several lambdas);"
            " import it again, move it out of the test module, or write a def."
        )
    return tree


def _lines(filename: str) -> list[str]:
    return _written.get(filename) or linecache.getlines(filename)


def _definition(code: CodeType) -> ast.FunctionDef | ast.Lambda | None:
    """The one definition at the place of `code` that compiles to it."""
    try:
        trees, codes = _definitions(code.co_filename, "".join(_lines(code.co_filename)))
    except (SyntaxError, ValueError):
        return None  # the file is being edited
    place = (code.co_firstlineno, code.co_name)
    found = trees.get(place, [])
    if len(found) > 1:
        found = _holding(code, found)
    same = [c for c in codes.get(place, []) if _alike(c, code)]
    return found[0] if len(found) == 1 and same else None


def _holding(code: CodeType, lambdas: list[ast.FunctionDef | ast.Lambda]) -> list[ast.FunctionDef | ast.Lambda]:
    """Of several lambdas that start on one line, the innermost that all instructions lie in, by column."""
    places = [(p[0], p[2], p[1], p[3]) for p in code.co_positions() if p[0] is not None and p[3]]
    held = []
    for node in lambdas:
        body = node.body
        if isinstance(body, ast.expr) and places:
            start, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
            if all(start <= place[:2] and place[2:] <= end for place in places):
                held.append((start, node))
    return [max(held, key=lambda item: item[0])[1]] if held else []


Trees = dict[tuple[int, str], list[ast.FunctionDef | ast.Lambda]]
Codes = dict[tuple[int, str], list[CodeType]]


@lru_cache(maxsize=256)
def _definitions(filename: str, text: str) -> tuple[Trees, Codes]:
    trees: Trees = {}
    codes: Codes = {}
    module = ast.parse(text)
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef):
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            trees.setdefault((first, node.name), []).append(node)
        elif isinstance(node, ast.Lambda):
            trees.setdefault((node.lineno, "<lambda>"), []).append(node)
    # Notebook cells may await at their top level.
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    for code in _inner(compile(text, filename, "exec", flags=flags, dont_inherit=True)):
        codes.setdefault((code.co_firstlineno, code.co_name), []).append(code)
    return trees, codes


def _inner(code: CodeType) -> Iterator[CodeType]:
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield value
            yield from _inner(value)


def _alike(a: CodeType, b: CodeType) -> bool:
    """Whether two pieces of code do the same: equal instructions, names and constants."""
    constants = [[repr(c) for c in code.co_consts if not isinstance(c, CodeType)] for code in (a, b)]
    return (
        a.co_code == b.co_code
        and a.co_names == b.co_names
        and a.co_varnames == b.co_varnames
        and constants[0] == constants[1]
    )


def visible_names(function: Callable[..., Any]) -> dict[str, Any]:
    """Module globals and closure variables, as the function sees them."""
    names = dict(function.__globals__)
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:
            continue  # a name that is only bound later; using it is refused as unknown
    return names


def look_up(names: Mapping[str, Any], name: str, default: Any = None) -> Any:
    """What `name`, or `module.name`, stands for among `names`."""
    owner, _, attribute = name.partition(".")
    found = names.get(owner, default)
    return getattr(found, attribute, None) if attribute else found


def kernel_from_text(text: str, label: str, names: Mapping[str, Any] | None = None) -> Callable[..., Any]:
    """A kernel written by a program (blocks with any number of ports); `text` defines one function."""
    lines = text.splitlines(keepends=True)
    filename = f"<{label}>"
    if _written.get(filename, lines) != lines:
        filename = f"<{label} {blake2b(text.encode(), digest_size=4).hexdigest()}>"
    _written[filename] = lines
    linecache.cache[filename] = (len(text), None, lines, filename)
    namespace: dict[str, Any] = dict(names or {})
    exec(compile(text, filename, "exec", dont_inherit=True), namespace)
    (function,) = [v for v in namespace.values() if getattr(v, "__code__", None) and v.__code__.co_filename == filename]
    return kernel(function)


def short(path: str) -> str:
    """A path as people read it: from the working folder where it lies below it."""
    if path.startswith("<"):
        return path
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative
