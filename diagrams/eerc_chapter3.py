"""The diagrams of EERC Chapter 3: one degree of freedom with errors in the force or in the displacement.

    m a + c v + r(u) = -m a_g,    T = 2 pi sqrt(m / k),    c = 2 zeta sqrt(k m)

Fig. 3-1 adds white noise to the measured restoring force; Fig. 3-5 lets the actuator lag its command. The
specimen is linear (k = 10 kip/in, El Centro scaled by 0.2) or elastic-perfectly-plastic with a yield
displacement of 1 in (El Centro unscaled). Units: kip, inch, second.

Any structural integrator can stand in for Newmark's explicit method: `integrator` is its name in a diagram, or a
function (bd, *, name, mass, damping, stiffness, initial_disp, initial_vel) that makes the block; further keywords are
parameters of its own, such as rho_inf=0.5 for "KRALPHA".

Mosqueda, Stojadinovic, Mahin (2005), UCB/EERC 2005-02, Sec. 3.4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from hybsim.blocks import CATALOGUE
from hybsim.blocks.integrators.structure import INS
from hybsim.errors import ParameterError, near
from hybsim.kernel.parameters import REQUIRED
from hybsim.wiring import BDSim

G = 386.1
"""Standard gravity in in/s2."""

UNITS = {
    "record.accel": "in/s2", "load.out": "kip", "integrator.disp_target": "in", "integrator.vel": "in/s",
    "integrator.accel": "in/s2", "lag.applied": "in", "specimen.force": "kip",
    "noise_gain.out": "kip", "force_meas.out": "kip",
    "energy.e_experimental": "kip in", "energy.e_error": "kip in", "energy.e_input": "kip in",
}  # fmt: skip

SPECIMENS = ("linear", "elastic-plastic")

Integrator: TypeAlias = str | Callable[..., Any]


def fig_3_5(
    *,
    specimen: str = "linear",
    mean: float = 0.2,
    variance: float = 0.01,
    seed: int = 1,
    period: float = 1.0,
    damping_ratio: float = 0.05,
    stiffness: float = 10.0,
    yield_disp: float = 1.0,
    record: Any = "elcentro",
    amplitude: float | None = None,
    dt: float = 0.01,
    integrator: Integrator = "NEWMARK",
    **integrator_parameters: Any,
) -> Any:
    """Systematic displacement errors (Fig. 3-5): the specimen gets u_i - eta_i (u_i - u_{i-1}).

    `mean` x dt is the effective delay: 0.2 is 2 ms, 1.0 is 10 ms. `amplitude` scales the record (in g).
    """
    bd, structure, force = _structure(
        "fig_3_5", specimen, period, damping_ratio, stiffness, yield_disp, record, amplitude, dt,
        integrator, integrator_parameters,
    )  # fmt: skip
    noise = bd.NORMAL(name="noise", seed=seed)
    lag = bd.LAG(name="lag", mean=mean, variance=variance)
    bd.connect(structure.disp_target, lag.disp_cmd)
    bd.connect(noise, lag.noise)
    bd.connect(lag, force.disp)
    bd.connect(force, structure.force)
    _energy(bd, structure, lag, force, stiffness, yield_disp)
    return bd


def fig_3_1(
    *,
    specimen: str = "linear",
    noise_gain: float = 0.05,
    seed: int = 1,
    period: float = 1.0,
    damping_ratio: float = 0.05,
    stiffness: float = 10.0,
    yield_disp: float = 1.0,
    record: Any = "elcentro",
    amplitude: float | None = None,
    dt: float = 0.01,
    integrator: Integrator = "NEWMARK",
    **integrator_parameters: Any,
) -> Any:
    """Random errors in the force feedback (Fig. 3-1): white noise from 0 to 1/(2 dt) Hz added to the force.

    The noise has unit standard deviation before `noise_gain` (kip).
    """
    bd, structure, force = _structure(
        "fig_3_1", specimen, period, damping_ratio, stiffness, yield_disp, record, amplitude, dt,
        integrator, integrator_parameters,
    )  # fmt: skip
    noise = bd.WHITENOISE(name="noise", power=dt, seed=seed)
    gain = bd.GAIN(noise_gain, name="noise_gain", inputs=[noise])
    measured = bd.SUM("++", name="force_meas", inputs=[force, gain])
    bd.connect(structure.disp_target, force.disp)
    bd.connect(measured, structure.force)
    _energy(bd, structure, structure, measured, stiffness, yield_disp)
    return bd


def _structure(
    name: str, specimen: str, period: float, damping_ratio: float, stiffness: float, yield_disp: float,
    record: Any, amplitude: float | None, dt: float, integrator: Integrator, parameters: Mapping[str, Any],
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Record, load, integrator and specimen, the last two not yet wired to each other."""
    if specimen not in SPECIMENS:
        raise ParameterError(f"The specimen must be one of {', '.join(map(repr, SPECIMENS))}, got {specimen!r}.")
    bd = BDSim().blockdiagram(name, dt=dt)
    bd.units = UNITS
    linear = specimen == "linear"
    mass = stiffness * (period / (2.0 * math.pi)) ** 2
    scale = (0.2 if linear else 1.0) if amplitude is None else amplitude
    ground = bd.GROUNDMOTION(name="record", record=record, scale=scale * G)
    load = bd.GAIN(-mass, name="load", inputs=[ground])
    damping = 2.0 * damping_ratio * math.sqrt(stiffness * mass)
    structure = _integrator(bd, integrator, parameters, mass=mass, damping=damping, stiffness=stiffness)
    bd.connect(load, structure.load)
    if linear:
        force = bd.SPRING(name="specimen", stiffness=stiffness)
    else:
        force = bd.ELASTICPLASTIC(name="specimen", stiffness=stiffness, yield_disp=yield_disp)
    return bd, structure, force


def _integrator(
    bd: Any, integrator: Integrator, parameters: Mapping[str, Any], *, mass: float, damping: float, stiffness: float
) -> Any:
    """The block named 'integrator'; a method built on the initial stiffness of the specimen is given it."""
    given: dict[str, Any] = dict(name="integrator", mass=mass, damping=damping, **parameters)
    if callable(integrator):
        return integrator(bd, **given, stiffness=stiffness, initial_disp=0.0, initial_vel=0.0)
    integrators = {name: cls for name, cls in CATALOGUE.items() if cls.ins == INS}
    if integrator not in integrators:
        raise ParameterError(f"There is no integrator {integrator!r}.{near(str(integrator).upper(), integrators)}")
    # Where the stiffness has a value of its own, it is that of a part besides the specimen.
    declared = integrators[integrator].params.get("stiffness")
    if declared is not None and declared.default in (REQUIRED, None):
        given["stiffness"] = stiffness
    return getattr(bd, integrator)(**given)


def _energy(bd: Any, integrator: Any, applied: Any, force: Any, stiffness: float, yield_disp: float) -> None:
    """The energy-error monitor with HSEI."""
    energy = bd.ENERGY(name="energy", strain_energy=0.5 * stiffness * yield_disp**2)
    bd.connect(integrator.disp_target, energy.disp_cmd)
    bd.connect(applied[0], energy.disp_meas)
    bd.connect(force, energy.force_meas)
    bd.connect(bd.blocknames["load"], energy.load)
