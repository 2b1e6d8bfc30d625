"""Critical delays against runs in time: a little below a motion dies out, a little above it grows, as fast as roots say."""

from __future__ import annotations

import math
import warnings

import control
import numpy as np
import pytest

import hybsim as hs
from hybsim.diagrams.sdof_rths import sdof_rths
from hybsim.studies.indicators import sdof
from hybsim.studies.indicators.benchmark_partitions import SPECIMEN, benchmark
from hybsim.studies.indicators.delayed_system import DelayedSystem
from hybsim.studies.indicators.linearise import linearise


def growth(values: np.ndarray, dt: float, period: float) -> float:
    """Slope of the logarithm of the peaks, one of each few periods, in the second half of a run."""
    window = round(4.0 * period / dt)
    half = values[len(values) // 2 :]
    peaks = np.abs(half[: len(half) // window * window]).reshape(-1, window).max(axis=1)
    return float(np.polyfit(dt * window * np.arange(len(peaks)), np.log(peaks), 1)[0])


def numerical_part(system: DelayedSystem) -> control.StateSpace:
    """From the force of the specimen at the first floor to m_e x'' + c_e x' + k_e x there, as one linear system."""
    n = system.dofs
    inverse = np.linalg.inv(system.mn)
    a = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ system.kn, -inverse @ system.cn]])
    b = np.concatenate([np.zeros(n), -inverse[:, 0]])[:, None]
    m_e, c_e, k_e = SPECIMEN
    c = k_e * np.eye(2 * n)[0] + c_e * np.eye(2 * n)[n] + m_e * a[n]
    return control.ss(a, b, c[None, :], [[-m_e * inverse[0, 0]]])


def benchmark_diagram(case: int, ticks: int, dt: float):
    """The partition with its feedback force late by whole ticks, and half a tick by being held."""
    bd = hs.BDSim().blockdiagram(dt=dt)
    pulse = bd.COSINEPULSE(amplitude=1000.0, duration=0.2, name="pulse")
    force = bd.SUM("++", name="force")
    structure = bd.ACTUATOR(system=numerical_part(benchmark(case)), name="structure", inputs=[force])
    bd.connect(bd.DELAY(delay=ticks * dt, name="late", inputs=[structure]), force[0])
    bd.connect(pulse, force[1])
    return bd


@pytest.mark.parametrize("case", [1, 2, 3, 4])
@pytest.mark.parametrize("share", [0.95, 1.05])
def test_the_benchmark_dies_out_below_its_critical_delay_and_grows_above(case, share) -> None:
    dt = 1e-4
    system = benchmark(case)
    ticks = round(share * system.critical_delay() / dt - 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a structure has no DC gain of 1
        program = hs.compile(benchmark_diagram(case, ticks, dt))
        result = program.run(duration=60.0)
    root = system.roots((ticks + 0.5) * dt, count=1)[0]
    found = growth(result["structure.position"], dt, 2.0 * math.pi / root.imag)
    assert math.copysign(1.0, found) == math.copysign(1.0, share - 1.0)
    assert found == pytest.approx(root.real, rel=0.01)
    assert found == pytest.approx(math.log(linearise(program).radius) / dt, rel=0.01)


@pytest.mark.parametrize("share", [0.8, 1.2])
def test_an_actuator_and_a_delay(share) -> None:
    # Stiffness behind TS_1 and a delay; the structure by Newmark's explicit method, whose displacements are held.
    dt, damping, stiffness = 5e-4, 2.0, 64.0
    system = DelayedSystem(1.0, damping, 0.0, 0.0, 0.0, stiffness, actuators=["TS_1"])
    ticks = round(share * system.critical_delay() / dt - 0.5)
    assert ticks > 10
    bd = hs.BDSim().blockdiagram(dt=dt)
    structure = bd.NEWMARK(mass=1.0, damping=damping, name="structure", initial_disp=0.01)
    bd.connect(bd.CONSTANT(0.0, name="zero"), structure.load)
    late = bd.DELAY(delay=ticks * dt, initial=0.01, name="late", inputs=[structure[0]])
    actuator = bd.ACTUATOR(system="TS_1", name="actuator", inputs=[late])
    bd.connect(bd.SPRING(stiffness=stiffness, name="spring", inputs=[actuator]), structure.force)
    root = system.roots((ticks + 0.5) * dt, count=1)[0]
    result = hs.compile(bd).run(duration=20.0)
    found = growth(result["structure.disp_target"], dt, 2.0 * math.pi / root.imag)
    assert math.copysign(1.0, found) == math.copysign(1.0, share - 1.0)
    assert found == pytest.approx(root.real, rel=0.01)


@pytest.mark.parametrize("shares", [(0.8, 0.5, 0.1, 0.02), (0.9, 0.6, 0.3, 0.01), (0.7, 0.5, 0.4, 0.02)])
def test_a_virtual_test_grows_as_its_root_says(shares) -> None:
    # Unstable, so that the rightmost root is that of the test and not of the reference beside it.
    omega, dt = 5.0, 1e-3
    delay = math.ceil(1.5 * float(sdof.critical(*shares).omega) / omega / dt) * dt
    alpha, beta, gamma, zeta = shares
    bd = sdof_rths(alpha=alpha, beta=beta, gamma=gamma, zeta=zeta, omega_n=omega, delay=delay, dt=dt)
    expected = sdof.dominant_root(*shares, omega * delay).real * omega
    assert expected > 0.0
    assert math.log(linearise(bd).radius) / dt == pytest.approx(expected, rel=2e-3)
