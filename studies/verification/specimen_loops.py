"""Closed forms of steady loops: what specimens are compared with.

All in e = u / u_y and s = r / (k u_y): a loop's area is k u_y^2 times the one given here.
"""

from __future__ import annotations

import math

from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import gamma


def bilinear_area(amplitude: float, alpha: float) -> float:
    """The parallelogram between -/+ amplitude; alpha = 0 is elastic-perfectly-plastic."""
    return 4.0 * (1.0 - alpha) * (amplitude - 1.0)


def steel_loop(amplitude: float, b: float, r: float) -> tuple[float, float]:
    """Peak stress and area of the Menegotto-Pinto loop for a constant R.

    The branch up starts at (-amplitude, -top); its corner lies on the elastic line through there and on the hardening
    line through (1, 1). It must end at (amplitude, top); the branch down is the same one turned by half a turn.
    """

    def branch(e: float, top: float) -> float:
        corner = 1.0 + (top - amplitude) / (1.0 - b)
        rise = 1.0 + b * (corner - 1.0) + top
        w = (e + amplitude) / (corner + amplitude)
        return float(-top + rise * (b * w + (1.0 - b) * w / (1.0 + w**r) ** (1.0 / r)))

    top = brentq(lambda s: branch(amplitude, s) - s, 0.5, 1.0 + b * amplitude, xtol=1e-14)
    return float(top), 2.0 * float(quad(branch, -amplitude, amplitude, args=(top,), epsabs=1e-12, limit=200)[0])


def bouc_wen_loop(amplitude: float) -> tuple[float, float]:
    """Peak z and area of the loop of z for beta = gamma = 1/2 and n = 2.

    Unloading is straight with the slope 1, over Z to z = 0; from there |z| = tanh of the way. So Z = tanh(2 e_max - Z),
    and half a loop encloses ln cosh(2 e_max - Z) - Z^2/2.
    """
    top = float(brentq(lambda z: math.tanh(2.0 * amplitude - z) - z, 0.0, 1.0, xtol=1e-15))
    return top, 2.0 * (math.log(math.cosh(2.0 * amplitude - top)) - 0.5 * top**2)


def viscous_area(exponent: float) -> float:
    """Energy of a cycle of c |v|^a sgn(v) at u = U sin(w t), over c w^a U^(1+a)."""
    a = exponent
    return float(2.0 ** (2.0 + a) * gamma(1.0 + 0.5 * a) ** 2 / gamma(2.0 + a))
