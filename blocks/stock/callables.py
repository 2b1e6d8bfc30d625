"""FUNCTION: y = f(u0, u1, ..., args), for plain functions and lambdas within the kernel subset.

The function's further arguments (fargs, fkwargs) are parameters under the names it gives them.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from hybsim.blocks.stock.entry import Numbers, Setting, StockEntry, Widths, refuse
from hybsim.kernel import Integer, Param, kernel
from hybsim.kernel.expressions import MATH_FLOAT, MATH_INT

BUILTINS = (abs, float)
POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD


class Function(StockEntry):
    def settings(self, block: Any) -> dict[str, Setting]:
        if block.userdata is not None:
            refuse(block, "persistent=True keeps data between calls", "write a hybsim block with a state")
        named = [*zip(self.argument_names(block), block.args, strict=True), *block.kwargs.items()]
        return {name: self.argument(block, name, value) for name, value in named}

    def argument_names(self, block: Any) -> list[str]:
        """The names of fargs, as the (first) function calls them."""
        if not block.args:
            return []
        return list(inspect.signature(functions_of(block)[0]).parameters)[block.nin : block.nin + len(block.args)]

    def argument(self, block: Any, name: str, value: Any) -> Setting:
        declaration: Param
        if isinstance(value, int) and not isinstance(value, bool):
            declaration = Integer(f"argument {name}")
        elif isinstance(value, float | np.ndarray | list | tuple) and numeric(value):
            declaration = Numbers(f"argument {name}", np.shape(value))
        else:
            refuse(
                block,
                f"its argument {name}={value!r} is not a number or an array",
                "pass numbers in fargs and fkwargs",
            )

        def attributes(new: Any) -> dict[str, Any]:
            if name in block.kwargs:
                return {"kwargs": {**block.kwargs, name: new}}
            place = self.argument_names(block).index(name)
            return {"args": [*block.args[:place], new, *block.args[place + 1 :]]}

        return Setting(declaration, value, attributes)

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        return [1] * block.nout

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        functions = functions_of(block)
        calls = [self.call(block, i, function) for i, function in enumerate(functions)]
        if isinstance(block.func, list | tuple):
            if len(functions) != block.nout:
                refuse(
                    block,
                    f"it has {len(functions)} function(s) for {block.nout} output(s)",
                    "give one function an output",
                )
            return {"outputs": "\n".join(f"y.out{i} = {call}" for i, call in enumerate(calls))}
        if block.nout == 1:
            return {"outputs": f"y.out0 = {calls[0]}"}
        values = [f"value{i}" for i in range(block.nout)]
        lines = [f"{', '.join(values)} = {calls[0]}", *(f"y.out{i} = {v}" for i, v in enumerate(values))]
        return {"outputs": "\n".join(lines)}

    def names_for(self, block: Any) -> dict[str, Any]:
        functions = enumerate(functions_of(block))
        return {
            kernel_name(i, f): kernel(f) if isinstance(f, FunctionType) else f
            for i, f in functions
            if f not in BUILTINS
        }

    def call(self, block: Any, number: int, function: Callable[..., Any]) -> str:
        inputs = [f"u.in{i}" for i in range(block.nin)]
        name = kernel_name(number, function)
        if not isinstance(function, FunctionType):
            if not known(function):
                what = getattr(function, "__name__", type(function).__name__)
                refuse(
                    block,
                    f"{what!r} is not a plain function, a lambda or a function of math",
                    "wrap it in a def",
                )
            return f"{name}({', '.join(inputs)})"
        if any(q.kind is not POSITIONAL for q in inspect.signature(function).parameters.values()):
            refuse(
                block,
                f"{function.__name__} has *args, **kwargs or keyword-only arguments",
                "name its arguments one by one",
            )
        further = [f"p.{argument}" for argument in self.argument_names(block)]
        try:
            bound = inspect.signature(function).bind(*inputs, *further, **{k: f"p.{k}" for k in block.kwargs})
        except TypeError as error:
            refuse(
                block,
                f"its arguments do not fit {function.__name__}: {error}",
                "compare nin, fargs and fkwargs with it",
            )
        bound.apply_defaults()
        arguments = [text(block, argument, value) for argument, value in bound.arguments.items()]
        return f"{name}({', '.join(arguments)})"


def functions_of(block: Any) -> list[Callable[..., Any]]:
    return list(block.func) if isinstance(block.func, list | tuple) else [block.func]


def numeric(value: Any) -> bool:
    """Whether a value is a number, or a vector or matrix of numbers."""
    try:
        shape = np.shape(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        return False
    return len(shape) < 3 and 0 not in shape


def known(function: Any) -> bool:
    name = getattr(function, "__name__", "")
    return function in BUILTINS or (name in MATH_FLOAT | MATH_INT and function is getattr(math, name))


def kernel_name(number: int, function: Any) -> str:
    return str(function.__name__) if known(function) else f"function{number}"


def text(block: Any, argument: str, value: Any) -> str:
    """An input or a parameter by its name; a default of the function as a number."""
    if isinstance(value, str) and value.startswith(("u.in", "p.")):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        refuse(block, f"its argument {argument}={value!r} is not a finite number", "pass one in fkwargs")
    return repr(value)
