"""Polynomials through targets that are one step apart: the way of a command from one target to the next.

    d(t) = d_{i+1}/6 t (1+t) (2+t) - d_i/2 (t-1) (1+t) (2+t) + d_{i-1}/2 t (t-1) (2+t) - d_{i-2}/6 t (t-1) (1+t)
    d(t) = d_{i+1}/2 t (1+t) - d_i (t-1) (1+t) + d_{i-1}/2 t (t-1)

t is the time since d_i in steps. The first is the interpolation of EERC Eq. 6.6, the second that of FHT Fig. 2.

While d_{i+1} is not known, the same polynomials through the targets one step older lead on from d_i:
at 1 + t, the cubic through d_i ... d_{i-3} is the extrapolation of EERC Eq. 6.5. Thus at the end of a step
nothing changes: the interpolation to a target and the extrapolation from it are one polynomial. When the target
comes, at t, the command steps from one polynomial to the other, which agree in all targets but one:

    cubic:      t (1+t) (2+t) / 6 nabla^4 d_{i+1}
    quadratic:  t (1+t) / 2       nabla^3 d_{i+1}

with nabla the backward difference, nabla d_i = d_i - d_{i-1}. Motions of the polynomial's order are exact.
"""

from __future__ import annotations

from hybsim.kernel import kernel


@kernel
def cubic(t, before_last, last, start, end):
    """The cubic through (-2, before_last), (-1, last), (0, start) and (1, end), at t."""
    return (
        t * (1.0 + t) * (2.0 + t) / 6.0 * end
        - (t - 1.0) * (1.0 + t) * (2.0 + t) / 2.0 * start
        + t * (t - 1.0) * (2.0 + t) / 2.0 * last
        - t * (t - 1.0) * (1.0 + t) / 6.0 * before_last
    )


@kernel
def parabola(t, last, start, end):
    """The quadratic through (-1, last), (0, start) and (1, end), at t."""
    return 0.5 * t * (t - 1.0) * last + (1.0 - t) * (1.0 + t) * start + 0.5 * t * (t + 1.0) * end
