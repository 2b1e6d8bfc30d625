"""Force-based diagrams beside the structure in one piece, and beside discrete maps of the late ones, by scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from agreement import agreed
from scipy.signal import cont2discrete

import hybsim as hs
from hybsim.diagrams.force_based import Device, force_based, table_3, two_floors, white_noise
from hybsim.errors import HybsimError, ParameterError

M, DT, SHARE, LATE = 79.1, 1e-3, 0.77, 13
W = 2.0 * math.pi * 2.0
C, K = 2.0 * 0.02 * M * W, M * W**2
SECONDS = 8.0
RECORD = white_noise(seed=3, duration=SECONDS)
GROUND = np.append(RECORD.accel, 0.0)

# alpha_m, alpha_l, beta of Table 3 in the convention of Eq. 2, then the factors it prints, as corrected.
SPLIT = {
    1: (0.0, 0.0, 0.0), 2: (0.0, 0.0, 0.0), 3: (0.0, 1.0, 0.0), 4: (0.0, 0.5, 0.0),
    5: (SHARE, 0.0, 1.0), 6: (SHARE, 1.0, 0.0), 7: (SHARE, 0.5, 0.5),
}  # fmt: skip
TABLE_3 = {
    1: (1.0, 0.0, 0.0, 0.0), 2: (1.0, 0.0, 0.0, 0.0), 3: (0.0, 0.0, -1.0, 0.0), 4: (0.5, 0.0, -0.5, 0.0),
    5: (4.35, 3.35, 0.0, 0.0), 6: (0.0, 0.0, -1.0, -0.77), 7: (2.17, 1.67, -0.5, -0.385),
}  # fmt: skip


def discrete(a, b):
    """Ad, Bd of a linear system whose inputs are held over a tick."""
    n, m = np.shape(b)
    return cont2discrete((np.asarray(a), np.asarray(b), np.eye(n), np.zeros((n, m))), DT, "zoh")[:2]


def marched(ad, bd, inputs):
    state = np.zeros((len(inputs), len(ad)))
    for k in range(len(inputs) - 1):
        state[k + 1] = ad @ state[k] + bd @ inputs[k]
    return state


@pytest.fixture(scope="module")
def whole():
    return marched(*discrete([[0.0, 1.0], [-K / M, -C / M]], [[0.0], [-1.0]]), GROUND[:, None])[:, 0]


def run(case, seconds=SECONDS, **more):
    return hs.compile(table_3(case=case, record=RECORD, **more)).run(seconds)


def error(disp, true):
    return float(np.abs(disp - true).max() / np.abs(true).max())


def late_map(case, *, late_table=0, late_actuator=0):
    """The specimen with commands that are held over a tick and applied so many ticks late; 0 is continuous."""
    alpha, load, beta = SPLIT[case]
    built = (1.0 - alpha) * M
    # What is not late stays continuous: `now` of the restoring force is undone by the virtual inertia.
    now = (0.0 if late_table else beta) + (0.0 if late_actuator else 1.0 - beta)
    left = (1.0 - alpha * now) / built
    ad, bd = discrete([[0.0, 1.0], [-K * left, -C * left]], [[0.0], [1.0]])
    z, history = np.zeros((len(GROUND), 2)), np.zeros((len(GROUND), 2))
    for k, ground in enumerate(GROUND):
        inertia = -(C * z[k, 1] + K * z[k, 0])
        history[k] = (
            -(1.0 - load) * ground - (beta * alpha * inertia / built if late_table else 0.0),
            -load * ground - ((1.0 - beta) * alpha * inertia / built if late_actuator else 0.0),
        )
        if k + 1 < len(GROUND):
            push = sum(history[k - late, i] if k >= late else 0.0 for i, late in enumerate((late_table, late_actuator)))
            z[k + 1] = ad @ z[k] + bd[:, 0] * push
    return z[:, 0]


@pytest.mark.parametrize("case", SPLIT)
def test_every_case_with_ideal_devices_is_the_whole_structure(case, whole):
    assert np.abs(whole).max() > 0.005
    assert error(run(case)["disp"], whole) < 1e-6


@pytest.mark.parametrize("case", SPLIT)
def test_commands_have_the_factors_of_table_3_to_its_digits(case):
    result = run(case, 2.0)
    motions = np.column_stack([result["ground.accel"], result["accel"]])
    told = np.column_stack([result["command.accel_table"], result["command.force_cmd"] / M])
    found, rest = np.linalg.lstsq(motions, told, rcond=None)[:2]
    assert np.max(rest) < 1e-18, "nothing but u_g'' and x''"
    alpha, load, beta = SPLIT[case]
    on_table = beta * alpha / (1.0 - alpha)
    on_actuator = -(1.0 - beta) * alpha
    closed = (1.0 - load + on_table, on_table, on_actuator - load * (1.0 - alpha), on_actuator)
    np.testing.assert_allclose(found.T.ravel(), closed, atol=1e-9)
    np.testing.assert_allclose(found.T.ravel(), TABLE_3[case], atol=0.005)
    if case == 5:
        assert abs(found[0, 0] - 4.45) > 0.1, "the misprint"


def test_a_late_table_moves_what_it_carries_and_nothing_else(whole):
    moved = np.concatenate([np.zeros(LATE), whole[:-LATE]])
    for case, expected in ((1, moved), (2, moved), (3, whole), (4, 0.5 * (moved + whole)), (6, whole)):
        assert error(run(case, table_delay=0.013)["disp"], expected) < 1e-6, case
    for case, expected in ((1, whole), (2, whole), (3, moved), (4, 0.5 * (moved + whole)), (5, whole)):
        assert error(run(case, actuator_delay=0.013)["disp"], expected) < 1e-6, case


@pytest.mark.parametrize("case", [5, 6, 7])
@pytest.mark.parametrize("late", [dict(late_table=LATE), dict(late_actuator=LATE),
                                  dict(late_table=LATE, late_actuator=5)], ids=str)  # fmt: skip
def test_a_virtual_mass_behind_late_devices_is_the_delayed_map(case, late):
    delays = {name.replace("late_", "") + "_delay": ticks * DT for name, ticks in late.items()}
    assert error(run(case, **delays)["disp"], late_map(case, **late)) < 1e-6


def test_a_late_table_degrades_the_table_cases_in_this_order(whole):
    rms = {
        case: np.sqrt(np.mean((run(case, table_delay=0.013)["disp"] - whole) ** 2) / np.mean(whole**2))
        for case in SPLIT
    }
    assert max(rms[3], rms[6]) < 1e-6 < 0.05 < rms[4] < rms[1] == rms[2] < rms[7] < rms[5]
    assert rms[4] == pytest.approx(0.5 * rms[1], rel=1e-6)


def test_a_slow_actuator_that_follows_the_measured_acceleration_is_stable_above_one_half(whole):
    """Routh: (1 - a) T s^3 + s^2 + ... is stable for every a above 0, so dynamics alone are not refused."""
    lag = 0.013
    built = (1.0 - SHARE) * M
    accel = np.array([-K, -C, 1.0]) / built
    told = np.array([-SHARE * M * accel / lag, [0.0, 0.0, -1.0 / lag]]).sum(axis=0)
    a = [[0.0, 1.0, 0.0], accel, told]
    assert np.linalg.eigvals(a).real.max() < 0.0
    expected = marched(*discrete(a, [[0.0], [0.0], [-M / lag]]), GROUND[:, None])[:, 0]
    got = run(6, command="measured", actuator=Device(time_constant=lag))["disp"]
    assert error(got, expected) < 1e-6
    assert error(got, whole) > 0.1, "stable, but not the whole structure"


def test_a_second_order_table_and_a_slow_actuator_in_open_loop_are_their_transfer_functions():
    w, z, lag = 2.0 * math.pi * 17.0, 0.7, 0.01
    a = [
        [0.0, 1.0, 0.0, 0.0, 0.0],
        [-K / M, -C / M, -1.0, 0.0, 1.0 / M],
        [0.0, 0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, -w * w, -2.0 * z * w, 0.0],
        [0.0, 0.0, 0.0, 0.0, -1.0 / lag],
    ]
    b = [[0.0], [0.0], [0.0], [0.5 * w * w], [-0.5 * M / lag]]
    expected = marched(*discrete(a, b), GROUND[:, None])[:, 0]
    devices = dict(table=Device(frequency=17.0, damping_ratio=z), actuator=Device(time_constant=lag))
    assert error(run(4, **devices)["disp"], expected) < 1e-6


@pytest.mark.parametrize("share", [0.55, 0.77, 0.95])
def test_a_second_order_table_with_a_measured_acceleration_is_stable(share):
    w, z = 2.0 * math.pi * 17.0, 0.7
    characteristic = np.polymul([1.0 - share, 0.0, 0.0], [1.0, 2.0 * z * w, w * w])
    characteristic = np.polyadd(characteristic, [share * w * w, 0.0, 0.0])
    characteristic = np.polyadd(characteristic, np.polymul([0.04 * W, W**2], [1.0, 2.0 * z * w, w * w]))
    assert np.roots(characteristic).real.max() < 0.0
    bd = force_based(mass=M, damping=C, stiffness=K, record=RECORD, alpha_m=share, inertia_on_table=1.0,
                     table=Device(frequency=17.0, damping_ratio=z), command="measured", dt=2.5e-4)  # fmt: skip
    disp = np.abs(hs.compile(bd).run(SECONDS)["disp"])
    assert disp[len(disp) // 2 :].max() < 3.0 * disp[: len(disp) // 2].max()


# ---- several floors


def in_one_piece(specimen):
    m, c, k = (np.pad(specimen[part], ((0, 1), (0, 1))) for part in ("mass", "damping", "stiffness"))
    m[2, 2], spring = specimen["numerical"]
    for i, j, sign in ((1, 1, 1.0), (2, 2, 1.0), (1, 2, -1.0), (2, 1, -1.0)):
        k[i, j] += sign * spring
    a = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.linalg.inv(m) @ k, -np.linalg.inv(m) @ c]])
    return marched(*discrete(a, np.array([[0.0], [0.0], [0.0], [-1.0], [-1.0], [-1.0]])), GROUND[:, None])[:, :3]


def full_split(rng, load):
    """Full matrices with eigenvalues from 0 to 0.8."""
    found = {}
    for name in ("alpha_m", "alpha_c", "alpha_f"):
        turn = np.eye(2) + 0.3 * rng.normal(size=(2, 2))
        found[name] = turn @ np.diag(rng.uniform(0.0, 0.8, 2)) @ np.linalg.inv(turn)
        assert np.abs(found[name] - np.diag(np.diag(found[name]))).max() > 1e-3, "full"
    return dict(found, alpha_l=load)


@pytest.mark.parametrize("load", [0.0, 0.4, 1.0])
def test_two_floors_with_full_matrices_and_a_computed_one_are_the_structure_in_one_piece(load):
    specimen = two_floors()
    split = full_split(np.random.default_rng(round(10 * load)), load)
    result = hs.compile(force_based(**specimen, **split, record=RECORD)).run(SECONDS)
    expected = in_one_piece(specimen)
    assert error(np.column_stack([result["disp"], result["numerical_disp"]]), expected) < 1e-6
    late = hs.compile(force_based(**specimen, **split, record=RECORD, table=Device(delay=0.013))).run(SECONDS)
    difference = error(late["disp"], expected[:, :2])
    assert difference < 1e-6 if load == 1.0 else difference > 0.02


# ---- engines

SETUPS = {
    "ideal": lambda: table_3(case=7, record=RECORD),
    "late": lambda: table_3(case=7, record=RECORD, table_delay=0.013, actuator_delay=0.004),
    "slow": lambda: table_3(case=7, record=RECORD, table=Device(delay=0.002, frequency=17.0),
                            actuator=Device(time_constant=0.01)),
    "measured": lambda: table_3(case=6, record=RECORD, command="measured", measured_delay=0.003, allow_unstable=True),
    "floors": lambda: force_based(**two_floors(), **full_split(np.random.default_rng(1), 0.5), record=RECORD,
                                  table=Device(delay=0.005, frequency=20.0), actuator=Device(frequency=30.0)),
}  # fmt: skip


@pytest.mark.parametrize("setup", SETUPS)
def test_both_engines_give_the_same_bits(setup):
    assert np.abs(agreed(hs.compile(SETUPS[setup]()), 0.15)["disp"]).max() > 0.0


# ---- refusals


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (dict(alpha_m=1.2), r"'alpha_m' .* must lie from 0 \(all in the specimen\) to 1 \(all virtual\), got 1\.2"),
        (dict(alpha_c=-0.1), "'alpha_c' .* must lie from 0"),
        (dict(alpha_l=1.5), "'alpha_l' .* must be at most 1, got 1.5"),
        (dict(alpha_l=[0.5]), "one table has one acceleration"),
        (dict(alpha_m=1.0), "alpha_m of 1, which leaves the specimen without mass"),
        (dict(command="guess"), "The command must be one of 'model', 'measured', got 'guess'"),
        (dict(damping=np.eye(2)), "give n x n matrices"),
        (dict(numerical=(0.0, 1.0)), "computed floor needs a mass and a stiffness above 0"),
    ],
    ids=lambda given: next(iter(given)) if isinstance(given, dict) else "",
)
def test_a_wrong_splitting_is_refused_with_a_sentence(wrong, said):
    with pytest.raises(HybsimError, match=said):
        force_based(**dict(mass=M, damping=C, stiffness=K, record=RECORD) | wrong)


@pytest.mark.parametrize("late", [dict(measured_delay=DT), dict(actuator_delay=DT)])
def test_a_measured_acceleration_behind_any_delay_is_refused_above_one_half(late):
    with pytest.raises(ParameterError, match=r"alpha_m of 0\.77, .* unstable with any delay .* 3\.35 times"):
        table_3(case=6, record=RECORD, command="measured", **late)


def test_a_delay_that_is_not_in_the_loop_is_not_refused():
    bd = table_3(case=6, record=RECORD, command="measured", table_delay=0.013, actuator=Device(time_constant=0.01))
    assert hs.compile(bd).run(0.1).stopped is None


def test_what_was_refused_grows_as_the_sentence_says():
    result = run(6, 0.2, command="measured", measured_delay=0.013, allow_unstable=True)
    peaks = np.abs(result["accel"][: 13 * 15]).reshape(15, 13).max(axis=1)
    assert (peaks[-1] / peaks[-6]) ** 0.2 == pytest.approx(0.77 / 0.23, rel=0.03)


def test_nothing_late_is_an_algebraic_loop_and_case_8_does_not_exist():
    with pytest.raises(HybsimError, match="Algebraic loop"):
        hs.compile(table_3(case=6, record=RECORD, command="measured"))
    with pytest.raises(ParameterError, match="decides alpha_m, mass itself; use force_based"):
        table_3(case=6, alpha_m=0.5, mass=1.0)
    with pytest.raises(ParameterError, match="cases 1 to 7, got 8"):
        table_3(case=8)


@pytest.mark.parametrize("wrong", [dict(delay=-1.0), dict(frequency=math.inf), dict(time_constant=1.0, frequency=1.0)])
def test_a_device_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ParameterError, match="[Aa] device"):
        Device(**wrong)


def test_the_white_noise_is_flat_in_its_band_and_nowhere_else():
    record = white_noise(seed=5, duration=10.0, low=0.5, high=8.0)
    lines, f = np.abs(np.fft.rfft(record.accel)), np.fft.rfftfreq(len(record.accel), DT)
    inside = (f > 0.499) & (f < 8.001)
    assert np.ptp(lines[inside]) < 1e-9 * lines.max() and lines[~inside].max() < 1e-9 * lines.max()
    assert np.abs(record.accel).max() == pytest.approx(1.0, rel=1e-12)
    with pytest.raises(ParameterError, match="half the sampling rate"):
        white_noise(high=600.0)
