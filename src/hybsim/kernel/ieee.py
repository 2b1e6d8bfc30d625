"""IEEE arithmetic for the Python engine: the values C gives where Python would raise.

Division by zero, sqrt(-1), log(0), overflow: Python raises, C returns inf or nan. Kernels run in
Python call these functions, so that both engines meet the same value at the same tick.
Integers wrap at 64 bits, as the emitted C does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NoReturn

INT_MIN, INT_MAX = -(2**63), 2**63 - 1


class KernelFault(Exception):
    """An index outside its array or an integer division by zero, with file and line, or the reason of an assert."""


def div(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    if a == 0.0 or a != a or b != b:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def ratio(a: int, b: int) -> float:
    """a / b of integers, rounded once."""
    return a / b if b != 0 else div(float(a), 0.0)


def float_mod(a: float, b: float) -> float:
    """a % b with the sign of b; nan for b = 0 or infinite a."""
    try:
        return a % b
    except ZeroDivisionError:
        return math.nan


def float_floordiv(a: float, b: float) -> float:
    """a // b; nan for b = 0."""
    try:
        return a // b
    except ZeroDivisionError:
        return math.nan


def power(a: float, b: float) -> float:
    """C's pow(a, b)."""
    try:
        return math.pow(a, b)
    except OverflowError:
        odd = b == math.floor(b) and math.fmod(b, 2.0) != 0.0
        return -math.inf if a < 0.0 and odd else math.inf
    except ValueError:
        if a == 0.0:  # b < 0
            odd = math.isfinite(b) and b == math.floor(b) and math.fmod(b, 2.0) != 0.0
            return math.copysign(math.inf, a) if odd else math.inf
        return math.nan


def _guarded(function: Callable[[float], float], pole: float | None = None, at_pole: float = math.nan,
             overflow: Callable[[float], float] = lambda a: math.inf) -> Callable[[float], float]:  # fmt: skip
    def guarded(a: float) -> float:
        try:
            return function(a)
        except ValueError:
            return at_pole if a == pole else math.nan
        except OverflowError:
            return overflow(a)

    return guarded


def atanh(a: float) -> float:
    if abs(a) == 1.0:
        return math.copysign(math.inf, a)
    return _atanh(a)


_atanh = _guarded(math.atanh)


def fmod(a: float, b: float) -> float:
    try:
        return math.fmod(a, b)
    except ValueError:
        return math.nan


def to_int(a: float) -> int:
    """Towards zero; saturates at 64 bits, nan gives 0."""
    if a != a:
        return 0
    if a >= 9223372036854775808.0:
        return INT_MAX
    if a < -9223372036854775808.0:
        return INT_MIN
    return int(a)


def floor(a: float) -> int:
    return to_int(a if math.isinf(a) or a != a else float(math.floor(a)))


def ceil(a: float) -> int:
    return to_int(a if math.isinf(a) or a != a else float(math.ceil(a)))


def wrap(a: int) -> int:
    """An integer in 64 bits."""
    return a if INT_MIN <= a <= INT_MAX else (a + 2**63) % 2**64 - 2**63


def index(i: int, n: int, place: str) -> int:
    if 0 <= i < n:
        return i
    raise KernelFault(f"index out of range 0..{n - 1} at {place}")


def int_floordiv(a: int, b: int, place: str) -> int:
    if b == 0:
        raise KernelFault(f"integer division by zero at {place}")
    return wrap(a // b)


def int_mod(a: int, b: int, place: str) -> int:
    if b == 0:
        raise KernelFault(f"integer division by zero at {place}")
    return a % b


def stop(reason: str) -> NoReturn:
    raise KernelFault(reason)


def steps(start: int, stop: int, step: int, place: str) -> range:
    if step == 0:
        raise KernelFault(f"range with step 0 at {place}")
    return range(start, stop, step)


MATH: dict[str, Callable[..., float | int | bool]] = {
    "sqrt": _guarded(math.sqrt), "fabs": math.fabs,
    "sin": _guarded(math.sin), "cos": _guarded(math.cos), "tan": _guarded(math.tan),
    "asin": _guarded(math.asin), "acos": _guarded(math.acos), "atan": math.atan, "atan2": math.atan2,
    "sinh": _guarded(math.sinh, overflow=lambda a: math.copysign(math.inf, a)),
    "cosh": _guarded(math.cosh), "tanh": math.tanh,
    "asinh": math.asinh, "acosh": _guarded(math.acosh), "atanh": atanh,
    "exp": _guarded(math.exp), "expm1": _guarded(math.expm1),
    "log": _guarded(math.log, 0.0, -math.inf), "log10": _guarded(math.log10, 0.0, -math.inf),
    "log2": _guarded(math.log2, 0.0, -math.inf), "log1p": _guarded(math.log1p, -1.0, -math.inf),
    "fmod": fmod, "pow": power,
    "isnan": math.isnan, "isinf": math.isinf, "isfinite": math.isfinite,
    "floor": floor, "ceil": ceil, "trunc": to_int,
}  # fmt: skip
