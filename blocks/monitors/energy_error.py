"""Energy error of every actuator, from what is measured (Mosqueda's form).

    E^E     = sum 1/2 (r_{i-1} + r_i) (u^c_i - u^c_{i-1})    what the integrator accounts for    (7.22)
    E^BE    = sum 1/2 (r_{i-1} + r_i) (u^m_i - u^m_{i-1})    what the specimen takes             (7.21)
    E^error = E^E - E^BE                                     < 0: a lag adds energy              (7.20)

u^c command, u^m measured displacement, r measured force of one actuator; sums over the ticks so far, the present one
included. The first tick is the starting point of the sums and adds nothing. Actuators do not mix, also where they act
on one specimen: their coupling is in the measured forces. With u^c = T u and R^E = T^T r the sum over the actuators is
the energy in the coordinates u of the structure, so it needs no transformation.

No stiffness is needed. ENERGYERROR_STIFFNESS estimates the same energy from a stiffness, and says how both compare.

Mosqueda, Stojadinovic, Mahin (2005); EERC Eqs. 7.13-7.22, corrected: 7.15 and 7.20 print the opposite sign, 7.22 a
stray minus, and 7.12, 7.13 mean du^ac.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.monitors.work import add_work, control_error, copy
from hybsim.kernel import Integer, Params, Ports, Prepared, Sampled, State, kernel, zeros


class EnergyError(Sampled):
    """Energy added or removed by displacement errors, one number for each actuator."""

    ins = Ports(
        disp_cmd="command displacement u^c of each actuator",
        disp_meas="measured displacement u^m",
        force_meas="measured restoring force r",
    )
    outs = Ports(
        e_error="energy error E^E - E^BE, negative where energy is added",
        e_experimental="energy of the specimen as the integrator sees it, E^E",
        e_best="best estimate of the specimen's energy, E^BE",
    )
    params = Params(width=Integer("number of actuators", 1, at_least=1))
    state = State(started=0.0)
    example = dict(width=2)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        last = {name: np.zeros(q.width) for name in ("cmd", "meas", "gap", "force")}
        energies = {name: np.zeros(q.width) for name in cls.outs}
        return Prepared(x={**cls.state, **energies, **last}, widths=dict.fromkeys((*cls.ins, *cls.outs), q.width))

    @kernel
    def outputs(u, x, p, y):
        copy(x.e_error, y.e_error)
        copy(x.e_experimental, y.e_experimental)
        copy(x.e_best, y.e_best)
        if x.started > 0.0:
            gap = zeros(len(u.disp_cmd))
            control_error(u.disp_cmd, u.disp_meas, gap)
            add_work(y.e_error, u.force_meas, x.force, gap, x.gap)
            add_work(y.e_experimental, u.force_meas, x.force, u.disp_cmd, x.cmd)
            add_work(y.e_best, u.force_meas, x.force, u.disp_meas, x.meas)

    @kernel
    def update(u, x, p):
        gap = zeros(len(u.disp_cmd))
        control_error(u.disp_cmd, u.disp_meas, gap)
        if x.started > 0.0:
            add_work(x.e_error, u.force_meas, x.force, gap, x.gap)
            add_work(x.e_experimental, u.force_meas, x.force, u.disp_cmd, x.cmd)
            add_work(x.e_best, u.force_meas, x.force, u.disp_meas, x.meas)
        x.started = 1.0
        copy(u.disp_cmd, x.cmd)
        copy(u.disp_meas, x.meas)
        copy(gap, x.gap)
        copy(u.force_meas, x.force)
