"""Which inputs an output needs: read off the kernel's statements.

Feedthrough is a relation between inputs and outputs of one tick. It decides the order of blocks,
and which statements are kept where only some outputs of a block can be computed at first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from . import ir
from .control_flow import has_jump
from .effects import changed, expressions

Key = tuple[str, str]
"""("local", name) or (group, name): a variable as the analysis sees it, arrays as a whole."""


def key(node: ir.Expr) -> Key | None:
    if isinstance(node, ir.Item):
        node = node.base
    if isinstance(node, ir.Local):
        return ("local", node.name)
    if isinstance(node, ir.Field):
        return (node.group, node.name)
    return None


def reads(*nodes: ir.Expr) -> set[Key]:
    return {k for node in nodes for inner in ir.walk(node) if (k := key(inner))}


def mutated(*nodes: ir.Expr) -> set[Key]:
    """Arrays that helper calls inside expressions change."""
    return {k for node in nodes for array in changed(node) if (k := key(array))}


def written(node: ir.Stmt) -> set[Key]:
    """What a statement itself gives a value or changes."""
    targets: tuple[ir.Expr, ...] = ()
    match node:
        case ir.Assign() | ir.Allocate() | ir.For():
            targets = (node.target,)
        case ir.Unpack():
            targets = node.targets
    return {k for target in targets if (k := key(target))} | mutated(*expressions(node))


def needed(node: ir.Stmt) -> set[Key]:
    """What the values a statement writes depend on, apart from whether it is reached."""
    match node:
        case ir.Assign():
            # An element that is written leaves the others of its array as they were.
            return reads(node.value) | (reads(node.target) if isinstance(node.target, ir.Item) else set())
        case ir.Unpack() | ir.Do():
            return reads(node.call)
        case ir.For():
            return reads(node.start, node.stop, node.step)
        case ir.Allocate():
            return set()
        case _:
            return reads(*expressions(node))


def flat(body: tuple[ir.Stmt, ...], control: frozenset[Key]) -> Iterator[tuple[set[Key], set[Key]]]:
    """Every write with what it depends on, control conditions included."""
    for node in body:
        inner = control | needed(node)
        if isinstance(node, ir.For | ir.While):
            inner |= jump_conditions(node.body)
        yield written(node), set(inner)
        if isinstance(node, ir.If):
            yield from flat(node.yes + node.no, inner)
        elif isinstance(node, ir.For | ir.While):
            yield from flat(node.body, inner)


def jump_conditions(body: tuple[ir.Stmt, ...]) -> set[Key]:
    """Conditions that may end a round early, which everything in the loop then depends on."""
    found: set[Key] = set()
    for node in body:
        match node:
            case ir.If() if has_jump(node.yes + node.no):
                found |= reads(node.condition) | jump_conditions(node.yes + node.no)
            case ir.For() | ir.While() if has_jump(node.body):
                found |= needed(node) | jump_conditions(node.body)
    return found


def closure(body: tuple[ir.Stmt, ...], wanted: set[Key]) -> set[Key]:
    """Everything that the wanted variables depend on, themselves included."""
    needs: dict[Key, set[Key]] = {}
    for targets, sources in flat(body, frozenset()):
        for k in targets:
            needs.setdefault(k, set()).update(sources)
    seen, todo = set(wanted), list(wanted)
    while todo:
        for k in needs.get(todo.pop(), ()):
            if k not in seen:
                seen.add(k)
                todo.append(k)
    return seen


def feedthrough(outputs: ir.Function) -> dict[str, frozenset[str]]:
    """For each output the inputs it depends on within the tick."""
    names = {name for targets, _ in flat(outputs.body, frozenset()) for group, name in targets if group == "y"}
    return {
        name: frozenset(n for group, n in closure(outputs.body, {("y", name)}) if group == "u")
        for name in sorted(names)
    }


def inputs_read(function: ir.Function) -> frozenset[str]:
    """The inputs a kernel reads at all."""
    return frozenset(name for _, sources in flat(function.body, frozenset()) for group, name in sources if group == "u")


def only(outputs: ir.Function, wanted: frozenset[str]) -> ir.Function:
    """The part of `outputs` that computes the wanted outputs and writes no other.

    Another output that is needed on the way becomes a local: it may be computed already, and differ by now.
    """
    body = _kept(outputs.body, closure(outputs.body, {("y", name) for name in wanted}))
    local_types, arrays = dict(outputs.locals), []
    others = {
        node for node in _all(body) if isinstance(node, ir.Field) and node.group == "y" and node.name not in wanted
    }
    for output in sorted(others, key=lambda node: node.name):
        name = f"y_{output.name}"
        while name in local_types:
            name += "_"
        local = ir.Local(name, output.type)
        local_types[name] = output.type
        body = _renamed(body, output, local)
        if isinstance(output.type, ir.Array):
            arrays.append(ir.Allocate(local, outputs.line))
    return replace(outputs, body=(*arrays, *body), locals=local_types)


def _kept(body: tuple[ir.Stmt, ...], keys: set[Key]) -> tuple[ir.Stmt, ...]:
    """The statements that give one of `keys` a value, in the loops and branches they stand in."""
    result: list[ir.Stmt] = []
    for node in body:
        part = node
        if isinstance(node, ir.If):
            part = replace(node, yes=_kept(node.yes, keys), no=_kept(node.no, keys))
        elif isinstance(node, ir.For | ir.While):
            part = replace(node, body=_kept(node.body, keys))
        jumps = isinstance(part, ir.Jump) or (isinstance(part, ir.If) and has_jump(part.yes + part.no))
        if jumps or _computes(part, keys):
            result.append(part)
    return tuple(result)


def _computes(node: ir.Stmt, keys: set[Key]) -> bool:
    """Whether a statement does more than jump."""
    inner: tuple[ir.Stmt, ...] = ()
    if isinstance(node, ir.If):
        inner = node.yes + node.no
    elif isinstance(node, ir.For | ir.While):
        inner = node.body
    return bool(written(node) & keys) or any(_computes(s, keys) for s in inner)


def _all(node: Any) -> Iterator[Any]:
    """Every part of a piece of the middle form; helpers are not looked into."""
    if isinstance(node, tuple):
        for part in node:
            yield from _all(part)
    elif is_dataclass(node) and not isinstance(node, ir.Function | ir.Array):
        yield node
        for f in fields(node):
            yield from _all(getattr(node, f.name))


def _renamed(node: Any, old: ir.Expr, new: ir.Expr) -> Any:
    if isinstance(node, tuple):
        return tuple(_renamed(part, old, new) for part in node)
    if not is_dataclass(node) or isinstance(node, ir.Function | ir.Array):
        return node
    if node == old:
        return new
    return replace(node, **{f.name: _renamed(getattr(node, f.name), old, new) for f in fields(node)})  # type: ignore[type-var]
