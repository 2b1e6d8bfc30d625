"""What a translation was made from, and whether that still holds.

In a notebook a function can be defined anew, its module reloaded or a constant changed while the block that
uses it stays; a translation kept from before would go on computing with the old ones.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any
from weakref import WeakKeyDictionary

from . import ir
from .source import look_up, visible_names

_origins: WeakKeyDictionary[ir.Function, tuple[Callable[..., Any], CodeType, dict[str, Any]]] = WeakKeyDictionary()


def record(translated: ir.Function, function: Callable[..., Any], used: dict[str, Any]) -> None:
    """`used` holds the names from outside the function that its translation rests on."""
    _origins[translated] = (function, function.__code__, used)


def record_part(part: ir.Function, whole: ir.Function) -> None:
    """A part of a translated function rests on the same as the whole."""
    _origins[part] = _origins[whole]


def is_current(translated: ir.Function) -> bool:
    """Whether the function, its helpers and the names they use are still what was translated."""
    function, code, used = _origins[translated]
    names = visible_names(function)
    return (
        function.__code__ is code
        and all(_same(look_up(names, name, value), value) for name, value in used.items())
        and all(is_current(helper) for helper in translated.helpers)
    )


def _same(now: Any, then: Any) -> bool:
    """The same thing, or the same number with the same sign and type."""
    return now is then or (isinstance(then, int | float) and type(now) is type(then) and repr(now) == repr(then))
