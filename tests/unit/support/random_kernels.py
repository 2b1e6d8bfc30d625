"""Random kernels as source text: typed, terminating, and as nasty as the kernel subset allows.

`kernel(seed)` gives the same text for the same seed. Kernels write what they computed into the elements of
`y.z` (or `x.log`), one variable an element, so that a NaN in one hides nothing else.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from random_expressions import FIELDS, LOGGED, NAMES, Expressions, Helper, Scope


@dataclass
class Source:
    """A generated kernel with the helpers it calls, in the order of their definition."""

    role: str
    text: str
    helpers: tuple[Helper, ...]


class Body(Expressions):
    """The lines of one function."""

    def __init__(self, rng: random.Random, scope: Scope, names: list[str]) -> None:
        super().__init__(rng, scope)
        self.names = names
        self.lines: list[str] = []
        self.counters = 0
        self.own: tuple[list[str], list[str], list[str]] = ([], [], [])

    def write(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def fresh(self) -> str:
        self.counters += 1
        return f"n{self.counters}"

    def start(self) -> None:
        """Locals of every type, set before anything else."""
        s = self.scope
        for kind in ("floats", "floats", "floats", "ints", "ints", "bools"):
            name = self.names.pop()
            value = {"floats": lambda: self.real(1), "ints": lambda: self.whole(1), "bools": lambda: self.truth(1)}[
                kind
            ]()
            self.write(1, f"{name} = {value}")
            setattr(s, kind, [*getattr(s, kind), name])
            self.own[("floats", "ints", "bools").index(kind)].append(name)
        name = self.names.pop()
        shape = self.rng.choice([(3,), (4,), (2, 2)])
        self.write(1, f"{name} = zeros({', '.join(map(str, shape))})")
        s.arrays = {**s.arrays, name: shape}
        s.writable = {**s.writable, name: shape}

    def block(self, depth: int, count: int, loop: bool) -> None:
        for _ in range(count):
            self.statement(depth, loop)

    def statement(self, depth: int, loop: bool) -> None:
        s, r = self.scope, self.rng
        deep = depth > 3
        match r.randrange(16 if not deep else 8):
            case 0 | 1:
                self.write(depth, f"{r.choice(self.locals('floats'))} = {self.real(2)}")
            case 2:
                self.write(depth, f"{r.choice(self.locals('ints'))} = {self.whole(2)}")
            case 3:
                self.write(depth, f"{r.choice(self.locals('bools'))} = {self.truth(2)}")
            case 4:
                self.write(
                    depth,
                    f"{r.choice(self.locals('floats'))} {self.one('+=', '-=', '*=', '/=', '//=', '%=')} {self.real(1)}",
                )
            case 5:
                self.write(
                    depth, f"{r.choice(self.locals('ints'))} {self.one('+=', '-=', '*=', '//=', '%=')} {self.whole(1)}"
                )
            case 6 if s.writable:
                self.write(depth, f"{self.item(s.writable)} {self.one('=', '=', '+=', '*=')} {self.real(2)}")
            case 7:
                self.helper_statement(depth)
            case 8 | 9 | 10:
                self.branch(depth, loop)
            case 11 | 12 | 13:
                self.counted(depth)
            case 14:
                self.repeated(depth)
            case _:
                self.write(depth, f"if {self.truth(1)}:")
                self.write(depth + 1, self.one("break", "continue") if loop else "pass")

    def locals(self, kind: str) -> list[str]:
        """Names that may be assigned: locals, not arguments."""
        place = ("floats", "ints", "bools").index(kind)
        return self.own[place]

    def helper_statement(self, depth: int) -> None:
        calls = [h for h in self.callable("f", "ff", "fi", "none") if h.returns != "f" or "w" in h.arguments]
        if not calls:
            return self.write(depth, "pass")
        helper = self.rng.choice(calls)
        targets = {"ff": ("floats", "floats"), "fi": ("floats", "ints")}.get(helper.returns)
        call = self.call(helper, 1)
        if targets:
            call = ", ".join(self.rng.choice(self.locals(t)) for t in targets) + " = " + call
        elif helper.returns == "f" and self.chance(0.6):
            call = f"{self.rng.choice(self.locals('floats'))} = {call}"
        self.write(depth, call)

    def branch(self, depth: int, loop: bool) -> None:
        self.write(depth, f"if {self.truth(2)}:")
        self.block(depth + 1, self.rng.randint(1, 2), loop)
        for _ in range(self.rng.choice([0, 0, 1])):
            self.write(depth, f"elif {self.truth(1)}:")
            self.block(depth + 1, 1, loop)
        if self.chance(0.6):
            self.write(depth, "else:")
            self.block(depth + 1, 1, loop)

    def counted(self, depth: int) -> None:
        """A for loop: fixed or computed bounds, any step, a variable that may exist before and be read after."""
        s, r = self.scope, self.rng
        name = r.choice(self.locals("ints")) if self.chance(0.5) else self.fresh()
        saved = dict(s.loops)
        match r.randrange(6):
            case 0 | 1:
                bound = r.randint(1, 5)
                text = f"range({bound})"
                s.loops = {**s.loops, name: bound}
            case 2:
                text = f"range({r.randint(-3, 6)}, {r.randint(-3, 6)}, {r.choice([1, 2, 3, -1, -2, -3])})"
            case 3:
                text = f"range(({self.whole(1)}) % 6 - 1)"
            case 4:
                text = f"range(({self.whole(1)}) % 9 - 4, ({self.whole(1)}) % 9 - 4, {r.choice([1, 2, -1, -3])})"
            case _:
                text = f"range(({self.whole(1)}) % 9 - 4, ({self.whole(1)}) % 9 - 4, ({self.whole(1)}) % 5 - {r.choice([0, 7])})"
        self.write(depth, f"for {name} in {text}:")
        self.block(depth + 1, r.randint(1, 3), True)
        s.loops = saved

    def repeated(self, depth: int) -> None:
        """A while loop that ends after a few rounds at most."""
        name = self.fresh()
        self.write(depth, f"{name} = 0")
        self.write(
            depth,
            f"while {self.one(f'{name} < 5', f'({self.truth(1)}) and {name} < 4', f'{name} < 3 and {self.truth(1)}')}:",
        )
        self.write(depth + 1, f"{name} += 1")
        self.block(depth + 1, self.rng.randint(1, 2), True)

    def finish(self, group: str, array: str) -> None:
        """Everything computed goes into the elements of one array."""
        place = 0
        for name in self.own[0]:
            self.write(1, f"{group}.{array}[{place}] = {name}")
            place += 1
        for name in self.own[1]:
            self.write(1, f"{group}.{array}[{place}] = {name}")
            self.write(1, f"{group}.{array}[{place + 1}] = {name} % 65536")
            place += 2
        for name in self.own[2]:
            self.write(1, f"{group}.{array}[{place}] = 1.0 if {name} else 0.0")
            place += 1
        while place < LOGGED:
            self.write(1, f"{group}.{array}[{place}] = {self.real(1)}")
            place += 1


def helper(rng: random.Random, number: int, helpers: list[Helper]) -> Helper:
    """f(floats, ints, arrays) -> float, int or a tuple; some change an array, some return early."""
    kind = rng.choice(["f", "f", "i", "ff", "fi", "w", "none"])
    letters = {"w": "wf", "none": "wif"}.get(kind, rng.choice(["ff", "f", "fi", "fa", "ffi"]))
    returns = {"w": "f"}.get(kind, kind)
    names = ["a", "b", "c"][: len(letters)]
    scope = Scope(
        helpers=[h for h in helpers if h.returns in ("f", "i") and set(h.arguments) <= set("fi")], parameters=()
    )
    for letter, name in zip(letters, names, strict=True):
        if letter == "f":
            scope.floats.append(name)
        elif letter == "i":
            scope.ints.append(name)
        else:
            scope.arrays[name] = (3,)
            if letter == "w":
                scope.writable[name] = (3,)
    scope.floats = scope.floats or ["1.5"]
    body = Body(rng, scope, ["e", "d", "g", "o", "q", "r", "s"])
    body.own = ([n for n in scope.floats if n in names], scope.ints, scope.bools)
    body.write(0, f"def h{number}({', '.join(names)}):")
    if "f" in letters and rng.random() < 0.5:
        body.write(1, f"{names[letters.index('f')]} {body.one('+=', '*=')} {body.real(1)}")
    for name in scope.writable:
        for _ in range(2):
            body.write(1, f"{name}[{body.index(3)}] {body.one('=', '+=')} {body.real(2)}")

    def value(letter: str) -> str:
        return body.real(2) if letter == "f" else body.whole(2)

    if returns != "none":
        if rng.random() < 0.5:
            body.write(1, f"if {body.truth(1)}:")
            body.write(2, f"return {', '.join(value(x) for x in returns)}")
        if rng.random() < 0.3:
            body.write(1, f"for j in range({body.whole(1)} % 4):")
            body.write(2, f"if {body.truth(1)}:")
            body.write(3, f"return {', '.join(value(x) for x in returns)}")
        body.write(1, f"return {', '.join(value(x) for x in returns)}")
    return Helper(f"h{number}", "\n".join(body.lines) + "\n", letters, returns, tuple(scope.helpers))


def kernel(seed: int, role: str | None = None) -> Source:
    rng = random.Random(seed)
    role = role or rng.choice(["outputs", "outputs", "update"])
    helpers: list[Helper] = []
    for number in range(rng.choice([0, 1, 2, 3])):
        helpers.append(helper(rng, number, helpers))
    names = list(NAMES)
    rng.shuffle(names)
    # A variable of this name hides the builtin, which the expressions call.
    hidden = {"float", "min", "max", "abs", "range", "len", "int"}
    names = [n for n in names if n not in hidden]
    scope = Scope(
        floats=["u.a", "u.b", "x.s", "x.r", "p.k", "t"],
        arrays={f"{g}.{n}": s for g in "uxp" for n, s in FIELDS[g].items() if s and n != "log"},
        writable={"x.w": (5,)} if role == "update" else {},
        helpers=helpers,
    )
    body = Body(rng, scope, names)
    body.write(0, f"def {role}({'u, x, p, y' if role == 'outputs' else 'u, x, p'}, t):")
    body.start()
    body.block(1, rng.randint(3, 7), False)
    if role == "outputs":
        body.write(1, f"y.out = {body.real(2)}")
        if rng.random() < 0.5:
            body.write(1, f"if {body.truth(1)}:")
            body.write(2, f"y.aux = y.out * {body.real(1)}")
            body.write(1, "else:")
            body.write(2, f"y.aux = {body.real(1)}")
        else:
            body.write(1, f"y.aux = {body.real(1)}")
        body.finish("y", "z")
    else:
        body.write(1, f"x.s = {body.real(2)}")
        body.write(1, f"x.r {body.one('=', '+=')} {body.real(2)}")
        body.finish("x", "log")
    return Source(role, "\n".join(body.lines) + "\n", tuple(helpers))
