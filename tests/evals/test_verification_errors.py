"""The numbers of docs/verification.md about errors and sensors: all measured, within bounds that can be missed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hybsim.blocks import CATALOGUE
from hybsim.studies.verification import error_delays, error_sensors, noise, section_errors
from hybsim.studies.verification.error_rows import at_most, chi2_row, exact
from hybsim.studies.verification.noise_statistics import distribution, independence, moments, spectrum, whiteness
from hybsim.studies.verification.rows import out_of_tolerance

GOOD = np.random.default_rng(1).normal(size=(16, 4096))


@pytest.fixture(scope="module")
def rows():
    return [*noise.rows(), *error_delays.rows(), *error_sensors.rows()]


def test_every_number_is_within_its_bounds(rows):
    assert out_of_tolerance(rows) == []


def test_every_error_and_sensor_is_measured(rows):
    families = ("hybsim.blocks.errors.", "hybsim.blocks.sensors.")
    listed = {name for name, cls in CATALOGUE.items() if cls.__module__.startswith(families)}
    assert listed <= {row.block for row in rows}


def test_the_section_lists_every_row(rows, monkeypatch):
    for module, count in ((noise, 3), (error_delays, 2), (error_sensors, 1)):
        monkeypatch.setattr(module, "rows", lambda count=count: rows[:count])
    section = section_errors.section()
    assert section.failures == []
    assert section.text.count("\n| `NORMAL` |") == 6
    assert "once in 10,000 times" in section.text


def test_a_number_out_of_bounds_is_named_in_a_sentence():
    off = [exact("HOLD", "gain", 0.9, 1.0, "theory"), at_most("NORMAL", "worst", 5.0, 4.5, "64 seeds"),
           chi2_row("DROPOUT", "gaps", math.nan, 3, "geometric")]  # fmt: skip
    first, second, third = out_of_tolerance(off)
    assert first == "HOLD: gain is 0.9, outside 1 to 1 (theory)."
    assert second == "NORMAL: worst is 5, outside -inf to 4.5 (64 seeds)."
    assert third.startswith("DROPOUT: gaps is nan")


def every_check(values):
    """Of standard normal noise at ticks of 1 s."""
    return [
        *moments("N", values, 0.0, 1.0), distribution("N", values, 0.0, 1.0), *whiteness("N", values),
        *spectrum("N", values, 1.0, 1.0, length=128), *independence("N", values),
    ]  # fmt: skip


def test_numpys_noise_passes_every_check():
    assert out_of_tolerance(every_check(GOOD)) == []


@pytest.mark.parametrize(
    ("spoilt", "found"),
    [
        (GOOD + 0.03, "mean is"),
        (1.03 * GOOD, "variance is"),
        (np.random.default_rng(2).uniform(-math.sqrt(3), math.sqrt(3), GOOD.shape), "kurtosis is"),
        (np.random.default_rng(3).uniform(-math.sqrt(3), math.sqrt(3), GOOD.shape), "distance from the normal"),
        (0.998 * GOOD + 0.06 * np.roll(GOOD, 3, axis=1), "largest autocorrelation"),
        (0.998 * GOOD + 0.06 * np.roll(GOOD, 3, axis=1), "Ljung-Box Q of all seeds"),
        (np.where(np.arange(16)[:, None] == 5, 0.95 * GOOD + 0.3 * np.roll(GOOD, 7, axis=1), GOOD), "Ljung-Box Q of the worst"),
        (GOOD + 0.1 * math.sqrt(2) * np.sin(2 * math.pi * np.arange(4096) * 10 / 128), "highest spectral density"),
        (np.repeat(GOOD[:, ::2], 2, axis=1), "lowest spectral density"),
        (np.concatenate([GOOD[:-1], 0.99 * GOOD[-1:] + 0.14 * GOOD[:1]]), "correlation of two seeds"),
        (np.concatenate([GOOD[:-1], np.roll(GOOD[-2:-1], 1234, axis=1)]), "neighbouring seeds at any lag"),
        (np.concatenate([GOOD[:-1], GOOD[-1:] + 0.12]), "mean of the worst seed"),
        (np.concatenate([GOOD[:-1], 1.09 * GOOD[-1:]]), "variance of the worst seed"),
    ],
)  # fmt: skip
def test_spoilt_noise_is_found_out(spoilt, found):
    assert any(found in sentence for sentence in out_of_tolerance(every_check(spoilt)))


def test_classes_of_few_are_joined_in_the_chi_squared_test():
    statistic, degrees = error_delays.chi_squared(np.array([20, 3, 4, 5, 1]), np.array([16.0, 4.0, 4.0, 4.0, 5.0]))
    # 16 | 4 + 4 + 4 with the rest of 5.
    assert (statistic, degrees) == (pytest.approx(16.0 / 16.0 + 16.0 / 17.0), 1)


def test_stretches_cut_off_by_the_run_do_not_count():
    flags = np.array([1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1], dtype=bool)
    assert error_delays.whole_stretches(flags).tolist() == [1, 3]
    assert error_delays.whole_stretches(~flags).tolist() == [1, 2, 1]
    assert error_delays.whole_stretches(np.ones(5, dtype=bool)).tolist() == []
