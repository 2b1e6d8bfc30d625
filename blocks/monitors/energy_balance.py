"""Energy balance of a hybrid test: where the work of the load has gone, and what is missing.

    E^kin + E^vis + E^A + E^E = E^kin_0 + E^input                                                (7.6)

    E^kin   = 1/2 v_j^T M v_j                                           kinetic
    E^vis   = sum_{i=1}^j 1/2 (C v_{i-1} + C v_i)^T (d_i - d_{i-1})     viscous damping
    E^A     = sum_{i=1}^j 1/2 (r^A_{i-1} + r^A_i)^T (d_i - d_{i-1})     numerical part, strain and hysteretic
    E^E     = sum_{i=1}^j 1/2 (r^E_{i-1} + r^E_i)^T (d_i - d_{i-1})     experimental part
    E^input = sum_{i=1}^j 1/2 (f_{i-1} + f_i)^T (d_i - d_{i-1})         work of the load
    residual = E^kin_0 + E^input - E^kin - E^vis - E^A - E^E

M mass, C damping, d target displacement, v velocity, f load, r^A and r^E the forces the integrator got from the
numerical and the experimental part (r = r^A + r^E; connect zeros where there is none). A stiffness that an integrator
treats itself belongs to r^A too: K d.

Time: at tick k an integrator publishes d_k, but v_{k-1} of the completed step. So at tick k all outputs are those of
j = k - 1; the forces and displacements of that tick are kept here. The first two ticks show the start.

For Newmark's explicit method the residual is known. With a_i the accelerations, d_i - d_{i-1} = dt (v_{i-1} + v_i)/2 -
dt^2/4 (a_i - a_{i-1}), so the work of M a along the displacements is a difference of energies, and exactly

    residual = -dt^2/8 (a_j^T M a_j - a_0^T M a_0)

for any specimen, with or without errors, yielding or not. It does not add up: it stays within (omega dt)^2/4 of the
energy of a mode and falls with dt^2. What goes beyond is a fault of wiring or of parameters, not of the test. With
other integrators it is of order dt^2 or higher as well, unless `vel` and so the kinetic energy is of order 1 (CR,
KRALPHA); numerical damping shows in it as energy lost. FHT, whose velocity stays the same for the ticks of a step, has
no balance here.

Displacement errors do not open the balance: they are inside E^E, the work of the measured force on the command. With
the best estimate E^BE of ENERGYERROR in its place, their energy moves to the other side,

    E^kin + E^vis + E^A + E^BE = E^kin_0 + E^input - E^error                                     (7.8)

(E^BE and E^error of the tick before, as ENERGYERROR is not behind by a step.)

EERC Eqs. 7.5-7.8 and 8.3, with E^error = E^E - E^BE (the sign for which 7.8 closes).
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.integrators.structure import MassMatrix, as_large_as_mass, product, transposed
from hybsim.blocks.monitors.work import copy, step_work, work
from hybsim.kernel import Matrix, Params, Ports, Prepared, Sampled, State, kernel, zeros


class EnergyBalance(Sampled):
    """Kinetic, viscous, numerical, experimental and input energy, and what they do not account for."""

    ins = Ports(
        disp_target="target displacement d_k of the integrator",
        vel="velocity v_{k-1} of the integrator",
        load="external load f_k",
        force_num="force r^A_k of the numerical part; zeros if there is none",
        force_meas="measured force r^E_k of the experimental part",
    )
    outs = Ports(
        e_kinetic="kinetic energy",
        e_viscous="energy taken by viscous damping",
        e_numerical="work on the numerical part: strain and hysteretic energy",
        e_experimental="work on the experimental part as the integrator sees it, E^E",
        e_input="work of the load",
        residual="initial kinetic and input energy less all the others",
    )
    params = Params(
        mass=MassMatrix("mass M of the integrator: a number, or a matrix for several degrees of freedom"),
        damping=Matrix("viscous damping C of the integrator: a number or a matrix as large as the mass", 0.0),
    )
    state = State(e_viscous=0.0, e_numerical=0.0, e_experimental=0.0, e_input=0.0, e_start=0.0, started=0.0)
    example = dict(mass=0.25, damping=0.16)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        n = len(q.mass)
        last = {name: np.zeros(n) for name in ("disp", "moved", "damper", "load", "num", "meas")}
        return Prepared(
            p=dict(
                mass_t=transposed(q.mass),
                damping_t=transposed(as_large_as_mass(cls.__name__, "damping", q.damping, n)),
            ),
            x={**cls.state, **last},
            widths=dict.fromkeys(cls.ins, n),
        )

    @kernel
    def outputs(u, x, p, y):
        damper = zeros(len(u.vel))
        y.e_kinetic = kinetic(p.mass_t, u.vel)
        y.e_viscous = viscous(x.e_viscous, p.damping_t, u.vel, damper, x.damper, x.moved)
        y.e_numerical = x.e_numerical
        y.e_experimental = x.e_experimental
        y.e_input = x.e_input
        start = x.e_start if x.started > 0.0 else y.e_kinetic
        y.residual = start + x.e_input - y.e_kinetic - y.e_viscous - x.e_numerical - x.e_experimental

    @kernel
    def update(u, x, p):
        # First the step that is completed now, up to the last tick: until then nothing has moved.
        damper = zeros(len(u.vel))
        x.e_viscous = viscous(x.e_viscous, p.damping_t, u.vel, damper, x.damper, x.moved)
        copy(damper, x.damper)
        if x.started > 0.0:
            x.e_numerical = work(x.e_numerical, u.force_num, x.num, u.disp_target, x.disp)
            x.e_experimental = work(x.e_experimental, u.force_meas, x.meas, u.disp_target, x.disp)
            x.e_input = work(x.e_input, u.load, x.load, u.disp_target, x.disp)
            for i in range(len(x.moved)):
                x.moved[i] = u.disp_target[i] - x.disp[i]
        else:
            x.e_start = kinetic(p.mass_t, u.vel)
            x.started = 1.0
        copy(u.disp_target, x.disp)
        copy(u.load, x.load)
        copy(u.force_num, x.num)
        copy(u.force_meas, x.meas)


@kernel
def kinetic(mass_t, vel):
    """1/2 v^T M v."""
    momentum = zeros(len(vel))
    product(mass_t, vel, momentum)
    energy = 0.0
    for i in range(len(vel)):
        energy = energy + 0.5 * vel[i] * momentum[i]
    return energy


@kernel
def viscous(total, damping_t, vel, damper, damper_last, moved):
    """The work of C v, left in `damper`, over a step."""
    product(damping_t, vel, damper)
    for i in range(len(vel)):
        total = total + step_work(damper[i], damper_last[i], moved[i], 0.0)
    return total
