"""Integrators measured by running diagrams in the compiled engine: a structure, a spring and a known load.

    m a + c v + k d = p sin(w_p t),    omega = sqrt(k / m),  zeta = c / (2 m omega),  Omega = omega h

    order      the slope of log(error of d) over log(h), against the exact solution
    limit      Omega above which undamped free vibration grows, by bisection
    spectrum   lambda of free vibration d_{k+2} = 2 Re(lambda) d_{k+1} - |lambda|^2 d_k, fitted to the run;
               ln(lambda) = omega' h (-zeta' +/- i sqrt(1 - zeta'^2)) gives the damping ratio zeta' and the
               period error Omega / (omega' h) - 1

h is the integration step, `ticks_per_step` ticks. Theory is compared in the same numbers, from the eigenvalues of
the amplification matrix.
"""

from __future__ import annotations

import cmath
import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.runtime.program import compile
from hybsim.studies.verification.theory import Theory
from hybsim.wiring import BDSim

HIGHEST = 1000.0
"""Omega up to which a method counts as unconditionally stable."""

STEPS = 20_000
"""Steps of a run that is watched for growth."""

SPECTRUM_AT = 0.2 * math.pi
"""Omega of the reported numerical damping and period error: ten steps a period."""


@dataclass(frozen=True)
class Spectrum:
    """Damping ratio and relative period error of free vibration at one Omega."""

    damping: float
    period_error: float

    @classmethod
    def of(cls, eigenvalue: complex, omega: float) -> Spectrum:
        rate = cmath.log(eigenvalue)
        return cls(-rate.real / abs(rate), omega / abs(rate) - 1.0)


def oscillator(
    theory: Theory, *, omega: float, zeta: float, step: float, disp: float = 1.0, vel: float = 0.0, load: float = 0.0,
    load_frequency: float = 1.0,
) -> Any:  # fmt: skip
    """The diagram of one degree of freedom with mass 1: structure, specimen, sinusoidal load (frequency in Hz)."""
    bd = BDSim().blockdiagram("oscillator", dt=step / theory.ticks_per_step)
    stiffness = omega**2
    structure = theory.make(
        bd,
        mass=1.0,
        damping=2.0 * zeta * omega,
        stiffness=stiffness,
        name="structure",
        initial_disp=disp,
        initial_vel=vel,
    )
    specimen = bd.SPRING(name="specimen", stiffness=theory.specimen_share * stiffness)
    force = bd.WAVEFORM("sine", freq=load_frequency, amplitude=load, name="load")
    bd.connect(structure.disp_target, specimen.disp)
    bd.connect(specimen, structure.force)
    bd.connect(force, structure.load)
    return bd


def displacement(theory: Theory, steps: int, **motion: float) -> np.ndarray:
    """The target displacement at the start of every step of a run; shorter if the run overflowed."""
    with warnings.catch_warnings():
        # Runs beyond the stability limit are wanted here; they may overflow.
        warnings.simplefilter("ignore", UserWarning)
        bd = oscillator(theory, **motion)
        result = compile(bd).run(steps * theory.ticks_per_step * bd.dt)
    d: np.ndarray = result["structure.disp_target"][:: theory.ticks_per_step]
    return d


# order ------------------------------------------------------------------------------------------


def exact(t: np.ndarray, omega: float, zeta: float, d_0: float, v_0: float, p: float, w: float) -> np.ndarray:
    """The displacement of the damped oscillator of mass 1 under p sin(w t)."""
    damped = omega * math.sqrt(1.0 - zeta**2)
    response = p / complex(omega**2 - w**2, 2.0 * zeta * omega * w)
    steady_0, steady_v_0 = response.imag, w * response.real
    c = d_0 - steady_0
    s = (v_0 - steady_v_0 + zeta * omega * c) / damped
    free = np.exp(-zeta * omega * t) * (c * np.cos(damped * t) + s * np.sin(damped * t))
    d: np.ndarray = free + response.real * np.sin(w * t) + response.imag * np.cos(w * t)
    return d


def errors(
    theory: Theory, steps_per_period: tuple[int, ...], *, periods: float = 2.0, zeta: float = 0.05
) -> list[float]:
    """Root mean square errors of the displacement of an oscillator with period 1, for each length of the step.

    It starts with displacement and velocity, out of equilibrium, under a load of another frequency.
    """
    omega, load_frequency, found = 2.0 * math.pi, 0.7, []
    for n in steps_per_period:
        steps = round(periods * n)
        d = displacement(
            theory,
            steps,
            omega=omega,
            zeta=zeta,
            step=1.0 / n,
            disp=0.8,
            vel=-3.0,
            load=25.0,
            load_frequency=load_frequency,
        )
        true = exact(np.arange(steps + 1) / n, omega, zeta, 0.8, -3.0, 25.0, 2.0 * math.pi * load_frequency)
        found.append(float(np.sqrt(np.mean((d - true) ** 2))))
    return found


def order(theory: Theory, finest: int = 1600) -> float:
    """The measured order of convergence, from the two shortest steps."""
    coarse, fine = errors(theory, (finest // 2, finest))
    return math.log2(coarse / fine)


# stability --------------------------------------------------------------------------------------


def grows(theory: Theory, omega: float, zeta: float = 0.0) -> bool:
    """Whether free vibration is larger at the end of a long run than before its middle."""
    d = np.abs(displacement(theory, STEPS, omega=omega, zeta=zeta, step=1.0, vel=0.5))
    if len(d) <= STEPS:
        return True
    quarter = STEPS // 4
    return bool(d[3 * quarter :].max() > 2.0 * d[quarter : 2 * quarter].max())


def stability_limit(theory: Theory, *, zeta: float = 0.0, tolerance: float = 1e-4) -> float | None:
    """The lowest Omega above which free vibration grows; None if it does not up to HIGHEST."""
    low = high = 0.2
    while not grows(theory, high, zeta):
        low, high = high, 1.3 * high
        if low >= HIGHEST:
            return None
    if low == high:
        return 0.0
    while high - low > tolerance:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if grows(theory, middle, zeta) else (middle, high)
    return 0.5 * (low + high)


# spectrum ---------------------------------------------------------------------------------------


def measured_spectrum(theory: Theory, omega: float = SPECTRUM_AT, zeta: float = 0.0) -> Spectrum:
    """Damping and period error fitted to a free vibration whose spurious modes have died out."""
    d = displacement(theory, 300, omega=omega, zeta=zeta, step=1.0, vel=0.3)[200:]
    scale = np.abs(d).max()
    (twice_real, minus_square), *_ = np.linalg.lstsq(
        np.column_stack([d[1:-1], d[:-2]]) / scale, d[2:] / scale, rcond=None
    )
    return Spectrum.of(complex(0.5 * twice_real, math.sqrt(-minus_square - 0.25 * twice_real**2)), omega)


def expected_spectrum(theory: Theory, omega: float = SPECTRUM_AT, zeta: float = 0.0) -> Spectrum:
    """The same from the principal eigenvalue of the amplification matrix: of the complex ones the largest."""
    eigenvalues = np.linalg.eigvals(theory.amplification(omega, zeta))
    oscillating = [complex(z) for z in eigenvalues if z.imag > 1e-9]
    return Spectrum.of(max(oscillating, key=abs), omega)


# all together -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Measurement:
    """One line of the report."""

    theory: Theory
    order: float
    limit: float | None
    measured: Spectrum
    expected: Spectrum

    @property
    def damping_off(self) -> float:
        return self.measured.damping - self.expected.damping

    @property
    def period_off(self) -> float:
        return self.measured.period_error - self.expected.period_error


def measure(theory: Theory) -> Measurement:
    return Measurement(
        theory, order(theory), stability_limit(theory), measured_spectrum(theory), expected_spectrum(theory)
    )
