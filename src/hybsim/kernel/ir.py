"""The translator's middle form: typed expressions and statements, the same for C and for Python.

Types are "float" (IEEE double), "int" (64 bit, wrapping), "bool", and `Array(shape)` of doubles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Array:
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        product = 1
        for n in self.shape:
            product *= n
        return product

    def __str__(self) -> str:
        return "array[" + ", ".join(map(str, self.shape)) + "]"


Type = str | Array


@dataclass(frozen=True)
class Const:
    value: float | int | bool
    type: Type


@dataclass(frozen=True)
class Local:
    name: str
    type: Type


@dataclass(frozen=True)
class Field:
    """`group.name`, with group one of u, x, p, y, dx."""

    group: str
    name: str
    type: Type


@dataclass(frozen=True)
class Item:
    """One number of an array; `checked` says that the index is not known to lie inside."""

    base: Local | Field
    index: tuple[Expr, ...]
    checked: tuple[bool, ...]
    line: int
    type: Type = "float"


@dataclass(frozen=True)
class Unary:
    op: str
    operand: Expr
    type: Type


@dataclass(frozen=True)
class Binary:
    op: str
    left: Expr
    right: Expr
    type: Type
    line: int = 0


@dataclass(frozen=True)
class Compare:
    op: str
    left: Expr
    right: Expr
    type: Type = "bool"


@dataclass(frozen=True)
class Logic:
    op: str
    values: tuple[Expr, ...]
    type: Type = "bool"


@dataclass(frozen=True)
class Select:
    condition: Expr
    yes: Expr
    no: Expr
    type: Type


@dataclass(frozen=True)
class Call:
    """A function of `math` or a builtin, by the name both back ends know it under."""

    name: str
    args: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True)
class HelperCall:
    helper: Function
    args: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True)
class Convert:
    operand: Expr
    type: Type


Expr = Const | Local | Field | Item | Unary | Binary | Compare | Logic | Select | Call | HelperCall | Convert


@dataclass(frozen=True)
class Assign:
    target: Local | Field | Item
    value: Expr
    line: int


@dataclass(frozen=True)
class Unpack:
    targets: tuple[Local, ...]
    call: HelperCall
    line: int


@dataclass(frozen=True)
class Allocate:
    target: Local
    line: int


@dataclass(frozen=True)
class If:
    condition: Expr
    yes: tuple[Stmt, ...]
    no: tuple[Stmt, ...]
    line: int


@dataclass(frozen=True)
class For:
    target: Local
    start: Expr
    stop: Expr
    step: Expr
    body: tuple[Stmt, ...]
    line: int


@dataclass(frozen=True)
class While:
    condition: Expr
    body: tuple[Stmt, ...]
    line: int


@dataclass(frozen=True)
class Jump:
    """`break` or `continue`."""

    word: str
    line: int


@dataclass(frozen=True)
class Return:
    values: tuple[Expr, ...]
    line: int


@dataclass(frozen=True)
class Do:
    call: HelperCall
    line: int


@dataclass(frozen=True)
class Check:
    """`assert condition, "reason"`: where the condition does not hold the run stops, with the reason."""

    condition: Expr
    reason: str
    line: int


Stmt = Assign | Unpack | Allocate | If | For | While | Jump | Return | Do | Check


@dataclass(eq=False)
class Function:
    """A translated kernel or helper, specialised for the types of its arguments."""

    name: str
    file: str
    line: int
    args: tuple[tuple[str, Type], ...] = ()
    body: tuple[Stmt, ...] = ()
    returns: tuple[Type, ...] = ()
    mutates: frozenset[str] = frozenset()
    locals: dict[str, Type] = field(default_factory=dict)
    helpers: list[Function] = field(default_factory=list)
    uses_time: bool = False

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


def children(node: Expr) -> tuple[Expr, ...]:
    """The expressions directly inside an expression."""
    match node:
        case Item():
            return (node.base, *node.index)
        case Unary() | Convert():
            return (node.operand,)
        case Binary() | Compare():
            return (node.left, node.right)
        case Logic():
            return node.values
        case Select():
            return (node.condition, node.yes, node.no)
        case Call() | HelperCall():
            return node.args
        case _:
            return ()


def walk(node: Expr) -> Iterator[Expr]:
    """The expression and everything inside it."""
    yield node
    for child in children(node):
        yield from walk(child)
