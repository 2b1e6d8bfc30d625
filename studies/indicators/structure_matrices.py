"""Mass, damping and stiffness as matrices: checked, with their modes and modal damping.

M x'' + C x' + K x = load,    K phi = omega^2 M phi
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hybsim.errors import ParameterError


def modal_damping(mass: Any, stiffness: Any, ratios: Any) -> np.ndarray:
    """C = M Phi diag(2 zeta_i omega_i) Phi^T M with Phi^T M Phi = I: the damping ratios of all modes, rising.

    >>> modal_damping([[2.0]], [[8.0]], 0.05).round(12).tolist()
    [[0.4]]
    """
    from scipy.linalg import eigh

    mass, stiffness = np.atleast_2d(mass), np.atleast_2d(stiffness)
    squares, shapes = eigh(stiffness, mass)
    if squares[0] < 0.0:
        raise ParameterError(f"The stiffness matrix is not positive: a mode has omega^2 = {squares[0]:.4g} (rad/s)^2.")
    each = np.broadcast_to(np.asarray(ratios, dtype=float), squares.shape)
    weighted = mass @ shapes
    return np.asarray(weighted * (2.0 * each * np.sqrt(squares)) @ weighted.T)


def square(name: str, value: Any, dofs: int) -> np.ndarray:
    """A matrix of the size of the structure, refused if it is not."""
    matrix = np.atleast_2d(np.array(value, dtype=float))
    label = f"{name[0].upper()}_{name[1]}"
    if matrix.shape != (dofs, dofs):
        raise ParameterError(
            f"{label} has the shape {matrix.shape}, but M_n has {dofs} row(s); all six matrices must be square and of"
            " one size."
        )
    if not np.isfinite(matrix).all():
        raise ParameterError(f"{label} must have finite entries.")
    return matrix


def quadratic_roots(mass: np.ndarray, damping: np.ndarray, stiffness: np.ndarray) -> np.ndarray:
    """The roots of det(M s^2 + C s + K) = 0."""
    dofs = len(mass)
    rate = np.zeros((2 * dofs, 2 * dofs))
    rate[:dofs, dofs:] = np.eye(dofs)
    rate[dofs:] = -np.linalg.solve(mass, np.hstack([stiffness, damping]))
    return np.asarray(np.linalg.eigvals(rate))
