"""Integrator, specimens, actuators, lag and energy monitor in whole diagrams.

The C and the Python engine give the same bits; energies balance and responses follow theory.
"""

from __future__ import annotations

import math

import control
import numpy as np
import pytest
from agreement import agreed

import hybsim as hs
from hybsim.errors import ParameterError

MASS, STIFFNESS = 10.0 / (2 * math.pi) ** 2, 10.0
DAMPING = 2 * 0.05 * math.sqrt(MASS * STIFFNESS)

SPECIMENS = [
    ("SPRING", {"stiffness": STIFFNESS}),
    ("ELASTICPLASTIC", {"stiffness": STIFFNESS, "yield_disp": 0.4}),
    ("BOUCWEN", {"stiffness": STIFFNESS, "yield_disp": 0.4, "alpha": 0.05}),
    ("BOUCWEN", {"stiffness": STIFFNESS, "yield_disp": 0.4, "n": 1.4}),
]

SERVO = ([2.5e5], [1.0, 350.0, 2.5e5])


def hybrid_test(factory, parameters, *, mean=0.5, variance=0.01, dt=0.01):
    """One degree of freedom under a pulse, with a lagging actuator and an energy monitor (EERC Fig. 3-5)."""
    bd = hs.BDSim().blockdiagram(dt=dt)
    pulse = bd.COSINEPULSE(name="pulse", amplitude=4.0, duration=1.0, start=0.2)
    structure = bd.NEWMARK(name="structure", mass=MASS, damping=DAMPING)
    noise = bd.NORMAL(name="noise", seed=3)
    lag = bd.LAG(name="lag", mean=mean, variance=variance)
    specimen = getattr(bd, factory)(name="specimen", **parameters)
    energy = bd.ENERGY(name="energy", strain_energy=0.5 * STIFFNESS * 0.4**2)
    bd.connect(pulse, structure.load, energy.load)
    bd.connect(structure.disp_target, lag.disp_cmd, energy.disp_cmd)
    bd.connect(noise, lag.noise)
    bd.connect(lag, specimen, energy.disp_meas)
    bd.connect(specimen, structure.force, energy.force_meas)
    return bd


@pytest.mark.parametrize(("factory", "parameters"), SPECIMENS)
def test_a_hybrid_test_agrees(factory, parameters):
    result = agreed(hs.compile(hybrid_test(factory, parameters)), 8.0)
    assert result.peak("structure.disp_target") > 0.4
    agreed(hs.compile(hybrid_test(factory, parameters)), 2.0, **{"lag.mean": -0.2, "specimen.stiffness": 7.0})


@pytest.mark.parametrize(("factory", "parameters"), SPECIMENS[:3])
def test_the_energy_balance_closes(factory, parameters):
    """EERC Eq. 7.8: kinetic, viscous and specimen energy with its error make up the input, to order dt^2."""
    dt = 0.002
    result = agreed(hs.compile(hybrid_test(factory, parameters, dt=dt)), 4.0)
    # Velocity is published one tick after its step; up to the last tick but one.
    v = result["structure.vel"][1:]
    kinetic = 0.5 * MASS * v**2
    viscous = np.concatenate([[0.0], np.cumsum(DAMPING * 0.5 * (v[1:] ** 2 + v[:-1] ** 2) * dt)])
    applied, force = result["lag.applied"], result["specimen.force"]
    taken = np.concatenate([[0.0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(applied))])
    total = kinetic + viscous + (taken + result["energy.e_error"])[:-1]
    largest = result.peak("energy.e_input")
    np.testing.assert_allclose(total, result["energy.e_input"][:-1], rtol=0, atol=1e-4 * largest)


@pytest.mark.parametrize("mean", [0.5, -0.5])
def test_a_lag_adds_energy_and_a_lead_takes_it(mean):
    result = agreed(hs.compile(hybrid_test(*SPECIMENS[0], mean=mean, variance=0.0)), 6.0)
    assert math.copysign(1.0, result["energy.e_error"][-1]) == -math.copysign(1.0, mean)
    assert math.copysign(1.0, result["energy.hsei_i"][-1]) == -math.copysign(1.0, mean)


def test_several_degrees_of_freedom_agree():
    bd = hs.BDSim().blockdiagram(dt=0.01)
    mass = np.array([[2.0, 0.2, 0.0], [0.2, 1.0, 0.0], [0.0, 0.0, 0.5]])
    structure = bd.NEWMARK(name="structure", mass=mass, damping=0.1 * mass + 0.05 * np.eye(3), initial_vel=[1, 0, 0])
    load, noise = (bd.NORMAL(name=name, seed=seed, width=3) for name, seed in (("load", 1), ("noise", 2)))
    lag = bd.LAG(name="lag", mean=0.2, variance=0.01, width=3)
    springs = bd.SPRING(name="springs", stiffness=20.0, width=3)
    energy = bd.ENERGY(name="energy", strain_energy=1.0, width=3)
    bd.connect(load, structure.load, energy.load)
    bd.connect(structure.disp_target, lag.disp_cmd, energy.disp_cmd)
    bd.connect(noise, lag.noise)
    bd.connect(lag, springs, energy.disp_meas)
    bd.connect(springs, structure.force, energy.force_meas)
    result = agreed(hs.compile(bd), 5.0)
    assert result["structure.disp_target"].shape == (501, 3)


def oscillator(bd, factory, **parameters):
    """m u'' + c u' + r = pulse, integrated in time; gives the block of the restoring force."""
    pulse = bd.COSINEPULSE(name="pulse", amplitude=4.0, duration=1.0)
    net = bd.SUM("+--", name="net")
    vel = bd.INTEGRATOR(name="vel", inputs=[bd.GAIN(1 / MASS, name="accel", inputs=[net])])
    disp = bd.INTEGRATOR(name="disp", inputs=[vel])
    specimen = getattr(bd, factory)(name="specimen", **parameters)
    damper = bd.GAIN(DAMPING, name="damper", inputs=[vel])
    bd.connect(pulse, net[0])
    bd.connect(damper, net[1])
    bd.connect(specimen, net[2])
    return specimen, disp, vel


@pytest.mark.parametrize("solver", ["euler", "heun", "rk4"])
def test_an_integrated_bouc_wen_specimen_agrees(solver):
    bd = hs.BDSim().blockdiagram(dt=0.005)
    specimen, disp, vel = oscillator(bd, "BOUCWEN_RATE", stiffness=STIFFNESS, yield_disp=0.4, n=1.6)
    bd.connect(disp, specimen.disp)
    bd.connect(vel, specimen.vel)
    result = agreed(hs.compile(bd, solver=solver), 4.0)
    assert result.peak("specimen.force") == pytest.approx(STIFFNESS * 0.4, rel=0.05)


@pytest.mark.parametrize("solver", ["euler", "heun", "rk4"])
def test_an_integrated_actuator_agrees(solver):
    bd = hs.BDSim().blockdiagram(dt=0.001)
    specimen, disp, _ = oscillator(bd, "SPRING", stiffness=STIFFNESS)
    bd.connect(bd.ACTUATOR(name="actuator", system=SERVO, inputs=[disp]), specimen)
    result = agreed(hs.compile(bd, solver=solver), 3.0)
    assert 0.0 < np.abs(result["actuator.position"] - result["disp"]).max() < 0.05


def test_an_integrated_actuator_has_the_step_response_of_its_system():
    bd = hs.BDSim().blockdiagram(dt=0.0005)
    bd.ACTUATOR(name="actuator", system=SERVO, inputs=[bd.CONSTANT(1.0, name="one")])
    result = agreed(hs.compile(bd), 0.05)
    expected = control.step_response(control.tf(*SERVO), result.t).outputs
    np.testing.assert_allclose(result["actuator.position"], expected, rtol=0, atol=1e-4)


def behind_an_actuator(method, system=SERVO):
    bd = hs.BDSim().blockdiagram(dt=0.002)
    pulse = bd.COSINEPULSE(name="pulse", amplitude=4.0, duration=1.0)
    structure = bd.NEWMARK(name="structure", mass=MASS, damping=DAMPING)
    actuator = bd.ACTUATOR_S(name="actuator", system=system, method=method)
    specimen = bd.BOUCWEN(name="specimen", stiffness=STIFFNESS, yield_disp=0.4, inputs=[actuator])
    bd.connect(pulse, structure.load)
    bd.connect(structure.disp_target, actuator)
    bd.connect(specimen, structure.force)
    return bd


@pytest.mark.parametrize("method", ["zoh", "tustin", "foh"])
def test_a_sampled_actuator_agrees(method):
    result = agreed(hs.compile(behind_an_actuator(method)), 3.0)
    assert 0.0 < np.abs(result["actuator.position"] - result["structure.disp_target"]).max() < 0.1


def test_a_system_of_several_channels_agrees():
    bd = hs.BDSim().blockdiagram(dt=0.001)
    noise = bd.NORMAL(name="noise", seed=5, width=2)
    table = control.ss([[-20.0, 2.0], [0.0, -50.0]], [[20.0, -2.0], [0.0, 50.0]], np.eye(2), np.zeros((2, 2)))
    bd.ACTUATOR(name="integrated", system=table, inputs=[noise])
    bd.ACTUATOR_S(name="sampled", system=table, inputs=[noise])
    result = agreed(hs.compile(bd), 0.5)
    # Noise is held over the tick, for which zoh is exact and rk4 almost.
    np.testing.assert_allclose(result["integrated.position"], result["sampled.position"], rtol=0, atol=1e-7)


def test_a_system_is_a_parameter_as_long_as_its_order_stays():
    program = hs.compile(behind_an_actuator("zoh"))
    slower = ([1.0e4], [1.0, 140.0, 1.0e4])
    changed = agreed(program, 1.0, **{"actuator.system": slower})
    anew = agreed(hs.compile(behind_an_actuator("zoh", slower)), 1.0)
    assert changed["specimen.force"].tobytes() == anew["specimen.force"].tobytes()
    with pytest.raises(ParameterError, match="of block 'actuator'"):
        program.run(duration=1.0, params={"actuator.system": ([1.0], [0.01, 1.0])})
