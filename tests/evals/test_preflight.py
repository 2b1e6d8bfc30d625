"""Pre-flight checks of whole diagrams: margins against runs and closed forms, verdicts, words and pictures."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import hybsim as hs
from hybsim.errors import DiagramError, ParameterError
from hybsim.runtime.export import plain
from hybsim.studies.indicators.delayed_system import DelayedSystem
from hybsim.studies.indicators.performance import ppi
from hybsim.studies.indicators.preflight import Thresholds, preflight

OMEGA, ZETA, DT = 10.0, 0.05, 0.001


def hybrid_test(
    *,
    dt: float = DT,
    zeta: float = ZETA,
    actuator=None,
    delay: float = 0.0,
    release: float = 0.0,
    integrator="NEWMARK",
    **options,
):
    """All stiffness in the rig, behind an actuator or a delay; let go from a displacement, or under a record."""
    bd = hs.BDSim().blockdiagram("hybrid", dt=dt)
    structure = getattr(bd, integrator)(
        mass=1.0, damping=2.0 * zeta * OMEGA, name="structure", initial_disp=release, **options
    )
    record = bd.GROUNDMOTION(name="record", record="elcentro", scale=0.0 if release else 9.81)
    bd.connect(bd.GAIN(-1.0, name="load", inputs=[record]), structure.load)

    def rig(sub, disp_cmd):
        moved = disp_cmd
        if actuator is not None:
            moved = sub.ACTUATOR(system=actuator, name="actuator", inputs=[moved])
        if delay:
            moved = sub.DELAY(delay=delay, initial=release, name="late", inputs=[moved])
        return {"force_meas": sub.SPRING(stiffness=OMEGA**2, name="specimen", inputs=[moved])}

    bd.connect(hs.subsystem(bd, rig, inputs=[structure[0]]), structure.force)
    return bd


def is_growing(bd, *, duration: float = 60.0) -> bool:
    disp = hs.compile(bd).run(duration=duration)["structure.disp_target"]
    part = len(disp) // 4
    return bool(np.abs(disp[-part:]).max() > np.abs(disp[part : 2 * part]).max())


# margins ------------------------------------------------------------------------------------


@pytest.mark.parametrize("zeta", [0.02, 0.05, 0.2])
def test_the_delay_margin_is_that_of_the_continuous_test(zeta) -> None:
    found = preflight(hybrid_test(zeta=zeta), "rig")
    exact = DelayedSystem(1.0, 2.0 * zeta * OMEGA, 0.0, 0.0, 0.0, OMEGA**2).critical()
    # Newmark's explicit method has no delay of its own, and an error of (omega dt)^2.
    assert found.margin.delay == pytest.approx(exact.delay, rel=1e-3)
    assert found.margin.frequency == pytest.approx(exact.frequency, rel=1e-4)
    assert found.stable_ticks == math.floor(found.margin.delay / DT)


@pytest.mark.parametrize("zeta", [0.02, 0.05])
def test_runs_die_out_up_to_the_margin_and_grow_beyond(zeta) -> None:
    ticks = preflight(hybrid_test(zeta=zeta), "rig").stable_ticks
    assert not is_growing(hybrid_test(zeta=zeta, release=0.01, delay=ticks * DT))
    assert is_growing(hybrid_test(zeta=zeta, release=0.01, delay=(ticks + 1) * DT))


def test_the_gain_margin_without_delay_is_that_of_the_integrator() -> None:
    # Explicit Newmark is stable for omega dt < 2, whatever the damping.
    found = preflight(hybrid_test(dt=0.05, zeta=0.2), "rig", cut_ticks=0)
    assert found.gain.upper == pytest.approx(4.0 / (OMEGA * 0.05) ** 2, rel=1e-9)
    assert found.gain.lower == 0.0


def test_a_gain_beyond_the_margin_is_unstable_in_a_run() -> None:
    found = preflight(hybrid_test(delay=0.004), "rig")
    for factor, grows in ((0.98, False), (1.02, True)):
        bd = hybrid_test(delay=0.004, release=0.01)
        program = hs.compile(bd)
        disp = program.run(duration=40.0, params={"rig/specimen.stiffness": factor * found.gain.upper * OMEGA**2})
        values = disp["structure.disp_target"]
        assert (np.abs(values[-8000:]).max() > np.abs(values[8000:16000]).max()) == grows


def test_two_actuators_at_once() -> None:
    mass, damping = np.diag([1.0, 1.5]), np.diag([0.8, 0.9])
    stiffness = np.array([[90.0, -40.0], [-40.0, 40.0]])
    bd = hs.BDSim().blockdiagram(dt=DT)
    structure = bd.NEWMARK(mass=mass, damping=damping, name="structure")
    bd.connect(bd.CONSTANT(np.zeros(2), name="zero"), structure.load)

    def rig(sub, disp_cmd):
        return {"force_meas": sub.COUPLEDSPRINGS(stiffness=stiffness, name="frame", inputs=[disp_cmd])}

    bd.connect(hs.subsystem(bd, rig, inputs=[structure[0]]), structure.force)
    found = preflight(bd, "rig")
    none = np.zeros((2, 2))
    exact = DelayedSystem(mass, damping, none, none, none, stiffness)
    assert found.margin.delay == pytest.approx(exact.critical_delay(), rel=2e-3)
    assert [2.0 * math.pi * mode.frequency for mode in found.modes] == pytest.approx(np.abs(exact.modes()), rel=1e-4)
    assert found.ppi is None
    assert "one load is needed, and there are 0" in found.no_error


def test_several_clocks_have_a_margin_by_whole_ticks() -> None:
    options = dict(integrator="FHT", stiffness=OMEGA**2, ticks_per_step=4, zeta=0.2)
    found = preflight(hybrid_test(**options), "rig")
    assert found.margin is None
    assert found.delay_margin == found.stable_ticks * DT > 0.0
    for ticks, grows in ((found.stable_ticks, False), (found.stable_ticks + 1, True)):
        assert is_growing(hybrid_test(**options, release=0.01, delay=ticks * DT)) == grows


# what a cut adds ----------------------------------------------------------------------------


def test_a_rig_that_answers_at_once_gets_a_tick() -> None:
    assert preflight(hybrid_test(), "rig", expected_delay=0.003).delay == pytest.approx(0.004)
    assert preflight(hybrid_test(delay=0.002), "rig", expected_delay=0.003).delay == pytest.approx(0.003)
    assert preflight(hybrid_test(actuator=([1.0], [0.002, 1.0])), "rig").cut_ticks == 0
    assert preflight(hybrid_test(), "rig", cut_ticks=0).delay == 0.0


@pytest.mark.parametrize("delay", [0.002, 0.0035, 0.02])
def test_the_radius_at_the_delay_is_that_of_a_diagram_with_it(delay) -> None:
    # 0.0035 s is between ticks: DELAY interpolates.
    expected = preflight(hybrid_test(delay=delay), "rig").radius
    found = preflight(hybrid_test(), "rig", cut_ticks=0, expected_delay=delay)
    assert found.radius_delayed == pytest.approx(expected, rel=1e-10)


# errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize("ticks", [1, 3, 6])
def test_ppi_is_that_of_the_continuous_test(ticks) -> None:
    found = preflight(hybrid_test(), "rig", cut_ticks=ticks)
    exact = ppi(1.0, 1.0, 0.0, ZETA, OMEGA * ticks * DT)
    assert found.ppi == pytest.approx(exact, rel=2e-3)
    assert found.error_ratio == pytest.approx(math.sqrt(4.0 * ZETA * exact), rel=1e-3)


def test_the_error_of_an_actuator_is_told_against_a_reference() -> None:
    actuator = ([1.0], [0.004, 1.0])
    found = preflight(hybrid_test(actuator=actuator), "rig", reference=hybrid_test())
    system = DelayedSystem(1.0, 2.0 * ZETA * OMEGA, 0.0, 0.0, 0.0, OMEGA**2, actuators=[actuator])
    # The command is held for a tick before the actuator: half a tick more.
    assert found.error_ratio == pytest.approx(system.performance(0.5 * DT).error_ratio[0], rel=0.02)
    assert preflight(hybrid_test(actuator=actuator), "rig").error_ratio == 0.0


# verdicts -----------------------------------------------------------------------------------


def test_go_marginal_and_no_go() -> None:
    easy = preflight(hybrid_test(zeta=0.2), "rig", expected_delay=0.001)
    assert easy.verdict == "go"
    thin = preflight(hybrid_test(), "rig", expected_delay=0.006)
    assert thin.verdict == "marginal"
    assert thin.reasons[0].startswith("The loop stays stable up to a further delay of 10.02 ms at the cut, 1.43 times")
    late = preflight(hybrid_test(), "rig", expected_delay=0.012)
    assert late.verdict == "no-go"
    assert "the test has 13 ms (1 tick of the cut and 12 ms expected): motions grow" in late.reasons[0]
    assert "Compensate at least 2.98" in late.reasons[0]


def test_a_diagram_that_is_unstable_as_drawn_is_no_go() -> None:
    found = preflight(hybrid_test(delay=0.02), "rig")
    assert found.verdict == "no-go"
    assert "The diagram as drawn is not stable" in found.reasons[0]
    assert found.margin.delay == 0.0
    assert found.stable_ticks == -1
    assert found.ppi is None


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("delay", 11.0, "times the delay of the test"),
        ("gain", 20.0, "The force of the rig"),
        ("damping", 0.99, "The mode at 1.59 Hz"),
        ("error", 0.01, "The error"),
    ],
)
def test_each_threshold_can_make_it_marginal(name, value, word) -> None:
    assert preflight(hybrid_test(), "rig").verdict == "go"
    found = preflight(hybrid_test(), "rig", thresholds=Thresholds(**{name: value}))
    assert found.verdict == "marginal"
    assert word in found.reasons[0]


def test_a_weaker_rig_that_stands_any_delay() -> None:
    # A specimen of a tenth of the stiffness beside strong damping: |L| < 1 at every frequency.
    bd = hs.BDSim().blockdiagram(dt=DT)
    structure = bd.NEWMARK(mass=1.0, damping=12.0, name="structure")
    bd.connect(bd.CONSTANT(0.0, name="zero"), structure.load)
    own = bd.SPRING(stiffness=90.0, name="own", inputs=[structure[0]])

    def rig(sub, disp_cmd):
        return {"force_meas": sub.SPRING(stiffness=10.0, name="specimen", inputs=[disp_cmd])}

    total = bd.SUM("++", name="total", inputs=[own, hs.subsystem(bd, rig, inputs=[structure[0]])])
    bd.connect(total, structure.force)
    found = preflight(bd, "rig", expected_delay=0.05)
    assert found.verdict == "go"
    assert (found.delay_margin, found.stable_ticks) == (math.inf, None)
    assert found.reasons[0] == "No delay at the cut makes the loop unstable."
    assert found.outcome().summary["delay_margin_s"] is None


def test_what_is_not_linear_is_warned_about() -> None:
    bd = hs.BDSim().blockdiagram(dt=DT)
    structure = bd.NEWMARK(mass=1.0, damping=1.0, name="structure")
    bd.connect(bd.CONSTANT(0.0, name="zero"), structure.load)

    def rig(sub, disp_cmd):
        return {"force_meas": sub.ELASTICPLASTIC(stiffness=100.0, yield_disp=0.01, name="specimen", inputs=[disp_cmd])}

    bd.connect(hs.subsystem(bd, rig, inputs=[structure[0]]), structure.force)
    found = preflight(bd, "rig")
    assert "Block 'rig/specimen' (ElasticPlastic) is not linear" in found.warnings[0]
    assert found.margin.delay == pytest.approx(preflight(hybrid_test(), "rig").margin.delay, rel=1e-6)


# the outcome --------------------------------------------------------------------------------


def test_the_outcome_says_it_all(tmp_path) -> None:
    found = preflight(hybrid_test(), "rig", expected_delay=0.002)
    outcome = found.outcome()
    assert outcome.title == "Pre-flight check of `hybrid`, cut at `rig`: " + found.verdict
    numbers = json.loads(json.dumps(plain(outcome.summary), allow_nan=False))
    assert numbers["delay_s"] == pytest.approx(0.003)
    assert numbers["delay_margin_s"] == pytest.approx(found.margin.delay)
    assert numbers["modes"][0]["frequency_hz"] == pytest.approx(OMEGA / (2.0 * math.pi), rel=1e-4)
    assert ("delay margin, by whole ticks", "10 ticks, 10 ms") in outcome.tables[0].rows
    outcome.pictures[0].draw().savefig(tmp_path / "preflight.png")
    assert (tmp_path / "preflight.png").stat().st_size > 10_000


def test_programs_are_checked_as_diagrams_are() -> None:
    assert preflight(hs.compile(hybrid_test()), "rig") == preflight(hybrid_test(), "rig")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (dict(expected_delay=-0.001), "expected_delay must be a finite number of seconds of at least 0"),
        (dict(cut_ticks=-1), "cut_ticks must be at least 0"),
        (
            dict(reference=hybrid_test(dt=0.002)),
            "The reference must have the tick, the loads and the signals into the cut",
        ),
    ],
)
def test_bad_input_is_refused(options, sentence) -> None:
    with pytest.raises(ParameterError, match=sentence):
        preflight(hybrid_test(), "rig", **options)


def test_a_cut_that_is_not_there_is_refused() -> None:
    with pytest.raises(DiagramError, match="There is no subsystem 'table' to cut at. Known: rig"):
        preflight(hybrid_test(), "table")
