"""What is known of an integrator before it is run: one `Theory` an entry, compared with measurements.

    x_{k+1} = A(Omega, zeta) x_k,    Omega = omega h,  omega = sqrt(k / m),  zeta = c / (2 m omega)

A is the amplification matrix of the undriven linear oscillator for one integration step h, in any state x: only
its eigenvalues are compared. It is derived from the published difference equations, never from the block.

Each module theory_<family>.py of this package holds a list THEORIES; `all_theories` finds them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Theory:
    """An integrator with given parameters, and what theory says of it.

    name             factory name of the block, such as "NEWMARK"
    make             (bd, *, mass, damping, stiffness, name, initial_disp, initial_vel) -> block; `stiffness` is the
                     whole initial stiffness of the structure, a number or a matrix; bd.dt is the tick
    amplification    (Omega, zeta) -> matrix
    order            order of convergence of the displacement
    stability_limit  highest stable Omega of the undamped oscillator; None if there is none
    notes            for the report: where the numbers come from, what limits them
    variant          the parameters, where there are several entries of one block
    ticks_per_step   ticks that make one integration step: h = ticks_per_step * bd.dt
    specimen_share   part of `stiffness` that the specimen outside the block supplies; the block made by `make`
                     supplies the rest, (1 - specimen_share) * stiffness, itself
    """

    name: str
    make: Callable[..., Any]
    amplification: Callable[[float, float], np.ndarray]
    order: int
    stability_limit: float | None
    notes: str = ""
    variant: str = ""
    ticks_per_step: int = 1
    specimen_share: float = 1.0

    @property
    def label(self) -> str:
        return f"{self.name} ({self.variant})" if self.variant else self.name


def all_theories() -> list[Theory]:
    """The entries of every theory_*.py in this package, in the order of the file names."""
    package = importlib.import_module(__package__ or "hybsim.studies.verification")
    names = sorted(m.name for m in pkgutil.iter_modules(package.__path__) if m.name.startswith("theory_"))
    modules = [importlib.import_module(f"{package.__name__}.{name}") for name in names]
    return [entry for module in modules for entry in module.THEORIES]
