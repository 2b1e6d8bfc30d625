"""The force-based commands in whole diagrams: the same bits in both engines, and the response of the whole specimen."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import agreed

import hybsim as hs
from hybsim.studies.verification import force, force_delay

OMEGA_2, DAMPING = 4.0e2, 1.2


@pytest.mark.parametrize("solver", ["euler", "heun", "rk4"])
@pytest.mark.parametrize("specimen", force.SPECIMENS, ids=lambda s: s.name)
def test_a_split_specimen_in_time_agrees(specimen, solver):
    split = force.random_split(specimen, np.random.default_rng(7))
    parted, whole = (hs.compile(force.diagram(specimen, s), solver=solver) for s in (split, None))
    result = agreed(parted, 0.2)
    assert force.difference(result["disp"], whole.run(0.2)["disp"]) < 1e-11


@pytest.mark.parametrize("factory", ["FORCECOMMAND", "FORCECOMMAND_MODEL"])
def test_late_measurements_of_a_specimen_in_time_agree(factory):
    mass = np.array([[3.0, 0.5], [0.5, 1.0]])
    program = force_delay.program(factory, [0.45, 0.2], 0.004, dt=0.001, mass=mass, damping=0.3)
    assert agreed(program, 0.5).peak("disp").min() > 0.0


def at_ticks(alpha_m: float, *, dt: float):
    """A built part integrated at ticks, whose acceleration is that of the completed step: one tick late."""
    bd = hs.BDSim().blockdiagram(dt=dt)
    ground = bd.COSINEPULSE(name="ground", amplitude=3.0, duration=0.5)
    command = bd.FORCECOMMAND(
        name="command", mass=1.0, damping=DAMPING, alpha_m=alpha_m, alpha_f=0.3, alpha_l=0.4, accel_delay=dt
    )
    built = bd.NEWMARK(name="built", mass=1.0 - alpha_m, damping=DAMPING)
    whole_force = bd.SPRING(name="whole_force", stiffness=OMEGA_2, inputs=[built.disp_target])
    base = bd.GAIN(1.0 - alpha_m, name="base", inputs=[command.accel_table])
    bd.connect(bd.SUM("+-", name="load", inputs=[command.force_cmd, base]), built.load)
    bd.connect(bd.GAIN(0.7, name="built_force", inputs=[whole_force]), built.force)
    for port, source in dict(accel_ground=ground, interface=bd.CONSTANT(0.0, name="T_e"), accel=built.accel).items():
        bd.connect(source, getattr(command, port))
    bd.connect(built.vel, command.vel)
    bd.connect(whole_force, command.force)
    return bd


def test_a_split_specimen_at_ticks_agrees_and_tends_to_the_whole():
    errors = []
    for dt in (0.002, 0.001):
        late, whole = (agreed(hs.compile(at_ticks(alpha_m, dt=dt)), 1.0)["built.disp_target"] for alpha_m in (0.3, 0.0))
        errors.append(np.abs(late - whole).max() / np.abs(whole).max())
    assert errors[1] < 0.02
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)
