"""Specimens measured in the compiled engine: initial stiffness, ultimate force, loop area and rate behaviour.

Each row gives specimen, quantity, measured, theory, error, source and tolerance.
"""

from __future__ import annotations

from hybsim.studies.verification import specimens_hysteretic, specimens_rate
from hybsim.studies.verification.rows import Row


def rows() -> list[Row]:
    """Every number of every specimen against its closed form; OpenSees' materials are in opensees_materials.py."""
    return [*specimens_hysteretic.rows(), *specimens_rate.rows()]
