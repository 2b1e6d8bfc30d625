"""Feedforward: the inverse of the actuator's transfer function, with a low-pass filter to make it proper.

    command / signal = den(s)/num(s) F(s)       for an actuator   position / command = num(s)/den(s)

    repeated      F = 1 / (s/w_c + 1)^n                     w_c = 2 pi cutoff
    butterworth   F = 1 / prod_k (s/w_c - p_k),             p_k = exp(j pi (2k + n - 1) / (2n)),   k = 1 ... n

The order n is at least the degree of den less that of num; by default it is that. F filters the derivatives of the
signal that the inverse contains, so no velocity or acceleration is needed. What the actuator then does is F itself:
gain 1 at rest, and late at low frequencies by

    repeated      n / w_c
    butterworth   1 / (w_c sin(pi / (2n)))

A higher cutoff leaves less delay and lets more noise through: up to the factor |den/num F| at high frequencies, which
grows like w_c^n. To lead the delay tau of filter and hold as well, give num/((tau s + 1) den) as the system: one order
more.

The whole is discretised by Tustin's rule, which keeps delay and gain at low frequencies. A hold between the command
and the actuator adds half a tick, which the inverse does not know. It starts at rest at zero.

The system must have a stable inverse: every zero of num left of the imaginary axis. It is a pair (num, den) in falling
powers of s, a continuous `control.TransferFunction`, or the name of an identified actuator, `"TS_1"`.

B. M. Phillips, B. F. Spencer, Model-based feedforward-feedback actuator control for real-time hybrid simulation,
Journal of Structural Engineering 139(7), 2013, 1205-1214.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from hybsim.blocks.actuators.identified import IDENTIFIED, with_unit_dc_gain
from hybsim.blocks.actuators.linear_system import add_product, balanced, discretise, from_polynomials, set_product
from hybsim.blocks.compensators.derivatives import refuse_above_half_rate
from hybsim.errors import ParameterError
from hybsim.kernel import Choice, Integer, Param, Params, Ports, Positive, Prepared, Sampled, kernel, zeros


class Invertible(Param):
    """A transfer function with a stable inverse, as its polynomials (num, den)."""

    def check(self, value: Any) -> tuple[np.ndarray, np.ndarray]:
        num, den = (np.trim_zeros(np.atleast_1d(np.array(part, dtype=float)), "f") for part in polynomials(value))
        if not len(num):
            raise ValueError("has a numerator of zeros, which has no inverse")
        numerator_roots, poles = np.roots(num), np.roots(den)
        if (numerator_roots.real >= 0.0).any():
            worst = numerator_roots[np.argmax(numerator_roots.real)]
            raise ValueError(
                f"has a zero at {worst:.4g}, which would be an unstable pole of its inverse;"
                " leave the zero out, or use PREDICTOR or ATS"
            )
        if (poles.real > 0.0).any():
            worst = poles[np.argmax(poles.real)]
            raise ValueError(f"is unstable, with a pole at {worst:.4g}, which no command in advance can correct")
        return num, den


def polynomials(value: Any) -> tuple[Any, Any]:
    """(num, den) of what stands for a transfer function; what is improper or no numbers is refused."""
    if isinstance(value, str):
        if value not in IDENTIFIED:
            known = ", ".join(map(repr, IDENTIFIED))
            raise ValueError(f"must be one of {known}, a system of control or a pair (num, den), got {value!r}")
        return with_unit_dc_gain(value)
    if isinstance(value, tuple) and len(value) == 2:
        num, den = value
    else:
        import control

        if not isinstance(value, control.TransferFunction):
            raise ValueError(f"must be a control.TransferFunction, a pair (num, den) or a name, got {value!r}")
        if value.dt:
            raise ValueError(f"must be continuous, got a sample time of {value.dt} s")
        if (value.ninputs, value.noutputs) != (1, 1):
            raise ValueError(f"must have one input and one output, got {value.ninputs} and {value.noutputs}")
        num, den = value.num[0][0], value.den[0][0]
    from_polynomials(num, den)
    return num, den


class Feedforward(Sampled):
    """Inverse of the actuator's transfer function, behind a low-pass filter (Phillips and Spencer)."""

    ins = Ports(signal="displacement the actuator shall have")
    outs = Ports(command="command that makes up for the actuator's dynamics")
    params = Params(
        system=Invertible("the actuator: (num, den), control.TransferFunction or a name such as 'TS_1'"),
        cutoff=Positive("cutoff frequency of the filter in Hz"),
        order=Integer("order n of the filter; None for the least", None, at_least=0, at_most=12, optional=True),
        filter=Choice("n equal real poles, or Butterworth's", "repeated", among=("repeated", "butterworth")),
    )
    example = dict(system="TS_1", cutoff=40.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        num, den = q.system
        least = len(den) - len(num)
        order = least if q.order is None else q.order
        if order < least:
            raise ParameterError(
                f"order={order} is less than {least}, which the inverse of this system needs to be proper;"
                " use that or more, or None for it."
            )
        refuse_above_half_rate(q.cutoff, dt)
        over, under = filtered_inverse(num, den, 2.0 * math.pi * q.cutoff, order, q.filter)
        return discretise(balanced(from_polynomials(over, under)), dt, "tustin").prepared("signal", "command")

    @classmethod
    def describe(cls, q: SimpleNamespace) -> Mapping[str, Any]:
        return {**vars(q), "system": {"num": q.system[0], "den": q.system[1]}}

    @kernel
    def outputs(u, x, p, y):
        set_product(p.c, x.internal, y.command)
        add_product(p.d, u.signal, y.command)

    @kernel
    def update(u, x, p):
        following = zeros(p.order)
        set_product(p.a, x.internal, following)
        add_product(p.b, u.signal, following)
        for i in range(p.order):
            x.internal[i] = following[i]


def filtered_inverse(
    num: np.ndarray, den: np.ndarray, w_c: float, order: int, kind: str
) -> tuple[np.ndarray, np.ndarray]:
    """Numerator and denominator of den/num F."""
    poles = np.full(order, -1.0 + 0.0j)
    if kind == "butterworth":
        poles = np.exp(0.5j * math.pi * (2.0 * np.arange(1, order + 1) + order - 1.0) / order) if order else poles
    return den * w_c**order, np.polymul(num, np.real(np.poly(w_c * poles)) if order else np.ones(1))
