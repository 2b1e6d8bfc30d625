"""Diagrams ready to deploy, with their rig files: the limits hold what the tests need and no more, the physics is right.

What the guard would see is worked out here from the simulation of the cut diagram, by the formulas of RELIABILITY R1
and not by the guard, and with them the whole records are run. Tests that go through the loop are short.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agreement import agreed
from deployments import rehearsed, unique

import hybsim as hs
from hybsim import diagrams
from hybsim.diagrams import eerc_frame, fig_6_1, psi_vrths
from hybsim.diagrams.eerc_chapter6 import TIME_SCALE
from hybsim.diagrams.psi_vrths import DELAY
from hybsim.errors import ParameterError
from hybsim.hw.rig_file import parse_rig, read_rig
from hybsim.runtime.deployment import Deployment
from hybsim.runtime.set_up import Options, fading, loop_set_up, rig_set_up
from hybsim.studies.indicators.preflight import preflight

RIGS = Path(diagrams.__file__).with_name("rigs")
G = 9.80665


@dataclass(frozen=True)
class Ready:
    """A diagram with its rig file; `whole` is how long its record lasts in s."""

    name: str
    file: str
    whole: float
    arguments: dict[str, Any] = field(default_factory=dict)

    def wired(self) -> Any:
        return getattr(diagrams, self.name)(**self.arguments)

    def cut(self) -> Any:
        return hs.compile(self.wired()).cut("rig")

    def rig(self) -> Any:
        return read_rig(RIGS / self.file)


READY = [
    Ready("virtual_rig", "virtual_rig.toml", 31.2, dict(specimen="linear")),
    Ready("virtual_rig", "virtual_rig.toml", 31.2, dict(specimen="bouc-wen")),
    Ready("psi_vrths", "psi_vrths.toml", 31.2),
    Ready("eerc_frame", "eerc_frame.toml", 19.0, dict(noise=0.0005)),
]
each = pytest.mark.parametrize(
    "ready", READY, ids=lambda ready: " ".join([ready.name, *map(str, ready.arguments.values())])
)


def test_every_rig_file_is_used_here():
    assert {file.name for file in RIGS.iterdir()} == {ready.file for ready in READY}


@each
def test_the_rig_file_fits_the_cut(ready):
    cut, rig = ready.cut(), ready.rig()
    assert rig.cut == "rig" and (rig.device.driver, rig.device.address) == ("shm", ready.file[:-5].replace("_", "-"))
    assert set(rig.commands) == {port.name for port in cut.commands}
    assert set(rig.measured) == {port.name for port in cut.measured}
    loop_set_up(cut, rig, Options())
    rig_set_up(cut, rig, Options())
    for channel in (*rig.commands.values(), *rig.measured.values()):
        assert math.frexp(channel.scale)[0] == 0.5 and channel.offset == 0.0, "conversions that keep the bits"


@each
def test_the_excitation_that_fades_is_what_moves_the_structure(ready):
    cut, rig = ready.cut(), ready.rig()
    program = cut.controller
    p, x = program.vectors({})
    p[fading(program, rig.free_vibration.excitation)] *= 0.5
    rows = [np.empty((3000, program.graph.columns)) for _ in range(2)]
    program.engine_c.run(*program.vectors({}), rows[0], None, None)
    program.engine_c.run(p, x, rows[1], None, None)
    full, half = (program.column(one, "load.out") for one in rows)
    assert np.abs(full).max() > 0.0
    np.testing.assert_array_equal(half, 0.5 * full)


@each
def test_the_cut_adds_no_tick_as_the_rig_answers_from_its_state(ready):
    """So the diagram as drawn and the one that is deployed are the same, to the bit, on both engines."""
    assert not ready.cut().late
    ticks = 400 if ready.name != "eerc_frame" else 2700
    program = hs.compile(ready.wired(), cut="rig")
    deployed, drawn = agreed(program, ticks * program.dt), hs.compile(ready.wired()).run(ticks * program.dt)
    for name in drawn.names:
        assert drawn[name].tobytes() == deployed[name].tobytes(), name


@pytest.mark.parametrize("ready", READY[1:], ids=lambda ready: ready.name)
def test_R15_the_loop_logs_what_simulate_computes_with_the_limits_of_the_rig_file(ready, tmp_path):
    text = (RIGS / ready.file).read_text().replace(ready.rig().device.address, unique("ready"))
    made = Deployment(ready.cut(), parse_rig(text, name=ready.file))
    duration = (2500 if ready.name == "eerc_frame" else 1500) * made.cut.dt
    told = rehearsed(made, tmp_path, duration)
    assert (told.done.state, told.done.causes, told.done.lost) == ("FINISHED", [], 0)
    simulated, advanced = made.cut.whole.run(duration), told["loop.advanced"] == 1
    channels = {f"command.{name}" for name in made.rig.commands} | {f"measured.{name}" for name in made.rig.measured}
    compared = [name for name in told.log.names if name not in channels and not name.startswith("loop.")]
    assert {"energy.hsei_i", "hardware/" + next(iter(ready.rig().measured)) + ".value"} <= set(compared)
    for name in compared:
        np.testing.assert_array_equal(told[name][advanced], simulated[name], err_msg=name)


# limits -------------------------------------------------------------------------------------


def beyond_stop(position, speed, acceleration, dt):
    """Where a command could be stopped: n ticks of falling speed, n = |v| / (a dt) rounded up."""
    n = np.ceil(np.abs(speed) / (acceleration * dt))
    return position + speed * dt * np.maximum(n - 1.0, 0.0) / 2.0


def off_track(error, speed, follower, velocity):
    """Error over what is allowed."""
    allowed = np.maximum(follower.tracking.least, follower.tracking.most * np.abs(speed) / velocity)
    return float((np.abs(error) / allowed).max())


@each
def test_the_whole_record_stays_within_the_limits_by_a_factor_of_about_two(ready):
    cut, rig = ready.cut(), ready.rig()
    names = [f"hardware/{name}.value" for name in (*rig.commands, *rig.measured)]
    kept = [*names, rig.energy.index, rig.energy.energy]
    histories = cut.whole.sweep([{}], duration=ready.whole, keep=kept)
    dt, used = 1.0 / rig.rate, {"velocity": 0.0, "acceleration": 0.0}
    for name, command in rig.commands.items():
        position = histories[f"hardware/{name}.value"][0]
        speed = np.diff(position, prepend=command.home) / dt
        change = np.diff(speed, prepend=0.0) / dt
        stopped = beyond_stop(position, speed, command.move.acceleration, dt)
        assert max(np.abs(position).max(), np.abs(stopped).max()) < 0.6 * command.soft.high
        used["velocity"] = max(used["velocity"], np.abs(speed).max() / command.soft.velocity)
        used["acceleration"] = max(used["acceleration"], np.abs(change).max() / command.soft.acceleration)
        for follower, measured in rig.measured.items():
            if measured.follows != name:
                continue
            shown = histories[f"hardware/{follower}.value"][0]
            # Read at a tick: the answer to the command of the tick before, in its own speed.
            assert off_track(position[:-1] - shown[1:], speed[:-1], measured, command.soft.velocity) < 0.8
            still = np.flatnonzero(np.diff(shown, prepend=0.0) == 0.0)
            assert np.ptp(position[: still.size]) < 0.5 * measured.noise_floor if still.size else True
    assert 0.3 < used["velocity"] < 0.6 and 0.4 < used["acceleration"] < 0.6, used
    for name, measured in rig.measured.items():
        shown = histories[f"hardware/{name}.value"][0]
        assert np.abs(shown).max() < 0.7 * measured.hard.high
        assert np.abs(np.diff(shown)).max() / dt < 0.7 * measured.hard.rate
    counted = histories[rig.energy.energy][0] >= rig.energy.floor
    assert np.mean(counted) > 0.1 and -histories[rig.energy.index][0][counted].min() < 0.7 * rig.energy.warn


# PSI's frame --------------------------------------------------------------------------------


def by_frequencies(accel, dt, horizon=None):
    """Displacement of PSI's frame in the frequency domain; None for the structure without any delay.

    Load on 98.4 kg; TS_1 as printed in Eq. 4.1; half a tick for the hold and one for communication.
    """
    size = 4 * 2 ** math.ceil(math.log2(len(accel)))
    s = 2j * np.pi * np.fft.rfftfreq(size, dt)
    physical = 24.6 * s**2 + 15.8 * s + 2.67e4
    if horizon is not None:
        ts_1 = 2.382e9 / (s**4 + 485.5 * s**3 + 1.317e5 * s**2 + 3.182e7 * s + 2.382e9)
        physical = physical * ts_1 * np.exp(-1.5 * s * dt) * (1.0 + s * horizon + 0.5 * (s * horizon) ** 2)
    whole = 73.8 * s**2 + 72.9 * s + 8.0e4 + physical
    return np.fft.irfft(-98.4 * np.fft.rfft(accel, size) / whole, size)[: len(accel)]


def nrmse(one, reference):
    """Eq. 4.4."""
    return np.sqrt(np.mean((one - reference) ** 2)) / np.ptp(reference)


@pytest.fixture(scope="module")
def psi_run():
    return hs.compile(psi_vrths(), cut="rig").run(31.2)


def test_psi_is_the_solution_in_the_frequency_domain(psi_run):
    exact = by_frequencies(psi_run["record.accel"], 1.0 / 4096.0, horizon=0.0)
    assert np.abs(exact).max() > 0.0025
    np.testing.assert_allclose(psi_run["structure.disp_target"], exact, rtol=0.0, atol=0.004 * np.abs(exact).max())


def test_psi_has_the_error_that_the_document_measured(psi_run):
    """0.8 % under the Chi-Chi record, with a delay of 14.8 ms; here El Centro and 13.7 ms."""
    reference = by_frequencies(psi_run["record.accel"], 1.0 / 4096.0)
    assert np.abs(psi_run["record.accel"]).max() == pytest.approx(0.061 * G, rel=1e-3)
    assert nrmse(psi_run["structure.disp_target"], reference) == pytest.approx(0.008, rel=0.25)
    assert pytest.approx(0.01372, abs=1e-5) == DELAY


def test_with_the_delay_made_up_for_the_error_is_a_tenth():
    led = hs.compile(psi_vrths(horizon=DELAY), cut="rig").run(31.2)
    reference = by_frequencies(led["record.accel"], 1.0 / 4096.0)
    assert nrmse(led["structure.disp_target"], reference) < 0.001
    assert led["energy.hsei_i"].min() > -0.001


def test_psi_may_go_with_and_without_compensation():
    """Mass and stiffness are shared alike, so that no further delay makes the loop unstable: PSI = infinity."""
    bare, led = preflight(psi_vrths(), "rig"), preflight(psi_vrths(horizon=DELAY), "rig")
    assert (bare.verdict, bare.cut_ticks, bare.delay_margin) == ("go", 0, math.inf)
    assert led.verdict == "go" and led.delay_margin > 8.0 / 4096.0
    assert bare.modes[0].damping == pytest.approx(0.0137, abs=2e-4)


# EERC's frame -------------------------------------------------------------------------------


def test_the_frame_in_the_laboratory_is_fig_6_1_to_the_bit():
    """With as many ticks a step; the transducers are quiet, as their noise is drawn more often here."""
    duration = 4.2 / 120.0
    drawn, deployed = (
        hs.compile(fig_6_1(ticks_per_step=1200)).run(duration),
        hs.compile(eerc_frame(), cut="rig").run(duration),
    )
    inside = {
        name: f"rig/{name}" for name in ("actuator1.delayed", "actuator2.delayed", "column1.force", "column2.force")
    }
    for name in drawn.names:
        if name not in ("noise.value", "position.out"):
            np.testing.assert_array_equal(drawn[name], deployed[inside.get(name, name)], err_msg=name)
    np.testing.assert_array_equal(drawn["position.out"], deployed["measured.out"])


@pytest.mark.parametrize(("specimen", "within"), [("linear", 1e-5), ("bouc-wen", 5e-3)])
def test_forty_ticks_a_step_have_the_response_of_twelve_hundred(specimen, within):
    """At forty the delay of actuator 2 falls between ticks and is interpolated: an error of f (1-f)/2 (omega dt)^2 of
    the displacement with f = 0.6, omega = 26 rad/s of the second mode, dt = 1/4000 s: 5e-6. The Bouc-Wen column takes
    the path in strides of a tick, longer ones at forty: most of 0.1 % of the largest displacement.
    """
    steps = []
    for diagram, ticks in ((fig_6_1, 40), (eerc_frame, 1200)):
        batch = hs.compile(diagram(specimen=specimen)).sweep([{}], duration=6.0, keep=["integrator.disp_target"])
        steps.append(batch["integrator.disp_target"][0][::ticks])
    assert np.abs(steps[0]).max() > 0.3
    np.testing.assert_allclose(*steps, rtol=0.0, atol=within * np.abs(steps[0]).max())


def test_the_index_of_the_guard_is_that_of_the_balance():
    """ENERGY adds the load's work in the structure; so does the balance, a step later. The rig's share is WORK = 4 times
    that at the actuators."""
    program = hs.compile(eerc_frame(specimen="linear", ticks_per_step=40))
    run = program.run(6.0)
    np.testing.assert_allclose(run["energy.e_error"][::40], 4.0 * run["error.e_error"][::40].sum(axis=1), atol=1e-12)
    assert run["energy.e_error"][-1] != 0.0
    np.testing.assert_allclose(run["energy.e_input"][::40][:-1], run["balance.e_input"][::40][1:], rtol=0.0, atol=1e-9)


def test_a_lag_without_lead_shows_in_the_index():
    """As in the document: -k tau over 2 zeta / omega_1 k of the viscous energy, tau = 90 ms / 120."""
    run = hs.compile(eerc_frame(specimen="linear", lag=(0.09, 0.09), lead=(0.0, 0.0), ticks_per_step=40)).run(10.0)
    omega = math.sqrt(2.8 * 386.1 / 4.0) * (math.sqrt(5.0) - 1.0) / 2.0
    expected = -0.09 / TIME_SCALE / (0.1 / omega) * 2.74 / 2.8
    assert run["energy.e_error"][-1] / run["balance.e_viscous"][-1] == pytest.approx(expected, rel=0.03)


def test_the_frame_may_go_and_what_stands_in_the_way_of_saying_so():
    """The check follows a pattern of up to 128 ticks, so 40 a step stand for 1200. Around rest a Bouc-Wen column is
    its spring."""
    found = preflight(eerc_frame(specimen="linear", ticks_per_step=40), "rig")
    yielding = preflight(eerc_frame(ticks_per_step=40), "rig")
    assert (yielding.verdict, yielding.radius) == ("go", pytest.approx(found.radius, abs=1e-9))
    assert (found.verdict, found.cut_ticks) == ("go", 0)
    assert found.delay_margin > 0.09 / TIME_SCALE, "even if the lead were left out"
    assert [mode.frequency for mode in found.modes] == pytest.approx([1.60, 4.20], abs=0.02)


def test_every_tick_draws_its_own_noise_and_the_integrator_has_none():
    quiet, noisy = (hs.compile(eerc_frame(noise=noise, ticks_per_step=40)).run(0.5) for noise in (0.0, 0.001))
    heard = noisy["measured.out"] - quiet["measured.out"]
    assert np.std(heard, axis=0) == pytest.approx([0.001, 0.001], rel=0.1)
    assert (np.diff(heard, axis=0) != 0.0).all()
    np.testing.assert_array_equal(quiet["integrator.disp_target"], noisy["integrator.disp_target"])


def test_an_unknown_specimen_is_refused():
    with pytest.raises(ParameterError, match="must be one of 'bouc-wen', 'linear', got 'steel'"):
        eerc_frame(specimen="steel")
