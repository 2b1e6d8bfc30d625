"""What a diagram is made of: one concept a file, the equation first.

CATALOGUE lists every block under the name it has in a diagram: ``bd.BOUCWEN(...)``. A new block gets its file in
the folder of its family and its line in the table of that folder's ``__init__.py``.
"""

from __future__ import annotations

from hybsim.blocks import (
    actuators,
    compensators,
    errors,
    generators,
    integrators,
    monitors,
    sensors,
    sources,
    specimens,
)
from hybsim.kernel import KernelBlock

FAMILIES = (sources, integrators, specimens, generators, actuators, compensators, errors, sensors, monitors)

CATALOGUE: dict[str, type[KernelBlock]] = {name: cls for family in FAMILIES for name, cls in family.BLOCKS.items()}
