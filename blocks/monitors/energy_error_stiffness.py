"""Energy error of every actuator from a stiffness (Thewalt & Roman's form): given once, or as it changes.

    E^error = -sum 1/2 (K_i e_i + K_{i-1} e_{i-1}) (u^c_i - u^c_{i-1}),    e_i = u^c_i - u^m_i    (7.18, 7.19)

u^c command, u^m measured displacement, K stiffness of the specimens at the actuators; of the two vectors under the sum
the products are taken actuator by actuator. The control error e leaves a force K e out of the measured one, and its
work on the command is energy the integrator does not account for: negative where the actuator lags. The first tick is
the starting point.

ENERGYERROR_STIFFNESS takes one K, the initial stiffness for instance; ENERGYERROR_TANGENT takes the tangent stiffness
at every tick, by rows in a signal of n^2 numbers. Neither needs the measured force.

Against ENERGYERROR (E_M, this one E_T): for r = K u^m with a constant, symmetric K the sums over the actuators obey

    E_M - E_T = [1/2 (u^c)^T K u^c - 1/2 (u^m)^T K u^m] from the first tick to now

exactly, for the trapezoidal sums too (summation by parts), and for a diagonal K in each actuator by itself. So the
two differ by strain energy alone, the recoverable difference between where the specimen is and where it should be;
they agree whenever e = 0 (as at the first tick), and what a closed cycle adds is the same in both. For a specimen that
yields, the tangent makes both agree to the first order of e, the initial stiffness does not: ENERGYERROR is then the
one to trust.

Thewalt & Roman (1994); EERC Eqs. 7.18, 7.19, corrected: 7.18 prints the opposite sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import numpy as np

from hybsim.blocks.monitors.work import add_work, copy
from hybsim.kernel import Integer, Matrix, Params, Ports, Prepared, Sampled, kernel, zeros

INS = Ports(disp_cmd="command displacement u^c of each actuator", disp_meas="measured displacement u^m")
OUTS = Ports(e_error="energy error, negative where energy is added")


@kernel
def force_error(stiffness, disp_cmd, disp_meas, force):
    """r - K u^c = -K e, for K stored by rows: how far the measured force is from that of the command."""
    for i in range(len(force)):
        force[i] = 0.0
        for j in range(len(force)):
            force[i] = force[i] - stiffness[i * len(force) + j] * (disp_cmd[j] - disp_meas[j])


def prepared(n: int, widths: Mapping[str, int], **p: np.ndarray) -> Prepared:
    """The state of both forms: the energies, and command and force error of the last tick."""
    return Prepared(
        p=p,
        x=dict(e_error=np.zeros(n), cmd=np.zeros(n), force=np.zeros(n), started=0.0),
        widths=dict(disp_cmd=n, disp_meas=n, e_error=n, **widths),
    )


class EnergyErrorStiffness(Sampled):
    """Energy error of each actuator, from the displacements and one stiffness."""

    ins = INS
    outs = OUTS
    params = Params(stiffness=Matrix("stiffness K of the specimens at the actuators: a number or a matrix"))
    example = dict(stiffness=10.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return prepared(len(q.stiffness), {}, stiffness=np.ravel(q.stiffness))

    @kernel
    def outputs(u, x, p, y):
        copy(x.e_error, y.e_error)
        if x.started > 0.0:
            force = zeros(len(u.disp_cmd))
            force_error(p.stiffness, u.disp_cmd, u.disp_meas, force)
            add_work(y.e_error, force, x.force, u.disp_cmd, x.cmd)

    @kernel
    def update(u, x, p):
        force = zeros(len(u.disp_cmd))
        force_error(p.stiffness, u.disp_cmd, u.disp_meas, force)
        advance(x.e_error, x.started, force, x.force, u.disp_cmd, x.cmd)
        x.started = 1.0


class EnergyErrorTangent(Sampled):
    """Energy error of each actuator, from the displacements and the tangent stiffness at every tick."""

    ins = Ports(**INS, stiffness="tangent stiffness K at the actuators, n^2 numbers by rows")
    outs = OUTS
    params = Params(width=Integer("number n of actuators", 1, at_least=1))
    example = dict(width=2)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return prepared(q.width, dict(stiffness=q.width**2))

    @kernel
    def outputs(u, x, p, y):
        copy(x.e_error, y.e_error)
        if x.started > 0.0:
            force = zeros(len(u.disp_cmd))
            force_error(u.stiffness, u.disp_cmd, u.disp_meas, force)
            add_work(y.e_error, force, x.force, u.disp_cmd, x.cmd)

    @kernel
    def update(u, x, p):
        force = zeros(len(u.disp_cmd))
        force_error(u.stiffness, u.disp_cmd, u.disp_meas, force)
        advance(x.e_error, x.started, force, x.force, u.disp_cmd, x.cmd)
        x.started = 1.0


@kernel
def advance(e_error, started, force, force_last, disp, disp_last):
    """Add the work of this tick and keep what the next one needs."""
    if started > 0.0:
        add_work(e_error, force, force_last, disp, disp_last)
    copy(force, force_last)
    copy(disp, disp_last)
