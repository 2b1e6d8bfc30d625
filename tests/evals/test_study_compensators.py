"""hybsim study compensators against a second computation: every linear chain as a filter of numpy and scipy."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.signal import bilinear, butter, cont2discrete, lfilter

from hybsim.blocks import CATALOGUE, compensators
from hybsim.runtime.export import plain
from hybsim.studies.compensation.compensator_cases import CASES, PLANTS
from hybsim.studies.compensation.compensators import Comparison, Row, compare
from hybsim.studies.compensation.compensators_outcome import outcome

ROOT = Path(__file__).parents[2]
DT = 1.0 / 1024.0
TS_1 = ([2.382e9], [1.0, 485.5, 1.317e5, 3.182e7, 2.382e9])
TOLD = {"delay": 14 * DT, "TS_1": 3.182e7 / 2.382e9 + DT / 2}
ADAPTIVE = ("PREDICTOR_ADAPTIVE 3", "ATS", "ATS, filter 20 Hz")
LINEAR = [case.name for case in CASES if case.name not in ADAPTIVE]

Filter = tuple[np.ndarray, np.ndarray]
"""Numerator and denominator in rising powers of z^-1."""


# ---- the second computation


def plant_filter(name: str) -> Filter:
    if name == "delay":
        return np.eye(1, 15, 14)[0], np.ones(1)
    num, den, _ = cont2discrete(TS_1, DT, method="zoh")
    return num.ravel(), den


def polynomial(order: int, stride: int, ahead: float) -> Filter:
    """Weights of the samples 0, stride, 2 stride ... ticks ago that are exact for all powers of time up to `order`."""
    back = -float(stride) * np.arange(order + 1) / ahead
    weights = np.linalg.solve(np.vander(back, increasing=True).T, np.ones(order + 1))
    b = np.zeros(order * stride + 1)
    b[::stride] = weights
    return b, np.ones(1)


def lead(seconds: float) -> Filter:
    return bilinear([1.1 * seconds, 1.0], [0.1 * seconds, 1.0], 1.0 / DT)


def inverse_of_model(plant: str) -> Filter:
    tau = TOLD[plant]
    model = np.array([tau**2 / 2, tau, 1.0]) if plant == "delay" else np.array(TS_1[1]) / TS_1[0][0]
    order = len(model)
    low_pass = butter(order, 2.0 * math.pi * 100.0, analog=True)
    filter_delay = low_pass[1][-2] / low_pass[1][-1]
    rest = filter_delay + (0.0 if plant == "delay" else DT / 2)
    over = np.polymul(np.polymul(model, [rest, 1.0]), low_pass[0])
    return bilinear(over, low_pass[1], 1.0 / DT)


def loop(plant: str) -> tuple[Filter, Filter]:
    """Command over reference C / (1 + C G) and command over measurement noise, for C = Kp + Ki dt/2 (z + 1)/(z - 1)."""
    kp, ki = 1.0 / 6.0, 0.5 / TOLD[plant]
    c_over, c_under = np.array([kp + ki * DT / 2, ki * DT / 2 - kp]), np.array([1.0, -1.0])
    g_over, g_under = plant_filter(plant)
    over = np.convolve(c_over, g_under)
    under = _sum(np.convolve(c_under, g_under), np.convolve(c_over, g_over))
    return (over, under), (-over, under)


def compensator_filter(name: str, plant: str) -> Filter:
    tau = TOLD[plant]
    if name == "none":
        return np.ones(1), np.ones(1)
    if name.startswith("PREDICTOR"):
        return polynomial(int(name.split()[1]), 14 if "tau" in name else 1, tau / DT)
    if name == "INVERSECOMP":
        return np.array([1.0 + tau / DT, -tau / DT]), np.ones(1)
    if name == "PHASELEAD":
        return lead(tau)
    if name == "FEEDFORWARD":
        return inverse_of_model(plant)
    first, second = lead(2.0 * tau), loop(plant)[0]
    return np.convolve(first[0], second[0]), np.convolve(first[1], second[1])


def _sum(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    total = np.zeros(max(len(one), len(other)))
    total[: len(one)] += one
    total[: len(other)] += other
    return total


def noise_gain(b: np.ndarray, a: np.ndarray) -> float:
    """sqrt(sum h^2) of the impulse response h."""
    return float(np.sqrt(np.sum(lfilter(b, a, np.eye(1, 20_000)[0]) ** 2)))


def late(b: np.ndarray, a: np.ndarray) -> float:
    """Low-frequency delay in s: the slope of the phase at rest."""
    return DT * float(b @ np.arange(len(b)) / b.sum() - a @ np.arange(len(a)) / a.sum())


def ground(ticks: int) -> np.ndarray:
    """20 % of El Centro in mm/s2, from the file; zero after its end."""
    with open(ROOT / "blocks/data/elcentro_1940_ns.csv", newline="") as file:
        rows = [row for row in csv.reader(file) if row and row[0][0].isdigit()]
    table = np.array([[float(v) for v in row] for row in rows])
    return 0.2 * 9806.65 * np.interp(np.arange(ticks) * DT, table[:, 0], table[:, 1], right=0.0)


def response(accel: np.ndarray) -> np.ndarray:
    """Displacement of u'' + 2 zeta w u' + w^2 u = -accel by central differences, from rest."""
    w, zeta = 2.0 * math.pi / 0.5, 0.05
    left = 1.0 / DT**2 + zeta * w / DT
    b = np.array([0.0, -1.0]) / left
    a = np.array([left, w**2 - 2.0 / DT**2, 1.0 / DT**2 - zeta * w / DT]) / left
    before = -0.5 * DT**2 * accel[0]  # u_{-1}, which stands for rest at u_0 = 0
    return lfilter(b, a, accel, zi=[0.0, -a[2] * before])[0]


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare()


def found(comparison: Comparison, name: str, plant: str) -> Row:
    return next(row for row in comparison.lines if (row.case.name, row.plant.name) == (name, plant))


PAIRS = [(name, plant.name) for plant in PLANTS for name in LINEAR]


# ---- the target, the plants and what is told about them


def test_the_target_is_the_response_of_the_structure(comparison) -> None:
    target = comparison.lines[0].target
    assert np.abs(target - response(ground(len(target)))).max() < 1e-8 * np.abs(target).max()
    assert all(np.array_equal(row.target, target) for row in comparison.lines)


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_what_a_compensator_is_told_is_the_delay_at_low_frequencies(plant) -> None:
    assert plant.delay == pytest.approx(TOLD[plant.name], rel=1e-12)
    assert plant.delay == pytest.approx(late(*plant_filter(plant.name)), rel=1e-6), "with half a tick for the hold"


def test_the_loop_without_its_lead_is_late_by_one_over_ki() -> None:
    for plant in TOLD:
        (over, under), plant_of_it = loop(plant)[0], plant_filter(plant)
        whole = np.convolve(over, plant_of_it[0]), np.convolve(under, plant_of_it[1])
        assert late(*whole) == pytest.approx(2.0 * TOLD[plant], rel=1e-6)
        assert np.abs(np.roots(under)).max() < 1.0, "stable"


def test_the_gains_of_the_benchmark_would_make_both_loops_unstable() -> None:
    kp, ki = 2.0, 95.0
    c_over, c_under = np.array([kp + ki * DT / 2, ki * DT / 2 - kp]), np.array([1.0, -1.0])
    for plant in TOLD:
        b, a = plant_filter(plant)
        assert np.abs(np.roots(_sum(np.convolve(c_under, a), np.convolve(c_over, b)))).max() > 1.0


# ---- linear compensators


@pytest.mark.parametrize("name, plant", PAIRS)
def test_a_linear_chain_is_the_filter_above(comparison, name, plant) -> None:
    row = found(comparison, name, plant)
    target = row.target
    command = lfilter(*compensator_filter(name, plant), target)
    position = lfilter(*plant_filter(plant), command)
    size = np.abs(target).max()
    assert np.abs(row.command - command).max() < 1e-7 * size
    assert np.abs(row.measured - position).max() < 1e-7 * size
    error, m = position - target, row.measures
    assert m.nrms == pytest.approx(np.linalg.norm(error) / np.linalg.norm(target), abs=1e-7)
    assert m.peak == pytest.approx(np.abs(error).max() / size, abs=1e-7)
    i, o = np.fft.rfft(target)[1:], np.fft.rfft(position)[1:]
    fei = np.sum(o / i * np.abs(i) ** 2) / np.sum(np.abs(i) ** 2)
    f_eq = np.sum(np.fft.rfftfreq(len(target), DT)[1:] * np.abs(i) ** 2) / np.sum(np.abs(i) ** 2)
    assert m.amplitude == pytest.approx(abs(fei) - 1.0, abs=1e-7)
    assert m.delay_s == pytest.approx(-np.angle(fei) / (2.0 * math.pi * f_eq), abs=1e-8)
    # the measured history, moved by whole ticks, is most like the target next to the delay that was found
    shifts = np.arange(-40, 41)
    alike = [np.dot(target[40:-40], position[40 + n : len(target) - 40 + n]) for n in shifts]
    assert abs(m.delay_corr_s / DT - shifts[int(np.argmax(alike))]) <= 0.51


@pytest.mark.parametrize("name, plant", PAIRS)
def test_noise_comes_out_as_theory_says(comparison, name, plant) -> None:
    """sqrt(sum h^2); 37 000 numbers tell a standard deviation to about 0.5 %, or worse where the command is slow."""
    m = found(comparison, name, plant).measures
    assert m.noise_target == pytest.approx(noise_gain(*compensator_filter(name, plant)), rel=0.03)
    fed_back = noise_gain(*loop(plant)[1]) if name.startswith("PIDCONTROL") else 0.0
    assert m.noise_measured == pytest.approx(fed_back, rel=0.05, abs=0.0)


@pytest.mark.parametrize("name, plant", [pair for pair in PAIRS if pair[0] != "none"])
def test_a_linear_compensator_leaves_no_delay_at_low_frequencies(name, plant) -> None:
    one, other = compensator_filter(name, plant), plant_filter(plant)
    assert abs(late(np.convolve(one[0], other[0]), np.convolve(one[1], other[1]))) < 1e-5 * TOLD[plant]


def test_without_a_compensator_the_delay_is_that_of_the_plant(comparison) -> None:
    row = found(comparison, "none", "delay")
    # the last 14 ticks of the target do not come out of the delay, which is why it is not exact
    assert row.measures.delay_s == pytest.approx(14 * DT, rel=1e-4)
    assert row.measures.delay_corr_s == pytest.approx(14 * DT, rel=1e-4)
    assert np.array_equal(row.measured[14:], row.command[:-14])


def test_prediction_restores_the_delay_of_ts_1_but_not_its_amplitude(comparison) -> None:
    target = comparison.lines[0].target
    s = 2j * math.pi * np.fft.rfftfreq(len(target), DT)
    power = np.abs(np.fft.rfft(target)) ** 2
    gain = np.sum(np.abs(TS_1[0][0] / np.polyval(TS_1[1], s)) * power) / np.sum(power)
    assert gain < 0.995
    for order in (3, 4, 5):
        amplitude = found(comparison, f"PREDICTOR {order} (dt)", "TS_1").measures.amplitude
        assert amplitude == pytest.approx(gain - 1.0, abs=5e-4)


# ---- adaptive compensators


@pytest.mark.parametrize("plant", TOLD)
@pytest.mark.parametrize("name", ADAPTIVE)
def test_an_adaptive_compensator_finds_what_it_was_not_told(comparison, name, plant) -> None:
    """Held at 0.8 of the delay, it would leave 0.2 of it."""
    m = found(comparison, name, plant).measures
    assert abs(m.delay_s) < 0.01 * TOLD[plant] and abs(m.delay_corr_s) < 0.01 * TOLD[plant]
    assert m.nrms < 0.05 * found(comparison, "none", plant).measures.nrms
    assert m.noise_measured > 0.0, "it listens to the measurement"


def test_the_time_series_restores_the_amplitude_of_ts_1_too(comparison) -> None:
    m = found(comparison, "ATS", "TS_1").measures
    assert abs(m.amplitude) < 0.1 * abs(found(comparison, "PREDICTOR 3 (dt)", "TS_1").measures.amplitude)


# ---- the study as a whole


def test_every_compensator_of_the_catalogue_is_compared_on_every_plant(comparison) -> None:
    for plant in PLANTS:
        types = {block["type"] for row in comparison.of(plant) for block in row.blocks().values()}
        missing = [name for name, cls in compensators.BLOCKS.items() if cls.__name__ not in types]
        assert missing == [], f"add a case for {missing} to studies/compensation/compensator_cases.py"
    assert set(compensators.BLOCKS) <= set(CATALOGUE)
    assert len({case.name for case in CASES}) == len(CASES)


def test_the_summary_says_how_to_compute_it_again(comparison) -> None:
    content = json.loads(json.dumps(plain(outcome(comparison).summary), allow_nan=False))
    record = content["record"]
    assert (record["record"], record["pga"], record["unit"], record["interpolation"]) == (
        "elcentro",
        0.31882,
        "g",
        "linear",
    )
    assert len(record["sha256"]) == 64 and record["scale"] == pytest.approx(0.2 * content["g_mm_s2"])
    assert content["seed"] == 1 and content["dt_s"] == DT and content["engine"] == "c"
    assert content["duration_s"] == pytest.approx(1559 * 0.02 + 5.0)
    assert set(content["delay_estimators"]) == {"delay_s", "delay_corr_s"} and content["noise"]["rms_mm"] == 0.016
    assert [(p["name"], p["delay_s"]) for p in content["plants"]] == [(p.name, p.delay) for p in PLANTS]
    structure = content["manifest"]["blocks"]["structure"]
    assert (structure["type"], np.ravel(structure["mass"])) == ("NewmarkExplicit", [1.0])
    assert np.ravel(structure["damping"]) == pytest.approx([2.0 * 0.05 * 4.0 * math.pi])
    assert len(content["rows"]) == 2 * len(CASES)
    row = next(r for r in content["rows"] if (r["compensator"], r["plant"]) == ("INVERSECOMP", "TS_1"))
    assert row["blocks"]["inverse"]["delay"] == pytest.approx(TOLD["TS_1"]) and row["stopped"] is None
    assert set(content["units"]) == set(comparison.rows()[0]) - {"plant", "compensator"}


def test_the_conclusions_are_those_of_the_numbers(comparison) -> None:
    """The best of all, and the best of those that amplify noise up to ten times, found here from the rows."""
    first, second, noisy, _ = outcome(comparison).conclusions
    for text, plant in ((first, "delay"), (second, "TS_1")):
        rows = sorted(
            (row for row in comparison.rows() if row["plant"] == plant and row["compensator"] != "none"),
            key=lambda row: row["nrms"],
        )
        best = rows[0]["compensator"]
        quiet = next(row["compensator"] for row in rows if row["noise_target"] <= 10.0)
        assert f"{best} leaves the smallest, {100 * rows[0]['nrms']:.2f} %" in text and f"the best is {quiet}:" in text
    loud = {row["compensator"] for row in comparison.rows() if row["noise_target"] * 0.016 >= comparison.peak_target}
    assert loud == {"PREDICTOR 3 (dt)", "PREDICTOR 4 (dt)", "PREDICTOR 5 (dt)"} and all(name in noisy for name in loud)


def test_the_figure_is_labelled_complete_and_not_clipped(comparison) -> None:
    figure = comparison.figure()
    figure.draw_without_rendering()
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height
    errors, delays, noise, *windows = figure.axes
    assert [label.get_text() for label in errors.get_yticklabels()] == [case.name for case in CASES]
    assert errors.get_xlabel().startswith("NRMS error [%]") and "[ms]" in delays.get_xlabel()
    assert "noise gain [-]" in noise.get_xlabel()
    assert [a.get_ylabel() for a in windows[::2]] == ["displacement [mm]", "measured \N{MINUS SIGN} target [mm]"]
    drawn = errors.lines[0].get_xdata()
    assert drawn == pytest.approx([100.0 * row.measures.nrms for row in comparison.of(PLANTS[0])])
    assert [t.get_text() for t in delays.texts] == ["13.7, 13.8 ms"], "beyond the axis, so in numbers"
    upper, lower = figure.subfigs
    assert [t.get_text() for t in upper.legends[0].get_texts()] == [plant.prose for plant in PLANTS]
    assert len(lower.legends[0].get_texts()) == 7
