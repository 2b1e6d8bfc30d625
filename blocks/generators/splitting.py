"""Splitting matrices: which part of a specimen is virtual, and whether the split test is stable.

    M^p = (E - alpha_m) M,   C^p = (E - alpha_c) C,   f^p = (E - alpha_f) f

The superscript p marks what is built; alpha_m, alpha_c, alpha_f are the shares that are not. Their eigenvalues lie
from 0 (all built) to 1 (all virtual).

A virtual mass that follows an acceleration measured tau seconds late makes the equation of motion neutral:

    (E - alpha_m) M x''(t) + alpha_m M x''(t - tau) + ... = load

Its fast errors are multiplied by -((E - alpha_m) M)^-1 alpha_m M in each tau. The mass drops out: the eigenvalues of
this matrix are lam / (1 - lam) in size, lam those of alpha_m. So for any delay, however short, the errors grow if an
eigenvalue of alpha_m is above 1/2. At 1/2 itself they still do, slowly, unless the mode is damped by more than half
of critical.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from hybsim.errors import ParameterError
from hybsim.kernel import Matrix, Real, Vector

ROUNDING = 1e-9
"""How far an eigenvalue may lie from where it should by rounding."""


class Splitting(Matrix):
    """A number, one number for each degree of freedom (a diagonal) or a matrix, with eigenvalues from 0 to 1."""

    def check(self, value: Any) -> np.ndarray:
        given = Vector(self.prose).check(value) if np.ndim(value) < 2 else super().check(value)
        assert given is not None
        for share in shares(given):
            if abs(share.imag) > ROUNDING or not -ROUNDING <= share.real <= 1.0 + ROUNDING:
                of_a_matrix = "an eigenvalue of " if given.ndim == 2 else ""
                raise ValueError(
                    f"must lie from 0 (all in the specimen) to 1 (all virtual), got {of_a_matrix}{shown(share)}"
                )
        return given


class TableShare(Real):
    """One number."""

    def check(self, value: Any) -> float | None:
        if np.ndim(value) != 0:
            raise ValueError(
                f"must be a single number, got {np.asarray(value).tolist()}: one table has one acceleration for all"
                " degrees of freedom; apply what differs between them by the actuators, with 1"
            )
        return super().check(value)


def shares(alpha: np.ndarray) -> np.ndarray:
    """The eigenvalues of a splitting matrix; a vector is a diagonal."""
    return np.linalg.eigvals(alpha) if alpha.ndim == 2 else alpha


def shown(share: complex) -> str:
    return f"{share.real:.6g}" if share.imag == 0.0 else f"{share.real:.6g}{share.imag:+.6g}i"


def full(block: str, name: str, alpha: np.ndarray, dofs: int) -> np.ndarray:
    """A splitting matrix for so many degrees of freedom."""
    if alpha.shape == (1,):
        return float(alpha[0]) * np.eye(dofs)
    if alpha.shape == (dofs,):
        return np.diag(alpha)
    if alpha.shape == (dofs, dofs):
        return alpha
    size = " x ".join(map(str, alpha.shape)) if alpha.ndim == 2 else f"{len(alpha)} numbers"
    raise ParameterError(
        f"{block} has a mass of {dofs} x {dofs} and an {name} of {size};"
        f" give one number, {dofs} numbers or a matrix of {dofs} x {dofs}."
    )


def largest(alpha: np.ndarray) -> float:
    """The largest share of a splitting matrix."""
    return float(shares(alpha).real.max())


def refuse_without_mass(block: str, alpha_m: np.ndarray, why: str) -> None:
    if largest(alpha_m) >= 1.0 - ROUNDING:
        raise ParameterError(f"{block} has an alpha_m of 1, which leaves the specimen without mass: {why}.")


def refuse_delayed(block: str, alpha_m: np.ndarray) -> None:
    """Refuse a virtual mass that cannot follow a delayed acceleration; at 1/2 itself, warn."""
    share = largest(alpha_m)
    if share > 0.5 + ROUNDING:
        grows = f"{share / (1.0 - share):.3g} times" if share < 1.0 - ROUNDING else "without bound"
        raise ParameterError(
            f"{block} has an alpha_m of {share:.6g}, but a virtual mass of more than half of the whole is unstable with"
            f" any delay of the measured acceleration (an error grows {grows} in each delay): use FORCECOMMAND_MODEL,"
            " accel_delay=0 if there is no delay at all, or allow_unstable=True to study it."
        )
    if share >= 0.5 - ROUNDING:
        warnings.warn(
            f"{block} has an alpha_m of 1/2: with a delay of the measured acceleration its errors grow slowly unless"
            " the specimen is damped by more than half of critical; use less virtual mass.",
            stacklevel=2,
        )


def table_row(block: str, alpha_m: np.ndarray, physical_mass: np.ndarray, influence: np.ndarray) -> np.ndarray:
    """r of alpha_m = M^p R r^T: r^T I is the table acceleration that loads the specimen like the forces alpha_m I.

    Only where the virtual mass has this form can one table apply its inertia; one degree of freedom always has it.
    """
    refuse_without_mass(
        block,
        alpha_m,
        "there is nothing for a table to act on, so give inertia_on_table=0 or an alpha_m below 1",
    )
    column = physical_mass @ influence
    row: np.ndarray = column @ alpha_m / (column @ column or 1.0)
    if np.abs(alpha_m - np.outer(column, row)).max() > ROUNDING:
        raise ParameterError(
            f"{block} cannot put the inertia of this virtual mass on the table, which loads the degrees of freedom in"
            " the fixed ratio M^p R; give inertia_on_table=0, so that the actuators apply it."
        )
    return row
