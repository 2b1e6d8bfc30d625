"""Fixed-step Runge-Kutta rules in which each stage builds on the one before.

x_s = x + h a_s k_{s-1},   k_s = f(t + a_s h, x_s),   x <- x + h (b_1 k_1 + b_2 k_2 + ...)
"""

from __future__ import annotations

from dataclasses import dataclass

from hybsim.errors import RunError, near


@dataclass(frozen=True)
class Rule:
    name: str
    order: int
    a: tuple[float, ...]
    b: tuple[float, ...]


RULES = {
    "euler": Rule("euler", 1, (), (1.0,)),
    "heun": Rule("heun", 2, (1.0,), (0.5, 0.5)),
    "rk4": Rule("rk4", 4, (0.5, 0.5, 1.0), (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)),
}


def rule(name: str) -> Rule:
    if name not in RULES:
        raise RunError(f"There is no solver {name!r}.{near(str(name), RULES)}")
    return RULES[name]
