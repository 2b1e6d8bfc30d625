"""Which inputs an output needs: read off the kernel's statements.

Feedthrough is a relation between inputs and outputs of one tick. It decides the order of blocks,
and which statements are kept where only some outputs of a block can be computed at first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from . import ir

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


def effects(node: ir.Stmt) -> tuple[set[Key], set[Key]]:
    """What a simple statement writes, and what the written values depend on."""
    match node:
        case ir.Assign():
            written = key(node.target)
            assert written is not None
            index = node.target.index if isinstance(node.target, ir.Item) else ()
            kept = {written} if isinstance(node.target, ir.Item) else set()
            return {written}, reads(node.value, *index) | kept | mutated(node.value)
        case ir.Unpack():
            return {("local", t.name) for t in node.targets} | mutated(node.call), reads(node.call)
        case ir.Do():
            return mutated(node.call), reads(node.call)
        case ir.Allocate():
            return {("local", node.target.name)}, set()
        case ir.Return():
            return set(), reads(*node.values)
        case _:
            return set(), set()


def mutated(node: ir.Expr) -> set[Key]:
    """Arrays that helper calls inside an expression change."""
    changed = set()
    for inner in ir.walk(node):
        if isinstance(inner, ir.HelperCall):
            for (name, _), argument in zip(inner.helper.args, inner.args, strict=True):
                if name in inner.helper.mutates and (k := key(argument)):
                    changed.add(k)
    return changed


def flat(body: tuple[ir.Stmt, ...], control: frozenset[Key]) -> Iterator[tuple[set[Key], set[Key]]]:
    """Every write with what it depends on, control conditions included."""
    for node in body:
        match node:
            case ir.If():
                inner = control | reads(node.condition)
                yield from flat(node.yes, inner)
                yield from flat(node.no, inner)
            case ir.For() | ir.While():
                conditions = loop_reads(node)
                inner = control | conditions | jump_conditions(node.body)
                if isinstance(node, ir.For):
                    yield {("local", node.target.name)}, set(inner)
                yield from flat(node.body, inner)
            case _:
                written, needed = effects(node)
                written |= mutated(node.value) if isinstance(node, ir.Assign) else set()
                yield written, needed | control


def loop_reads(node: ir.For | ir.While) -> set[Key]:
    return reads(node.start, node.stop, node.step) if isinstance(node, ir.For) else reads(node.condition)


def jump_conditions(body: tuple[ir.Stmt, ...]) -> set[Key]:
    """Conditions that may end a loop early, which everything in the loop then depends on."""
    found: set[Key] = set()
    for node in body:
        if isinstance(node, ir.If):
            inner = jump_conditions(node.yes) | jump_conditions(node.no)
            jumps = any(isinstance(s, ir.Jump) for s in node.yes + node.no)
            found |= inner | (reads(node.condition) if jumps or inner else set())
        elif isinstance(node, ir.For | ir.While):
            found |= jump_conditions(node.body)
    return found


def feedthrough(outputs: ir.Function) -> dict[str, frozenset[str]]:
    """For each output the inputs it depends on within the tick."""
    needs: dict[Key, set[Key]] = {}
    for written, needed in flat(outputs.body, frozenset()):
        for k in written:
            needs.setdefault(k, set()).update(needed)
    result = {}
    for start in [k for k in needs if k[0] == "y"]:
        seen, todo = {start}, [start]
        while todo:
            for k in needs.get(todo.pop(), ()):
                if k not in seen:
                    seen.add(k)
                    todo.append(k)
        result[start[1]] = frozenset(name for group, name in seen if group == "u")
    return result


def inputs_read(function: ir.Function) -> frozenset[str]:
    """The inputs a kernel reads at all."""
    return frozenset(name for _, needed in flat(function.body, frozenset()) for group, name in needed if group == "u")


def only(outputs: ir.Function, wanted: frozenset[str]) -> ir.Function:
    """The part of `outputs` that computes the wanted outputs and nothing else."""
    needed: set[Key] = {("y", name) for name in wanted}
    size = -1
    while size != len(needed):
        size = len(needed)
        for written, sources in flat(outputs.body, frozenset()):
            if written & needed:
                needed |= {k for k in sources if k[0] != "y" or k[1] in wanted}
    return replace(outputs, body=_kept(outputs.body, needed), locals=dict(outputs.locals))


def _kept(body: tuple[ir.Stmt, ...], needed: set[Key]) -> tuple[ir.Stmt, ...]:
    result: list[ir.Stmt] = []
    for node in body:
        match node:
            case ir.If():
                part = replace(node, yes=_kept(node.yes, needed), no=_kept(node.no, needed))
                if part.yes or part.no:
                    result.append(part)
            case ir.For() | ir.While():
                inner = _kept(node.body, needed)
                last_value = isinstance(node, ir.For) and ("local", node.target.name) in needed
                if _computes(inner) or last_value:
                    result.append(replace(node, body=inner))
            case ir.Jump():
                result.append(node)
            case _:
                written, _ = effects(node)
                if written & needed or (isinstance(node, ir.Assign) and mutated(node.value) & needed):
                    result.append(node)
    return tuple(result)


def _computes(body: tuple[ir.Stmt, ...]) -> bool:
    """Whether anything but jumps is left."""
    return any(
        _computes(s.yes + s.no) if isinstance(s, ir.If) else not isinstance(s, ir.Jump) for s in body
    )
