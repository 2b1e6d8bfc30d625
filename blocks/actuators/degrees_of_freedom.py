"""Between the degrees of freedom of the structure and those of the actuators.

    disp_cmd = s_u T disp                TOACTUATORS    EERC Eqs. 6.2, 7.9
    force = s_f T^T force_meas           TOSTRUCTURE    EERC Eqs. 6.4, 7.10

T has a row for each actuator and a column for each degree of freedom of the structure, and is given to both blocks in
this form; `storey_drifts` is that of a shear frame. s_u and s_f are their scales.

The specimens of stiffness k at the actuators are s_u s_f T^T k T to the structure. The work of the forces is

    force^T d(disp) = (s_f / s_u) force_meas^T d(disp_cmd)

so work is conserved if the two scales are equal. EERC's are reciprocal, s_u = 1/2 and s_f = 2: the storey keeps the
stiffness of the one half column tested, 2.8 kip/in, and takes four times its work, as a storey has four half columns.
Energies summed at the actuators must be multiplied by s_f / s_u before they are compared with the structure's.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from hybsim.blocks.actuators.linear_system import set_product
from hybsim.kernel import Function, Matrix, Params, Ports, Positive, Prepared, kernel


class Rectangular(Matrix):
    """A number or a rectangular matrix."""

    def check(self, value: Any) -> np.ndarray:
        try:
            matrix = np.array(value, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(f"must be a number or a list of equally long rows of numbers, got {value!r}") from None
        if matrix.ndim == 0:
            matrix = matrix.reshape(1, 1)
        if matrix.ndim != 2 or matrix.size == 0:
            raise ValueError(
                f"must have a row for each actuator and a column for each degree of freedom, got shape {matrix.shape}"
            )
        if not np.isfinite(matrix).all():
            raise ValueError("must hold finite numbers only")
        return matrix


def storey_drifts(storeys: int) -> np.ndarray:
    """T of a shear frame with an actuator in each storey: floor displacements to drifts, EERC Eq. 6.3 for two.

    >>> storey_drifts(2)
    array([[ 1.,  0.],
           [-1.,  1.]])
    """
    if storeys < 1:
        raise ValueError(f"A frame has at least one storey, got {storeys}.")
    return np.eye(storeys) - np.eye(storeys, k=-1)


TRANSFORMATION = Rectangular("T: a row for each actuator, a column for each degree of freedom")


class ToActuators(Function):
    """Displacements of the structure to commands of the actuators."""

    ins = Ports(disp="displacements of the structure")
    outs = Ports(disp_cmd="commands of the actuators")
    params = Params(transformation=TRANSFORMATION, scale=Positive("scale s_u of the displacements", 1.0))
    example = dict(transformation=[[1.0, 0.0], [-1.0, 1.0]], scale=0.5)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        actuators, freedoms = q.transformation.shape
        return Prepared(p=dict(t=q.scale * q.transformation), widths=dict(disp=freedoms, disp_cmd=actuators))

    @kernel
    def outputs(u, x, p, y):
        set_product(p.t, u.disp, y.disp_cmd)


class ToStructure(Function):
    """Forces measured at the actuators to forces of the structure."""

    ins = Ports(force_meas="forces measured at the actuators")
    outs = Ports(force="restoring forces of the structure")
    params = Params(transformation=TRANSFORMATION, scale=Positive("scale s_f of the forces", 1.0))
    example = dict(transformation=[[1.0, 0.0], [-1.0, 1.0]], scale=2.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        actuators, freedoms = q.transformation.shape
        transposed = np.ascontiguousarray(q.scale * q.transformation.T)
        return Prepared(p=dict(t=transposed), widths=dict(force_meas=actuators, force=freedoms))

    @kernel
    def outputs(u, x, p, y):
        set_product(p.t, u.force_meas, y.force)
