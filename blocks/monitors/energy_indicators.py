"""Energy error of the experimental substructures, and the error indicators HSEI made of it.

    E^E     = sum 1/2 (r_{i-1} + r_i)^T (u^c_i - u^c_{i-1})    what the integrator accounts for    (7.22)
    E^BE    = sum 1/2 (r_{i-1} + r_i)^T (u^m_i - u^m_{i-1})    what the specimen takes             (7.21)
    E^error = E^E - E^BE                                       < 0: a lag adds energy              (7.20)
    E^input = sum 1/2 (f_{i-1} + f_i)^T (u^c_i - u^c_{i-1})                                        (8.4)
    HSEI^S  = E^error / E^strain                                                                   (8.1)
    HSEI^I  = E^error / (E^strain + E^input)                                                       (8.6)

u^c command, u^m measured displacement, r measured force, f load, all in the same coordinates; sums over the
ticks so far, the present one included, and over the channels. E^strain = 1/2 u_y^T K u_y is the recoverable
strain energy (8.2). The first tick is the starting point of the sums and adds nothing (7.17).

E^input may be negative for a while. From -0.99 E^strain downwards Eq. 8.6 nears a division by zero and then
changes its sign without meaning; its denominator is kept at or above 0.01 E^strain there.

One sum over all actuators; ENERGYERROR keeps them apart.

EERC Eqs. 7.16-7.22 and 8.1-8.6, corrected: 7.15 and 7.18-7.20 print the opposite sign, 7.22 a stray minus.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.monitors.work import control_error, work
from hybsim.kernel import Integer, Params, Ports, Positive, Prepared, Sampled, State, kernel, zeros

LEAST_SHARE = 0.01
"""Least denominator of HSEI^I, as a share of the strain energy."""


class EnergyIndicators(Sampled):
    """Energy added or removed by displacement errors, and the indicators HSEI_S and HSEI_I."""

    ins = Ports(
        disp_cmd="command displacement",
        disp_meas="measured displacement",
        force_meas="measured restoring force",
        load="external load on the structure",
    )
    outs = Ports(
        e_experimental="energy of the specimens as the integrator sees it, E^E",
        e_error="energy error E^E - E^BE, negative where energy is added",
        e_input="input energy, the work of the load on the command displacement",
        hsei_s="e_error over the strain energy",
        hsei_i="e_error over strain and input energy",
    )
    params = Params(
        strain_energy=Positive("recoverable strain energy 1/2 u_y^T K u_y"),
        width=Integer("number of channels (actuators)", 1, at_least=1),
    )
    state = State(e_experimental=0.0, e_error=0.0, e_input=0.0, started=0.0)
    example = dict(strain_energy=5.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        last = {name: np.zeros(q.width) for name in ("disp", "gap", "force", "load")}
        return Prepared(
            p=dict(strain=q.strain_energy, least=LEAST_SHARE * q.strain_energy),
            x={**cls.state, **last},
            widths=dict.fromkeys(cls.ins, q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        y.e_experimental = x.e_experimental
        y.e_error = x.e_error
        y.e_input = x.e_input
        if x.started > 0.0:
            gap = zeros(len(u.disp_cmd))
            control_error(u.disp_cmd, u.disp_meas, gap)
            y.e_experimental = work(x.e_experimental, u.force_meas, x.force, u.disp_cmd, x.disp)
            y.e_error = work(x.e_error, u.force_meas, x.force, gap, x.gap)
            y.e_input = work(x.e_input, u.load, x.load, u.disp_cmd, x.disp)
        y.hsei_s = y.e_error / p.strain
        y.hsei_i = y.e_error / max(p.strain + y.e_input, p.least)

    @kernel
    def update(u, x, p):
        gap = zeros(len(u.disp_cmd))
        control_error(u.disp_cmd, u.disp_meas, gap)
        if x.started > 0.0:
            x.e_experimental = work(x.e_experimental, u.force_meas, x.force, u.disp_cmd, x.disp)
            x.e_error = work(x.e_error, u.force_meas, x.force, gap, x.gap)
            x.e_input = work(x.e_input, u.load, x.load, u.disp_cmd, x.disp)
        x.started = 1.0
        for i in range(len(u.disp_cmd)):
            x.disp[i] = u.disp_cmd[i]
            x.gap[i] = gap[i]
            x.force[i] = u.force_meas[i]
            x.load[i] = u.load[i]
