"""hybsim psi: its numbers against an independent solution of the characteristic equation, its JSON, its refusals.

Expected values come from PSI Table 2.2 as corrected, and from `crossing` below: |C_N| = |C_P| for the frequency, from
numpy's roots of the printed polynomial (2.17), and the delay by trying which angle makes the equation zero.
"""

from __future__ import annotations

import cmath
import json
import math

import numpy as np
import pytest

KEYS = ["phi_cr", "omega_cr", "switches", "tau_cr_s", "psi", "unconditional", "zeta_eff", "root_re", "root_im", "ppi", "warnings"]  # fmt: skip


def words(alpha=0.8, beta=0.5, gamma=0.1, zeta=0.02, omega_n=10.0, tau=None) -> list[str]:
    given = {"--alpha": alpha, "--beta": beta, "--gamma": gamma, "--zeta": zeta, "--omega-n": omega_n, "--tau": tau}
    return [word for key, value in given.items() if value is not None for word in (key, str(value))]


@pytest.fixture
def found(cli):
    """The JSON of one prediction."""

    def run(*extra: str, **numbers) -> dict:
        done = cli("psi", *words(**numbers), *extra, "--json", "-")
        assert (done.code, done.err) == (0, "")
        return json.loads(done.out)

    return run


def gamma_of(s: complex, alpha, beta, gamma, zeta, omega) -> complex:
    """The characteristic equation, written out."""
    numerical = alpha * s * s + 2.0 * beta * zeta * s + gamma
    physical = (1.0 - alpha) * s * s + 2.0 * (1.0 - beta) * zeta * s + 1.0 - gamma
    return numerical + physical * cmath.exp(-omega * s)


def first_crossing(alpha, beta, gamma, zeta) -> tuple[float, float]:
    """(phi, Omega) of the smallest delay with a root on the imaginary axis, from Eq. 2.17 and the angle."""
    middle = 4.0 * (1.0 - 2.0 * beta) * zeta**2 - 2.0 * (1.0 - alpha - gamma)
    squares = np.roots([1.0 - 2.0 * alpha, middle, 1.0 - 2.0 * gamma])
    candidates = []
    for square in squares[(abs(squares.imag) < 1e-12) & (squares.real > 0.0)].real:
        phi = math.sqrt(square)
        numerical = gamma - alpha * square + 2j * beta * zeta * phi
        physical = 1.0 - gamma - (1.0 - alpha) * square + 2j * (1.0 - beta) * zeta * phi
        angle = -cmath.phase(-numerical / physical) % (2.0 * math.pi)
        assert abs(gamma_of(1j * phi, alpha, beta, gamma, zeta, angle / phi)) < 1e-9
        candidates.append((phi, angle / phi))
    return min(candidates, key=lambda each: each[1])


# ---- numbers


@pytest.mark.parametrize("omega_n, printed", [(3.0, 6.56), (5.0, 6.05), (10.0, 5.36)])
def test_configuration_1_of_table_2_2(found, omega_n, printed) -> None:
    numbers = found(alpha=0.7, beta=0.4, gamma=0.9, zeta=0.1, omega_n=omega_n)
    assert numbers["omega_cr"] == pytest.approx(2.123, abs=5e-4)
    assert numbers["psi"] == pytest.approx(printed, abs=5e-3)
    assert numbers["psi"] == pytest.approx(math.log(1000.0 * numbers["tau_cr_s"]))


@pytest.mark.parametrize("omega_n, printed", [(3.0, 5.77), (5.0, 5.26), (10.0, 4.57)])
def test_configuration_2_of_table_2_2_fits_ten_per_cent_of_damping(found, omega_n, printed) -> None:
    partition = dict(alpha=0.9, beta=0.6, gamma=0.7, omega_n=omega_n)
    numbers = found(**partition, zeta=0.10)
    assert numbers["omega_cr"] == pytest.approx(0.963, abs=6e-4)
    assert numbers["psi"] == pytest.approx(printed, abs=6e-3)
    assert found(**partition, zeta=0.05)["omega_cr"] < 0.6  # as printed


@pytest.mark.parametrize(
    "partition",
    [(0.7, 0.4, 0.9, 0.1), (0.9, 0.6, 0.7, 0.1), (0.8, 0.5, 0.1, 0.02), (0.95, 0.3, 0.2, 0.05), (0.6, 0.0, 1.0, 0.3)],
)
def test_the_first_switch_solves_the_equation(found, partition) -> None:
    alpha, beta, gamma, zeta = partition
    numbers = found(alpha=alpha, beta=beta, gamma=gamma, zeta=zeta, omega_n=7.0)
    phi, omega = first_crossing(*partition)
    assert numbers["phi_cr"] == pytest.approx(phi, rel=1e-6)
    assert numbers["omega_cr"] == pytest.approx(omega, rel=1e-6)
    assert numbers["tau_cr_s"] == pytest.approx(omega / 7.0, rel=1e-6)
    first, *later = numbers["switches"]
    assert first["first"] and first["becomes"] == "unstable" and first["omega"] == numbers["omega_cr"]
    for each in numbers["switches"]:
        assert abs(gamma_of(1j * each["phi"], *partition, each["omega"])) < 1e-6
        assert each["tau_s"] == pytest.approx(each["omega"] / 7.0)
    assert not any(each["first"] for each in later)
    assert all(a["omega"] <= b["omega"] for a, b in zip(numbers["switches"], later, strict=False))


def test_damping_and_root_at_a_delay(found) -> None:
    numbers = found(tau=0.01)
    omega = 0.1
    assert numbers["zeta_eff"] == pytest.approx(gamma_of(1j, 0.8, 0.5, 0.1, 0.02, omega).imag / 2.0, rel=1e-9)
    assert numbers["zeta_eff"] < 0.0  # the printed root of a square would be 0.015
    root = complex(numbers["root_re"], numbers["root_im"])
    assert abs(gamma_of(root, 0.8, 0.5, 0.1, 0.02, omega)) < 1e-9
    assert root.real == pytest.approx(0.0151, abs=1e-3)


def test_ppi_of_table_4_1(found) -> None:
    # cases 2 and 8, two digits are printed
    assert found(gamma=0.65, zeta=0.01, omega_n=10.0, tau=0.005)["ppi"] == pytest.approx(3.5, abs=0.05)
    assert found(gamma=0.65, zeta=0.04, omega_n=20.0, tau=0.005)["ppi"] == pytest.approx(0.16, abs=0.005)


def test_ppi_is_the_area_under_the_error_spectrum(found) -> None:
    from scipy.integrate import quad

    alpha, beta, gamma, zeta, omega = 0.8, 0.5, 0.65, 0.04, 0.05

    def density(phi: float) -> float:
        s = 1j * phi
        physical = (1.0 - alpha) * s * s + 2.0 * (1.0 - beta) * zeta * s + 1.0 - gamma
        whole = s * s + 2.0 * zeta * s + 1.0
        return abs(physical * (1.0 - cmath.exp(-omega * s)) / (whole * gamma_of(s, alpha, beta, gamma, zeta, omega))) ** 2 / math.pi  # fmt: skip

    area = quad(density, 0.0, 2.0, points=[0.9, 1.0, 1.1], limit=500)[0] + quad(density, 2.0, math.inf, limit=500)[0]
    assert found(gamma=gamma, zeta=zeta, tau=0.005)["ppi"] == pytest.approx(area, rel=1e-6)


def test_log10(found) -> None:
    natural, decimal = found(), found("--log10")
    assert decimal["psi"] == pytest.approx(natural["psi"] / math.log(10.0))
    assert {**decimal, "psi": None} == {**natural, "psi": None}


# ---- what is null


def test_keys_and_what_is_null_without_a_delay(found) -> None:
    numbers = found()
    assert list(numbers) == KEYS
    assert [key for key in KEYS if numbers[key] is None] == ["zeta_eff", "root_re", "root_im", "ppi"]
    assert numbers["unconditional"] is False and numbers["warnings"] == []


def test_the_case_study_is_stable_with_any_delay(found) -> None:
    numbers = found(alpha=0.75, beta=0.82, gamma=0.75, zeta=0.014, omega_n=32.9, tau=0.0148)
    assert numbers["unconditional"] is True and numbers["switches"] == []
    assert [key for key in KEYS if numbers[key] is None] == ["phi_cr", "omega_cr", "tau_cr_s", "psi"]
    assert numbers["ppi"] == pytest.approx(0.205, abs=5e-4)  # PSI Sec. 4.3
    assert numbers["zeta_eff"] == pytest.approx(0.014, rel=0.03)


def test_a_delayed_mass_of_more_than_half_is_never_stable(found) -> None:
    numbers = found(alpha=0.3, gamma=0.9, tau=0.001)
    assert numbers["omega_cr"] == 0.0 and numbers["tau_cr_s"] == 0.0
    assert numbers["phi_cr"] is None and numbers["psi"] is None and numbers["ppi"] is None
    assert not numbers["unconditional"] and numbers["root_re"] > 0.0
    assert "neutral" in numbers["warnings"][0] and "1/2" in numbers["warnings"][0]


@pytest.mark.parametrize("excess", [1e-4, 1e-8, 1e-12, 1e-16])
def test_just_above_half_of_the_mass_there_is_an_answer(found, excess) -> None:
    numbers = found(alpha=0.5 + excess, gamma=0.9, tau=0.001)
    assert numbers["omega_cr"] < 0.1 and len(numbers["switches"]) < 2100


def test_an_unstable_test_has_no_ppi(found) -> None:
    numbers = found(tau=0.0148)
    assert numbers["ppi"] is None and numbers["root_re"] > 0.0
    assert any("no PPI" in warning for warning in numbers["warnings"])


def test_without_a_delay_the_test_is_the_structure(found) -> None:
    numbers = found(tau=0.0)
    assert numbers["ppi"] == 0.0 and numbers["zeta_eff"] == pytest.approx(0.02)
    assert numbers["root_re"] == pytest.approx(-0.02) and numbers["warnings"] == []


def test_milliseconds_given_as_seconds_are_noticed(found) -> None:
    assert any("tau is in seconds" in warning for warning in found(tau=14.8)["warnings"])


# ---- words


def test_the_table_and_what_to_change(cli) -> None:
    done = cli("psi", *words(tau=0.004))
    text = " ".join(done.out.split())
    assert done.code == 0 and done.err == ""
    assert "tau_cr critical delay 5.71273 ms" in text
    # |gamma - alpha| from 0.7 to 0.35, gamma = 0.45: from an independent solution
    halved = 100.0 * first_crossing(0.8, 0.5, 0.45, 0.02)[1]
    assert f"Halving |gamma - alpha| (gamma = 0.45) raises tau_cr from 5.713 ms to {halved:.4g} ms" in text
    assert "Halving omega_n (to 5 rad/s) raises tau_cr from 5.713 ms to 11.43 ms (times 2)" in text
    assert "Doubling zeta (to 0.04) raises tau_cr" in text and "changes the PPI from" in text
    assert "takes away 70% of the damping" in text


def test_the_words_do_not_promise_what_the_numbers_deny(cli) -> None:
    done = cli("psi", *words(alpha=0.7, beta=0.4, gamma=0.9, zeta=0.1, omega_n=3.0))
    assert "Doubling zeta (to 0.2) LOWERS tau_cr" in " ".join(done.out.split())


def test_a_neutral_test_is_told_to_compute_more_mass(cli) -> None:
    text = " ".join(cli("psi", *words(alpha=0.3, tau=0.001)).out.split())
    assert "alpha = 0.3 must be above 1/2" in text and "More numerical mass (alpha = 0.75) makes tau_cr" in text


# ---- refusals


@pytest.mark.parametrize(
    "numbers, said",
    [
        (dict(alpha=1.2), "alpha, the numerical share of the mass, M_n / M, must lie in [0, 1], got 1.2."),
        (dict(alpha=-0.1), "must lie in [0, 1], got -0.1."),
        (dict(beta=2), "beta, the numerical share of the damping, C_n / C, must lie in [0, 1], got 2."),
        (dict(gamma="nan"), "gamma, the numerical share of the stiffness, K_n / K, must lie in [0, 1], got nan."),
        (dict(zeta=0), "zeta, the damping ratio of the reference structure, must be a finite number above 0, got 0."),
        (dict(zeta=-0.02), "above 0, got -0.02."),
        (dict(omega_n=0), "omega_n, the natural frequency in rad/s, must be a finite number above 0, got 0."),
        (dict(omega_n="inf"), "above 0, got inf."),
        (dict(tau=-0.001), "tau, the delay in s, must be a finite number of at least 0, got -0.001."),
        (dict(tau="nan"), "of at least 0, got nan."),
        (dict(zeta="five"), "Invalid value for '--zeta'"),
        (dict(alpha=None), "Missing option '--alpha'"),
    ],
)
def test_bad_input_is_one_sentence(cli, numbers, said) -> None:
    done = cli("psi", *words(**numbers), "--json", "-")
    assert (done.code, done.out) == (2, "")
    assert said in done.err and done.err.count("\n") == 1


def test_json_goes_to_a_file_beside_the_table(cli, tmp_path) -> None:
    done = cli("psi", *words(), "--json", tmp_path / "psi.json")
    assert done.code == 0 and "Omega_cr" in done.out
    assert list(json.loads((tmp_path / "psi.json").read_text())) == KEYS
