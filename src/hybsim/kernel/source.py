"""Where a kernel's text comes from: the syntax tree of a function, found by file and line."""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from ..errors import KernelError
from .vocabulary import kernel


def function_tree(function: Callable[..., Any]) -> ast.FunctionDef | ast.Lambda:
    """The definition of `function`, from its file (or notebook cell)."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename)
    if not lines:
        raise KernelError(
            f"{function.__qualname__} has no source text to translate (it was made by exec); put it in a file."
        )
    found = _definitions(code.co_filename, "".join(lines)).get((code.co_firstlineno, code.co_name), [])
    if len(found) != 1:
        raise KernelError(
            f"{code.co_filename}:{code.co_firstlineno}: the source of {code.co_name} was not found"
            " (the file changed since it was imported, or the line holds several lambdas);"
            " reload it, or write a named function."
        )
    return found[0]


@lru_cache(maxsize=256)
def _definitions(filename: str, text: str) -> dict[tuple[int, str], list[ast.FunctionDef | ast.Lambda]]:
    definitions: dict[tuple[int, str], list[ast.FunctionDef | ast.Lambda]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            definitions.setdefault((first, node.name), []).append(node)
        elif isinstance(node, ast.Lambda):
            definitions.setdefault((node.lineno, "<lambda>"), []).append(node)
    return definitions


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


def kernel_from_text(text: str, label: str, names: Mapping[str, Any] | None = None) -> Callable[..., Any]:
    """A kernel written by a program (blocks with any number of ports); `text` defines one function."""
    filename = f"<{label}>"
    if filename in linecache.cache and linecache.getlines(filename) != text.splitlines(keepends=True):
        filename = f"<{label} {abs(hash(text)):x}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = dict(names or {})
    exec(compile(text, filename, "exec"), namespace)
    (function,) = [v for v in namespace.values() if getattr(v, "__code__", None) and v.__code__.co_filename == filename]
    return kernel(function)


def short(path: str) -> str:
    """A path as people read it: from the working folder where it lies below it."""
    if path.startswith("<"):
        return path
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative
