"""Linear systems: transfer functions and state spaces, as the matrices a block computes with.

    x' = A x + B u,   y = C x + D u                 continuous
    x_{k+1} = A x_k + B u_k,   y_k = C x_k + D u_k  at ticks of `dt`

A system is given as a `control.TransferFunction` (one channel), a `control.StateSpace` (any number of channels),
a pair (num, den) of polynomials in falling powers of s, or the name of an identified actuator. It starts at rest
at zero.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.blocks.actuators.identified import IDENTIFIED, with_unit_dc_gain
from hybsim.errors import ParameterError
from hybsim.kernel import Param, Prepared, kernel

METHODS = {"zoh": "zoh", "tustin": "bilinear", "foh": "foh"}
"""The discretisations, with SciPy's names for them."""

DC_TOLERANCE = 1e-6
"""How far a DC gain may be from 1 without a warning."""


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """A system in state space; `dt` is its sample time in seconds, None if it is continuous."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    d: np.ndarray
    dt: float | None = None

    def describe(self) -> dict[str, Any]:
        """The matrices, for a result's record of itself."""
        return {"A": self.a, "B": self.b, "C": self.c, "D": self.d, "dt": self.dt}

    def is_finite(self) -> bool:
        """Whether all coefficients are."""
        return all(np.isfinite(matrix).all() for matrix in (self.a, self.b, self.c, self.d))

    def poles(self) -> np.ndarray:
        """The eigenvalues of A."""
        poles: np.ndarray = np.linalg.eigvals(self.a) if len(self.a) else np.zeros(0)
        return poles

    def prepared(self, entering: str = "command", leaving: str = "position") -> Prepared:
        """The parameters of kernels with these ports; a system without states gets one that stays zero."""
        outputs, inputs = self.d.shape
        order = max(1, len(self.a))
        a, b, c = np.zeros((order, order)), np.zeros((order, inputs)), np.zeros((outputs, order))
        if len(self.a):
            a, b, c = self.a, self.b, self.c
        return Prepared(
            p={name: np.ascontiguousarray(m) for name, m in zip("abcd", (a, b, c, self.d), strict=True)},
            x=dict(internal=np.zeros(order)),
            widths={entering: inputs, leaving: outputs},
            structure=dict(order=order, direct=int(np.any(self.d != 0.0))),
        )


class System(Param):
    """A linear system, as a LinearSystem; what makes a poor actuator of it is warned about once, here."""

    def check(self, value: Any) -> LinearSystem:
        if isinstance(value, LinearSystem):
            return value
        if isinstance(value, str):
            if value not in IDENTIFIED:
                known = ", ".join(map(repr, IDENTIFIED))
                raise ValueError(f"must be one of {known}, a system of control or a pair (num, den), got {value!r}")
            value = with_unit_dc_gain(value)
        pair = isinstance(value, tuple) and len(value) == 2
        system = from_polynomials(*value) if pair else from_control(value)
        if not system.is_finite():
            raise ValueError("must have finite coefficients")
        system = balanced(system)
        _warn(system)
        return system


def from_polynomials(num: Any, den: Any, dt: float | None = None) -> LinearSystem:
    """num(s)/den(s) in controller canonical form."""
    over, under = _polynomial(num, "numerator"), _polynomial(den, "denominator")
    if not under.any():
        raise ValueError("has a denominator of zeros; give (num, den) in falling powers of s")
    over, under = np.trim_zeros(over, "f"), np.trim_zeros(under, "f")
    if len(over) > len(under):
        raise ValueError(
            f"must be proper, got a numerator of degree {len(over) - 1} over a denominator of degree"
            f" {len(under) - 1}; add poles above the frequencies of interest"
        )
    order = len(under) - 1
    over = np.concatenate([np.zeros(order + 1 - len(over)), over]) / under[0]
    under = under / under[0]
    a = np.eye(order, k=-1)
    b, c = np.eye(order, 1), np.atleast_2d(over[1:] - over[0] * under[1:])
    if order:
        a[0] = -under[1:]
    return LinearSystem(a, b, c, np.array([[over[0]]]), dt)


def from_control(value: Any) -> LinearSystem:
    """A system of python-control; imported here, as it takes long and few diagrams need it."""
    import control

    if isinstance(value, control.TransferFunction):
        if (value.ninputs, value.noutputs) != (1, 1):
            raise ValueError(
                f"must have one input and one output as a transfer function, got {value.ninputs} and"
                f" {value.noutputs}; give a control.StateSpace"
            )
        return from_polynomials(value.num[0][0], value.den[0][0], _sample_time(value.dt))
    if isinstance(value, control.StateSpace):
        a, b, c, d = (np.array(m, dtype=float) for m in (value.A, value.B, value.C, value.D))
        return LinearSystem(a, b, c, d, _sample_time(value.dt))
    raise ValueError(
        "must be a control.TransferFunction, a control.StateSpace, a pair (num, den) or the name of an identified"
        f" actuator, got {value!r}"
    )


def balanced(system: LinearSystem) -> LinearSystem:
    """The same system in states of like size: the coefficients of a fast actuator span many decades."""
    if not len(system.a):
        return system
    from scipy.linalg import matrix_balance

    # The scales are powers of two and cost no digit.
    a, (scales, _) = matrix_balance(system.a, permute=False, separate=True)
    return LinearSystem(a, system.b / scales[:, None], system.c * scales, system.d, system.dt)


def _polynomial(values: Any, what: str) -> np.ndarray:
    try:
        polynomial = np.atleast_1d(np.array(values, dtype=float))
    except (TypeError, ValueError):
        raise ValueError(f"must have numbers in its {what}, got {values!r}") from None
    if polynomial.ndim != 1 or polynomial.size == 0 or not np.isfinite(polynomial).all():
        raise ValueError(f"must have a {what} of finite numbers in falling powers of s, got {values!r}")
    return polynomial


def _sample_time(dt: Any) -> float | None:
    """python-control: 0 or None is continuous, True is discrete without a sample time."""
    if dt is True:
        raise ValueError("is discrete without a sample time; give it one, as in control.tf(num, den, 0.001)")
    return float(dt) if dt else None


def _warn(system: LinearSystem) -> None:
    """A sentence for a system that drifts, explodes or settles somewhere else than commanded."""
    poles = system.poles()
    beyond = poles.real if system.dt is None else np.abs(poles) - 1.0
    if (beyond > 1e-9 * max(1.0, float(np.abs(poles).max(initial=0.0)))).any():
        worst = poles[np.argmax(beyond)]
        warnings.warn(f"The actuator's system is unstable: it has a pole at {worst:.4g}.", stacklevel=2)
        return
    gain = dc_gain(system)
    if gain is None:
        warnings.warn("The actuator's system has no finite DC gain: it integrates its command.", stacklevel=2)
    elif gain.shape[0] != gain.shape[1] or np.abs(gain - np.eye(len(gain))).max() > DC_TOLERANCE:
        shown = f"{gain[0, 0]:.6g}" if gain.size == 1 else str(gain.round(6).tolist())
        warnings.warn(
            f"The actuator's system has a DC gain of {shown}, not 1: it settles away from a constant command;"
            " scale it if that is not meant.",
            stacklevel=2,
        )


def dc_gain(system: LinearSystem) -> np.ndarray | None:
    """Position over command at rest; None if the system has a pole there."""
    if not len(system.a):
        return system.d
    at_rest = -system.a if system.dt is None else np.eye(len(system.a)) - system.a
    distance = np.abs(np.linalg.eigvals(at_rest))
    if distance.min() <= 1e-12 * max(1.0, distance.max()):
        return None
    gain: np.ndarray = system.c @ np.linalg.solve(at_rest, system.b) + system.d
    return gain


def discretise(system: LinearSystem, dt: float, method: str) -> LinearSystem:
    """The system at ticks of dt; one that is discrete already must have that sample time."""
    if system.dt is not None:
        if abs(system.dt - dt) > 1e-9 * dt:
            raise ParameterError(
                f"The system has a sample time of {system.dt:g} s at a tick of {dt:g} s;"
                " give the continuous system, or one sampled at the tick."
            )
        return system
    if not len(system.a):
        return system
    from scipy.signal import cont2discrete

    try:
        with np.errstate(all="ignore"):
            a, b, c, d, _ = cont2discrete((system.a, system.b, system.c, system.d), dt, METHODS[method])
    except np.linalg.LinAlgError:  # a pole at 2/dt, which Tustin's rule takes to infinity
        a = b = c = d = np.full((1, 1), np.inf)
    sampled = LinearSystem(a, b, c, d, dt)
    if not sampled.is_finite():
        raise ParameterError(
            f"The system cannot be discretised by {method!r} at a tick of {dt:g} s, for which its pole at"
            f" {max(system.poles(), key=abs):.4g} rad/s leaves no finite numbers; use a shorter tick or another method."
        )
    return sampled


@kernel
def set_product(matrix, vector, result):
    """result = matrix vector"""
    for i in range(len(matrix)):
        result[i] = matrix[i, 0] * vector[0]
        for j in range(1, len(vector)):
            result[i] = result[i] + matrix[i, j] * vector[j]


@kernel
def add_product(matrix, vector, result):
    """result = result + matrix vector"""
    for i in range(len(matrix)):
        for j in range(len(vector)):
            result[i] = result[i] + matrix[i, j] * vector[j]
