"""Every integrator measured in the compiled engine against its theory, and the measurements themselves.

The theory entries hold amplification matrices derived from the published difference equations; the exact solution
of the oscillator and scipy's solution of the two yielding storeys are independent of all blocks.
"""

from __future__ import annotations

import dataclasses
import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from agreement import agreed
from scipy.integrate import solve_ivp

import hybsim as hs
from hybsim.blocks import CATALOGUE
from hybsim.blocks.integrators.structure import INS
from hybsim.diagrams import fig_3_1, fig_3_5
from hybsim.errors import ParameterError
from hybsim.studies.verification import integrators, two_storeys
from hybsim.studies.verification.drop_in import drop_in, oscillator_response
from hybsim.studies.verification.section_integrators import (
    drop_in_out_of_tolerance,
    nonlinear_out_of_tolerance,
    out_of_tolerance,
)
from hybsim.studies.verification.theory import all_theories
from hybsim.studies.verification.theory_explicit import THEORIES as EXPLICIT

THEORIES = all_theories()
every_theory = pytest.mark.parametrize("theory", THEORIES, ids=[t.label for t in THEORIES])
NEWMARK = next(t for t in EXPLICIT if t.name == "NEWMARK")
MODIFIED = next(t for t in EXPLICIT if t.name == "NEWMARK_MODIFIED")


def spectral_radius(theory, omega):
    return np.abs(np.linalg.eigvals(theory.amplification(omega, 0.0))).max()


@every_theory
def test_order(theory):
    assert integrators.order(theory) == pytest.approx(theory.order, abs=0.05)


@every_theory
def test_stability_limit(theory):
    limit = integrators.stability_limit(theory)
    if theory.stability_limit is None:
        assert limit is None
    else:
        assert limit == pytest.approx(theory.stability_limit, abs=1e-3)


@every_theory
@pytest.mark.parametrize(("omega", "zeta"), [(0.2, 0.05), (0.2 * math.pi, 0.0), (1.0, 0.02)])
def test_numerical_damping_and_period_follow_the_amplification_matrix(theory, omega, zeta):
    measured = integrators.measured_spectrum(theory, omega, zeta)
    expected = integrators.expected_spectrum(theory, omega, zeta)
    assert measured.damping == pytest.approx(expected.damping, abs=1e-10)
    assert measured.period_error == pytest.approx(expected.period_error, abs=1e-10)


@every_theory
def test_the_limit_is_that_of_the_amplification_matrix(theory):
    # Double eigenvalues of modulus 1 are found to about the square root of the rounding error only.
    highest = theory.stability_limit or integrators.HIGHEST
    for omega in np.geomspace(0.01, 0.9999 * highest, 400):
        assert spectral_radius(theory, omega) <= 1.0 + 1e-7, omega
    if theory.stability_limit is not None:
        assert spectral_radius(theory, 1.001 * highest) > 1.0 + 1e-5


@every_theory
def test_two_yielding_storeys(theory):
    coarse, fine = two_storeys.error(theory, 400), two_storeys.error(theory, 1600)
    assert 0.5 * math.log2(coarse / fine) == pytest.approx(theory.order, abs=0.15)
    assert fine < (1e-3 if theory.order == 2 else 1e-2)


@every_theory
def test_engines_agree(theory):
    result = agreed(hs.compile(two_storeys.diagram(theory, 60)), two_storeys.DURATION)
    assert len(result.t) == 60 * theory.ticks_per_step + 1


@every_theory
def test_in_the_place_of_newmark_in_fig_3_5(theory):
    place = drop_in(theory)
    assert place.difference < 0.01
    assert place.energy_error < 0.0


def test_every_integrator_of_the_catalogue_has_a_theory():
    assert {name for name, cls in CATALOGUE.items() if set(INS) <= set(cls.ins)} == {t.name for t in THEORIES}


def test_entries_are_told_apart_by_their_labels():
    labels = [t.label for t in THEORIES]
    assert len(labels) == len(set(labels))


def test_the_written_report_covers_every_entry():
    page = (Path(__file__).parents[2] / "docs" / "verification.md").read_text(encoding="utf-8")
    missing = [t.label for t in THEORIES if f"`{t.label}`" not in page]
    assert not missing, f"run `make verify`: docs/verification.md lacks {missing}"


# the measurements ---------------------------------------------------------------------------------


def test_the_exact_solution_solves_the_differential_equation():
    omega, zeta, p, w = 5.0, 0.1, 3.0, 7.0
    t = np.linspace(0.0, 3.0, 50)
    solution = solve_ivp(
        lambda t, x: [x[1], p * math.sin(w * t) - 2 * zeta * omega * x[1] - omega**2 * x[0]],
        (0.0, 3.0), [0.4, -1.0], t_eval=t, rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    np.testing.assert_allclose(integrators.exact(t, omega, zeta, 0.4, -1.0, p, w), solution.y[0], rtol=0, atol=1e-8)


def test_the_oscillator_of_the_drop_in_solves_the_differential_equation():
    omega, zeta, dt = 6.0, 0.05, 0.1
    load = np.random.default_rng(4).normal(size=40)
    times = np.arange(40) * dt
    solution = solve_ivp(
        lambda t, x: [x[1], omega**2 * 0.2 * np.interp(t, times, load) - 2 * zeta * omega * x[1] - omega**2 * x[0]],
        (0.0, times[-1]), [0.0, 0.0], t_eval=times, rtol=1e-10, atol=1e-12, max_step=dt / 4,
    )  # fmt: skip
    found = oscillator_response(load, dt, omega, zeta, 0.2)
    np.testing.assert_allclose(found, solution.y[0], rtol=0, atol=1e-6)


def test_the_spectrum_of_newmark_is_the_closed_form():
    """cos(theta) = 1 - Omega^2 / 2, no damping."""
    omega = 0.9
    measured = integrators.measured_spectrum(NEWMARK, omega)
    assert measured.damping == pytest.approx(0.0, abs=1e-12)
    assert measured.period_error == pytest.approx(omega / math.acos(1 - omega**2 / 2) - 1, abs=1e-12)


def test_a_block_that_does_not_follow_its_theory_is_found():
    """The modified method under the name of Newmark's explicit one."""
    wrong = dataclasses.replace(MODIFIED, amplification=NEWMARK.amplification, order=2, stability_limit=2.0)
    failures = out_of_tolerance(integrators.measure(wrong))
    assert [word for word in ("order", "stability limit", "damping", "period") if any(word in f for f in failures)] == [
        "order", "stability limit", "damping", "period",
    ]  # fmt: skip
    assert nonlinear_out_of_tolerance(wrong, two_storeys.error(wrong, 400), two_storeys.error(wrong, 1600))
    assert drop_in_out_of_tolerance(wrong, drop_in(wrong))


def test_an_unconditional_method_with_a_limit_is_found():
    measured = integrators.measure(NEWMARK)
    unlimited = dataclasses.replace(measured, theory=dataclasses.replace(NEWMARK, stability_limit=None))
    assert out_of_tolerance(measured) == []
    assert out_of_tolerance(unlimited) == ["NEWMARK: the stability limit is 2.0000, theory says none."]


# the keyword of the diagrams ------------------------------------------------------------------------


def test_the_figures_take_any_integrator_by_name():
    newmark, kr = (
        hs.compile(figure).run(10.0)["integrator.disp_target"]
        for figure in (fig_3_1(noise_gain=0.0), fig_3_1(noise_gain=0.0, integrator="KRALPHA", rho_inf=0.5))
    )
    assert 1e-4 < np.abs(newmark - kr).max() / np.abs(newmark).max() < 0.03


def test_the_specimen_stiffness_reaches_methods_that_are_built_on_it():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hs.compile(fig_3_5(integrator="CR", stiffness=7.0)).parameters["integrator.stiffness"] == 7.0
    with pytest.warns(UserWarning, match="must not be longer than 0.031831 s"):
        fig_3_5(integrator="CENTRALDIFFERENCE", period=0.1, dt=0.04)  # T / pi


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"integrator": "KRALFA"}, "There is no integrator 'KRALFA'. Did you mean 'KRALPHA'"),
        ({"integrator": "SPRING"}, "There is no integrator 'SPRING'."),
        ({"integrator": "KRALPHA"}, "'integrator' needs rho_inf="),
        ({"integrator": "CR", "rho_inf": 0.5}, "Block 'integrator' has no parameter 'rho_inf'"),
        ({"seeed": 3}, "Block 'integrator' has no parameter 'seeed'"),
    ],
)
def test_a_wrong_integrator_is_refused(given, words):
    with pytest.raises(ParameterError) as caught:
        fig_3_5(**given)
    assert words in str(caught.value)
