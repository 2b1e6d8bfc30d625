"""Force-based hybrid simulation: what the shake table and the actuators are told, for any splitting of the specimen.

    M x'' + C x' + f = -M R u_g'' + T_e                                               (1) the whole specimen
    M^p x'' + C^p x' + f^p = -M^p R a + F                                             (2) what is built of it
    a = (1 - alpha_l) u_g'' + beta r^T I                                              accel_table
    F = T_e - (1 - beta) alpha_m I - alpha_c C x' - alpha_f f - alpha_l M^p R u_g''   force_cmd
    I = M (R u_g'' + x'')                                                             FORCECOMMAND: x'' is measured
    I = T_e - C x' - f                                                                FORCECOMMAND_MODEL: from (1)

M, C mass and damping, f(x, x') restoring force, R influence of the ground motion u_g'', T_e force of the computed
substructure, I inertia force, E the unit matrix. alpha_m, alpha_c, alpha_f are the virtual shares: the specimen has
M^p = (E - alpha_m) M, C^p = (E - alpha_c) C and f^p = (E - alpha_f) f, and the actuators add the rest.
`force` is f of the whole specimen: if alpha_f is not zero, wire a model of it. x is relative to the table; an
accelerometer on the specimen reads x'' + R a. With ideal devices every splitting has the response of (1).

alpha_l is the share of the ground motion that the actuators apply, a number: one table has one acceleration.

beta is `inertia_on_table`, the share of the virtual inertia that the table applies, with r from
alpha_m = M^p R r^T; for one degree of freedom r = alpha_m / ((1 - alpha_m) m R). Several degrees of freedom rarely
have an r, as the table loads them in a fixed ratio. Table 3 is alpha_l = 0, 1, 1/2 with beta = 1 - alpha_l.

A specimen with less mass than its virtual part is unstable at any delay of the measured acceleration, however short
(see splitting.py): eigenvalues of alpha_m above 1/2 are refused unless accel_delay=0 or allow_unstable=True. Below,
one undamped degree of freedom bears a delay of (pi / omega) sqrt(1 - 2 alpha_m), omega the frequency of the whole
specimen. FORCECOMMAND_MODEL has no such bound on alpha_m and no algebraic loop where nothing is late, but needs C and
f of the whole specimen; it bears a delay of f of (pi / omega) sqrt((1 - alpha_m) / (1 + alpha_m)).

X. Shao, A general force-based hybrid simulation formulation, 2010, Eqs. 1-5 and Tables 2-3, corrected: alpha_l as in
Eq. 2 and Table 2 (Table 3 and the text print its complement); Table 3 case 5 has 4.35, not 4.45; Eq. 4 is alpha_c.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from hybsim.blocks.generators.splitting import (
    Splitting,
    TableShare,
    full,
    refuse_delayed,
    refuse_without_mass,
    table_row,
)
from hybsim.blocks.integrators.structure import MassMatrix, as_large_as_mass, one_each, transposed
from hybsim.blocks.integrators.system import add_product
from hybsim.kernel import Choice, Function, Matrix, Params, Ports, Prepared, Real, Switch, Vector, kernel

GROUND = Ports(accel_ground="ground acceleration u_g''", interface="forces T_e of the computed substructure")
ACCEL = Ports(accel="measured acceleration x'', relative to the table")
MOTION = Ports(vel="measured velocity x', relative to the table", force="restoring force f of the whole specimen")
OUTS = Ports(accel_table="acceleration the shake table is told", force_cmd="forces the actuators are told")
PARAMS = Params(
    mass=MassMatrix("mass M of the whole specimen, virtual part included"),
    damping=Matrix("viscous damping C of the whole specimen; 0 for none", 0.0),
    influence=Vector("influence R of the ground motion: one number for all degrees of freedom or one each", 1.0),
    alpha_m=Splitting("virtual share of the mass", 0.0),
    alpha_c=Splitting("virtual share of the damping", 0.0),
    alpha_f=Splitting("virtual share of the restoring force", 0.0),
    alpha_l=TableShare("share of the ground motion that the actuators apply", 0.0, at_least=0.0, at_most=1.0),
    inertia_on_table=Real("share beta of the virtual inertia that the table applies", 0.0, at_least=0.0, at_most=1.0),
    follows=Choice(
        "inputs an output follows: those with a coefficient, or all, for a sweep to or from zero",
        "needed",
        among=("needed", "all"),
    ),
)


@dataclass(frozen=True)
class Split:
    """A specimen and how it is split, n by n each."""

    block: str
    mass: np.ndarray
    damping: np.ndarray
    influence: np.ndarray
    alpha_m: np.ndarray
    alpha_c: np.ndarray
    alpha_f: np.ndarray

    @classmethod
    def of(cls, block: str, q: SimpleNamespace) -> Split:
        n = len(q.mass)
        return cls(
            block,
            q.mass,
            as_large_as_mass(block, "damping", q.damping, n),
            one_each(block, "influence", q.influence, n),
            *(full(block, name, getattr(q, name), n) for name in ("alpha_m", "alpha_c", "alpha_f")),
        )

    def prepared(self, q: SimpleNamespace, inertia: Mapping[str, np.ndarray], ins: Ports) -> Prepared:
        """The coefficients of both outputs; `inertia` has those of I for each input that it is made of."""
        n, identity = len(self.mass), np.eye(len(self.mass))
        physical_mass = (identity - self.alpha_m) @ self.mass
        row = np.zeros(n)
        if q.inertia_on_table > 0.0:
            row = q.inertia_on_table * table_row(self.block, self.alpha_m, physical_mass, self.influence)
        virtual = (1.0 - q.inertia_on_table) * self.alpha_m
        of_ground = inertia.get("accel_ground", np.zeros(n))
        p: dict[str, float | np.ndarray] = dict(
            ground_forces=-q.alpha_l * physical_mass @ self.influence - virtual @ of_ground,
            ground_table=1.0 - q.alpha_l + float(row @ of_ground),
        )
        structure = dict(dofs=n, accel_to_forces=0, accel_to_table=0)
        direct = dict(interface=identity, vel=-self.alpha_c @ self.damping, force=-self.alpha_f)
        for name in list(ins)[1:]:
            part = inertia.get(name, np.zeros((n, n)))
            forces, table = direct.get(name, 0.0) - virtual @ part, row @ part
            p |= {f"{name}_forces": transposed(forces), f"{name}_table": table}
            swept = q.follows == "all"
            structure[f"{name}_to_forces"] = int(swept or forces.any())
            structure[f"{name}_to_table"] = int((swept and name in inertia) or table.any())
        return Prepared(p=p, widths=dict.fromkeys([*ins, "force_cmd"][1:], n), structure=structure)


@kernel
def dot(row, vector):
    total = 0.0
    for i in range(len(vector)):
        total += row[i] * vector[i]
    return total


@kernel
def commands(u, x, p, y):
    """Both outputs are linear in the inputs; one without a coefficient is not read, and so closes no loop."""
    y.accel_table = p.ground_table * u.accel_ground
    for i in range(p.dofs):
        y.force_cmd[i] = p.ground_forces[i] * u.accel_ground
    if p.interface_to_forces == 1:
        add_product(p.interface_forces, u.interface, y.force_cmd)
    if p.interface_to_table == 1:
        y.accel_table += dot(p.interface_table, u.interface)
    if p.accel_to_forces == 1:
        add_product(p.accel_forces, u.accel, y.force_cmd)
    if p.accel_to_table == 1:
        y.accel_table += dot(p.accel_table, u.accel)
    if p.vel_to_forces == 1:
        add_product(p.vel_forces, u.vel, y.force_cmd)
    if p.vel_to_table == 1:
        y.accel_table += dot(p.vel_table, u.vel)
    if p.force_to_forces == 1:
        add_product(p.force_forces, u.force, y.force_cmd)
    if p.force_to_table == 1:
        y.accel_table += dot(p.force_table, u.force)


class ForceCommand(Function):
    """Table acceleration and actuator forces for a split specimen, from its measured acceleration."""

    ins = Ports(**GROUND, **ACCEL, **MOTION)
    outs = OUTS
    params = Params(
        **PARAMS,
        accel_delay=Real(
            "delay of the measured acceleration in s: 0 for none at all, None if not known",
            None,
            at_least=0.0,
            optional=True,
        ),
        allow_unstable=Switch("whether to allow a virtual mass that a delay makes unstable", False),
    )
    example = dict(mass=2.0, damping=0.5, alpha_m=0.4, alpha_f=0.2, alpha_l=0.5)
    outputs = commands

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        split = Split.of(cls.__name__, q)
        if q.accel_delay != 0.0 and not q.allow_unstable:
            refuse_delayed(cls.__name__, split.alpha_m)
        return split.prepared(q, dict(accel_ground=split.mass @ split.influence, accel=split.mass), cls.ins)


class ForceCommandModel(Function):
    """Table acceleration and actuator forces for a split specimen, its acceleration from the equation of motion."""

    ins = Ports(**GROUND, **MOTION)
    outs = OUTS
    params = PARAMS
    example = dict(mass=2.0, damping=0.5, alpha_m=0.77, alpha_l=0.5, inertia_on_table=0.5)
    outputs = commands

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        split = Split.of(cls.__name__, q)
        refuse_without_mass(
            cls.__name__,
            split.alpha_m,
            "its acceleration does not follow from the equation of motion, so use FORCECOMMAND or an alpha_m below 1",
        )
        identity = np.eye(len(split.mass))
        return split.prepared(q, dict(interface=identity, vel=-split.damping, force=-identity), cls.ins)
