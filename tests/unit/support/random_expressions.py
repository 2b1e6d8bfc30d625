"""Random expressions of a kernel, by type; the fields they may use are in `FIELDS`, 0 for a single number."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

FIELDS: dict[str, dict[str, int | tuple[int, ...]]] = {
    "u": {"a": 0, "b": 0, "v": (4,)},
    "x": {"s": 0, "r": 0, "w": (5,), "log": (12,)},
    "p": {"k": 0, "q": (3,), "g": (2, 3)},
    "y": {"out": 0, "aux": 0, "z": (12,)},
}
WHOLE = ("n", "m")
"""Parameters that are ints."""
FLAGS = {"flag": 1, "size": 3}
"""Structural parameters: ints fixed when the program is built."""

FLOATS = (
    "0.0 -0.0 1.0 -1.0 0.5 2.0 3.0 -7.25 0.1 1e308 -1e308 5e-324 2.5e-310 1e-300 1e16 9007199254740993.0"
    " 9.223372036854775807e18 math.inf -math.inf math.nan math.pi math.e"
).split()
INTS = (
    "0 1 2 3 5 7 -1 -2 -3 -7 10 9007199254740993 9223372036854775807 -9223372036854775807 4611686018427387904".split()
)
# Names that mean something in C, in the emitted code or in the Python engine.
NAMES = (
    "double long register auto char static k h x_ first stride rounds values fault hs_add hs_0 hs_row int64_t abs_"
    " float min max abs range len int _wrap t_ NULL main round_ inline y_out log zeros_ ζ value index f i j"
).split()
UNARY = "sqrt fabs sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp expm1 log log10 log2 log1p".split()
BINARY = "atan2 fmod pow".split()
LOGGED = 12


@dataclass
class Helper:
    """A helper kernel: its text, and how it is called."""

    name: str
    text: str
    arguments: str
    returns: str
    uses: tuple[Helper, ...] = ()


@dataclass
class Scope:
    """What an expression may use: names by type, arrays with their shape, loop variables with their bound."""

    floats: list[str] = field(default_factory=list)
    ints: list[str] = field(default_factory=list)
    bools: list[str] = field(default_factory=list)
    arrays: dict[str, tuple[int, ...]] = field(default_factory=dict)
    writable: dict[str, tuple[int, ...]] = field(default_factory=dict)
    loops: dict[str, int] = field(default_factory=dict)
    helpers: list[Helper] = field(default_factory=list)
    parameters: tuple[str, ...] = ("p.n", "p.m", "p.size")


class Expressions:
    def __init__(self, rng: random.Random, scope: Scope) -> None:
        self.rng, self.scope = rng, scope

    def one(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def real(self, depth: int) -> str:
        """A float expression."""
        s, r = self.scope, self.rng
        if depth <= 0:
            kind = r.random()
            if kind < 0.25:
                return f"({r.choice(FLOATS)})"
            if kind < 0.4 and s.arrays:
                return self.item()
            return r.choice(s.floats)
        a, b = self.real(depth - 1), self.real(depth - 1 - r.randrange(2))
        match r.randrange(18):
            case 0 | 1 | 2 | 3:
                return f"({a} {self.one('+', '-', '*', '/')} {b})"
            case 4:
                return f"{a} {self.one('+', '-', '*', '/')} {b}"  # without brackets: precedence is Python's
            case 5:
                return f"({a} {self.one('//', '%')} {b})"
            case 6:
                return (
                    f"{self.one(f'({a})', '2.0', '-1.5')} ** {self.one(f'({b})', '2', '2.0', '3', '-1', '0.5', '-2.0')}"
                )
            case 7:
                return f"({a} {self.one('+', '-', '*', '/', '//', '%')} {self.whole(depth - 1)})"
            case 8:
                return f"({self.whole(depth - 1)} / {self.whole(depth - 1)})"
            case 9:
                return f"{self.one('-', '+')}({a})"
            case 10:
                return f"{self.one('min', 'max')}({a}, {b}{', ' + self.real(0) if self.chance(0.3) else ''})"
            case 11:
                return f"abs({a})"
            case 12:
                return f"math.{r.choice(UNARY)}({a})"
            case 13:
                return f"math.{r.choice(BINARY)}({a}, {b})"
            case 14:
                return f"({a} if {self.truth(depth - 1)} else {b})"
            case 15:
                return f"float({self.whole(depth - 1)})"
            case 16 if calls := self.callable("f"):
                return self.call(r.choice(calls), depth - 1)
            case _:
                return self.item() if s.arrays else a

    def whole(self, depth: int) -> str:
        """An int expression."""
        s, r = self.scope, self.rng
        if depth <= 0:
            return self.one(r.choice(INTS), *s.ints, *s.ints, *s.loops, *s.parameters)
        a, b = self.whole(depth - 1), self.whole(depth - 1 - r.randrange(2))
        match r.randrange(12):
            case 0 | 1 | 2:
                return f"({a} {self.one('+', '-', '*')} {b})"
            case 3 | 4:
                return (
                    f"({a} {self.one('//', '%')} {b if self.chance(0.08) else self.one('3', '-3', '7', '-1', '-10')})"
                )
            case 5:
                return f"-({a})"
            case 6:
                return f"{self.one('min', 'max')}({a}, {b})"
            case 7:
                return f"abs({a})"
            case 8:
                return f"{self.one('int', 'math.floor', 'math.ceil', 'math.trunc')}({self.real(depth - 1)})"
            case 9:
                return f"({a} if {self.truth(depth - 1)} else {b})"
            case 10 if calls := self.callable("i"):
                return self.call(r.choice(calls), depth - 1)
            case _:
                return self.one("len(p.g)", "len(p.g[0])", "p.flag", a) if s.parameters else a

    def truth(self, depth: int) -> str:
        """A condition."""
        s, r = self.scope, self.rng
        compare = ("<", "<=", ">", ">=", "==", "!=")
        if depth <= 0:
            return self.one(f"{self.real(0)} {self.one(*compare)} {self.real(0)}", *s.bools)
        match r.randrange(9):
            case 0 | 1:
                return f"({self.real(depth - 1)} {self.one(*compare)} {self.real(depth - 1)})"
            case 2:
                return f"({self.whole(depth - 1)} {self.one(*compare)} {self.whole(depth - 1)})"
            case 3:
                return f"({self.whole(depth - 1)} {self.one(*compare)} {self.real(depth - 1)} {self.one(*compare)} {self.whole(0)})"
            case 4 | 5:
                return f"({self.truth(depth - 1)} {self.one('and', 'or')} {self.truth(depth - 1)})"
            case 6:
                return f"(not {self.truth(depth - 1)})"
            case 7:
                return f"math.{self.one('isnan', 'isinf', 'isfinite')}({self.real(depth - 1)})"
            case _:
                fixed = ("p.flag == 1", "p.flag > p.size") if s.parameters else ()
                return self.one(*fixed, "True", "False", f"{self.real(0)} < {self.real(0)}")

    def index(self, n: int) -> str:
        """Mostly inside 0..n-1, now and then wherever it falls."""
        inside = [name for name, bound in self.scope.loops.items() if bound <= n]
        kind = self.rng.random()
        if kind < 0.4 and inside:
            return self.rng.choice(inside)
        if kind < 0.65:
            return str(self.rng.randrange(n))
        if kind < 0.985:
            return f"({self.whole(1)}) % {n}"
        return self.whole(1)

    def item(self, arrays: dict[str, tuple[int, ...]] | None = None) -> str:
        arrays = self.scope.arrays if arrays is None else arrays
        name = self.rng.choice(sorted(arrays))
        return f"{name}[{', '.join(self.index(n) for n in arrays[name])}]"

    def vectors(self, letter: str) -> list[str]:
        arrays = self.scope.writable if letter == "w" else self.scope.arrays
        return sorted(name for name, shape in arrays.items() if len(shape) == 1 and shape[0] >= 3)

    def callable(self, *returns: str) -> list[Helper]:
        """Helpers that can be called here: those with an array argument need an array."""
        found = [h for h in self.scope.helpers if h.returns in returns]
        return [h for h in found if all(self.vectors(letter) for letter in h.arguments if letter in "aw")]

    def call(self, helper: Helper, depth: int) -> str:
        """Arguments by their letters: f float, i int, a a vector, w a vector that is changed."""
        arguments = []
        for letter in helper.arguments:
            names = self.vectors(letter)
            match letter:
                case "f":
                    arguments.append(self.real(depth))
                case "i":
                    arguments.append(self.whole(depth))
                case _:
                    arguments.append(self.rng.choice(names))
        return f"{helper.name}({', '.join(arguments)})"
