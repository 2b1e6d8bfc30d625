"""Estimates of a specimen's tangent stiffness K from increments of displacement s and force y.

    least squares   K+ = K + (Y - K S) S^+          S, Y: the last m increments as columns
    Broyden         K+ = K + (y - K s) s^T / (s^T s)
    BFGS            K+ = K - (K s)(K s)^T / (s^T K s) + y y^T / (s^T y)

S^+ is the pseudoinverse without the singular values below 1 % of the largest. So in the directions the increments
span the estimate is the plain least-squares one, and in all others it stays what it was: the least change. Nothing is
symmetrised. With s_i the singular values and u_i the left singular vectors of S,

    S^+ = S^T sum_i u_i u_i^T / s_i^2,    s_i^2, u_i: eigenvalues and eigenvectors of S S^T.

The eigenvalues come from Jacobi's rotations; 1 % is 1e-4 of the largest eigenvalue, far above their rounding error.

Matrices that are state are stored by rows in vectors: K[i, j] = tangent[i n + j], increment r in
disp_steps[r n + i]. Unused increments are 0 and count for nothing. `step` and `force_step` have n numbers.

OSM Eqs. 6-9, with plain least squares, not symmetrised, and regularised towards the previous estimate; Broyden (1965),
as used by Carrion & Spencer (2006); BFGS as used by Thewalt & Roman (1994).
"""

from __future__ import annotations

import math

from hybsim.kernel import kernel, zeros

SMALLEST_SINGULAR_VALUE = 0.01
"""Relative to the largest: directions that hardly moved say nothing of the stiffness."""

SMALLEST_CURVATURE = 1e-8
"""Relative to |s| |y|: a BFGS update needs s^T y > 0 to stay positive definite, else it is left out."""

MOST_SWEEPS = 30
"""Jacobi's method converges quadratically; ten sweeps are rare."""


@kernel
def least_squares(tangent, disp_steps, force_steps, step):
    """The least change of `tangent` that fits all stored increments as least squares do."""
    gram = zeros(len(step), len(step))
    misfit = zeros(len(step), len(step))
    for r in range(len(disp_steps) // len(step)):
        for i in range(len(step)):
            error = force_steps[r * len(step) + i]
            for j in range(len(step)):
                error = error - tangent[i * len(step) + j] * disp_steps[r * len(step) + j]
            for j in range(len(step)):
                misfit[i, j] = misfit[i, j] + error * disp_steps[r * len(step) + j]
                gram[i, j] = gram[i, j] + disp_steps[r * len(step) + i] * disp_steps[r * len(step) + j]
    vectors = zeros(len(step), len(step))
    eigenvectors(gram, vectors)
    largest = 0.0
    for q in range(len(step)):
        largest = max(largest, gram[q, q])
    for q in range(len(step)):
        if gram[q, q] > SMALLEST_SINGULAR_VALUE * SMALLEST_SINGULAR_VALUE * largest:
            for i in range(len(step)):
                along = 0.0
                for j in range(len(step)):
                    along = along + misfit[i, j] * vectors[j, q]
                for j in range(len(step)):
                    tangent[i * len(step) + j] = tangent[i * len(step) + j] + along / gram[q, q] * vectors[j, q]


@kernel
def broyden(tangent, step, force_step):
    """The least change of `tangent` that gives the last increment."""
    square = 0.0
    for j in range(len(step)):
        square = square + step[j] * step[j]
    if square > 0.0:
        for i in range(len(step)):
            error = force_step[i]
            for j in range(len(step)):
                error = error - tangent[i * len(step) + j] * step[j]
            for j in range(len(step)):
                tangent[i * len(step) + j] = tangent[i * len(step) + j] + error / square * step[j]


@kernel
def bfgs(tangent, step, force_step):
    """The symmetric update of rank 2 that gives the last increment; left out where it would lose definiteness."""
    bent = zeros(len(step))
    bent_work = 0.0
    work = 0.0
    step_square = 0.0
    force_square = 0.0
    for i in range(len(step)):
        for j in range(len(step)):
            bent[i] = bent[i] + tangent[i * len(step) + j] * step[j]
        bent_work = bent_work + step[i] * bent[i]
        work = work + step[i] * force_step[i]
        step_square = step_square + step[i] * step[i]
        force_square = force_square + force_step[i] * force_step[i]
    if work > SMALLEST_CURVATURE * math.sqrt(step_square) * math.sqrt(force_square) and bent_work > 0.0:
        for i in range(len(step)):
            for j in range(len(step)):
                change = force_step[i] * force_step[j] / work - bent[i] * bent[j] / bent_work
                tangent[i * len(step) + j] = tangent[i * len(step) + j] + change


@kernel
def eigenvectors(a, v):
    """Jacobi's rotations: the symmetric `a` becomes diagonal with its eigenvalues, `v` gets the vectors as columns."""
    for i in range(len(a)):
        for j in range(len(a)):
            v[i, j] = 1.0 if i == j else 0.0
    for _sweep in range(MOST_SWEEPS):
        beside = 0.0
        whole = 0.0
        for i in range(len(a)):
            for j in range(len(a)):
                whole = whole + a[i, j] * a[i, j]
                if i != j:
                    beside = beside + a[i, j] * a[i, j]
        if beside <= 1e-30 * whole:
            break
        for i in range(len(a) - 1):
            for j in range(i + 1, len(a)):
                if a[i, j] != 0.0:
                    ratio = (a[j, j] - a[i, i]) / (2.0 * a[i, j])
                    size = 1.0 / (abs(ratio) + math.sqrt(ratio * ratio + 1.0))
                    tangent = -size if ratio < 0.0 else size
                    cosine = 1.0 / math.sqrt(tangent * tangent + 1.0)
                    rotate(a, v, i, j, cosine, tangent * cosine)
                    a[i, j] = 0.0
                    a[j, i] = 0.0


@kernel
def rotate(a, v, i, j, cosine, sine):
    """a <- J^T a J and v <- v J for the rotation J in the plane of i and j."""
    turn_columns(a, i, j, cosine, sine)
    for k in range(len(a)):
        left = a[i, k]
        right = a[j, k]
        a[i, k] = cosine * left - sine * right
        a[j, k] = sine * left + cosine * right
    turn_columns(v, i, j, cosine, sine)


@kernel
def turn_columns(a, i, j, cosine, sine):
    """a <- a J, one column after the other.

    In one loop gcc 12 makes a difference and a sum that are stored side by side one instruction with a single
    rounding (vfmaddsub), -ffp-contract=off notwithstanding: the engines would differ in the last bit.
    """
    left = zeros(len(a))
    right = zeros(len(a))
    for k in range(len(a)):
        left[k] = a[k, i]
        right[k] = a[k, j]
    for k in range(len(a)):
        a[k, i] = cosine * left[k] - sine * right[k]
    for k in range(len(a)):
        a[k, j] = sine * left[k] + cosine * right[k]


@kernel
def solve(a, b):
    """b <- a^-1 b by elimination with row exchanges; `a` is used up."""
    for k in range(len(b)):
        pivot = k
        for i in range(k + 1, len(b)):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        if pivot != k:
            for j in range(k, len(b)):
                swapped = a[k, j]
                a[k, j] = a[pivot, j]
                a[pivot, j] = swapped
            exchanged = b[k]
            b[k] = b[pivot]
            b[pivot] = exchanged
        for i in range(k + 1, len(b)):
            factor = a[i, k] / a[k, k]
            for j in range(k + 1, len(b)):
                a[i, j] = a[i, j] - factor * a[k, j]
            b[i] = b[i] - factor * b[k]
    for back in range(len(b)):
        k = len(b) - 1 - back
        for j in range(k + 1, len(b)):
            b[k] = b[k] - a[k, j] * b[j]
        b[k] = b[k] / a[k, k]
