"""Diagrams near rest: against closed forms, and tick by tick against the engine that runs them."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import hybsim as hs
from hybsim.errors import DiagramError
from hybsim.studies.eerc.critical_lag import LaggingTest
from hybsim.studies.indicators.linearise import LinearDiagram, linearise

RECORD = np.concatenate([[0.0], np.random.default_rng(4).normal(size=400)])


def hybrid_test(wire_rig, *, dt: float = 0.01, integrator: str = "NEWMARK", stiffness_of_rig: float = 100.0, **options):
    """A structure of mass 1 and damping 0.2 under a record; `wire_rig(sub, disp)` makes what the spring gets."""
    bd = hs.BDSim().blockdiagram(dt=dt)
    structure = getattr(bd, integrator)(mass=1.0, damping=0.2, name="structure", **options)
    record = bd.GROUNDMOTION(name="record", record=RECORD, record_dt=dt)
    bd.connect(bd.GAIN(-1.0, name="load", inputs=[record]), structure.load)

    def rig(sub, disp_cmd):
        return {"force_meas": sub.SPRING(stiffness=stiffness_of_rig, name="spring", inputs=[wire_rig(sub, disp_cmd)])}

    bd.connect(hs.subsystem(bd, rig, inputs=[structure[0]]), structure.force)
    return bd


def in_time(linear: LinearDiagram, load: np.ndarray) -> np.ndarray:
    """What the linear map says the rig is commanded under the load."""
    z, commands = np.zeros(len(linear.drawn[0].a)), []
    for k, value in enumerate(load):
        each = linear.drawn[k % linear.period]
        commands.append(each.g @ z + each.i @ [value])
        z = each.a @ z + each.e @ [value]
    return np.array(commands)


RIGS = {
    "nothing": lambda sub, disp: disp,
    "delay of whole ticks": lambda sub, disp: sub.DELAY(delay=0.03, name="late", inputs=[disp]),
    "delay between ticks": lambda sub, disp: sub.DELAY(delay=0.025, max_delay=0.2, name="late", inputs=[disp]),
    "sampled actuator": lambda sub, disp: sub.ACTUATOR_S(system=([1.0], [0.004, 1.0]), name="act", inputs=[disp]),
    "continuous actuator": lambda sub, disp: sub.ACTUATOR(system=([1.0], [0.02, 1.0]), name="act", inputs=[disp]),
    "two continuous blocks": lambda sub, disp: sub.ACTUATOR(
        system=([1.0], [0.02, 1.0]), name="second",
        inputs=[sub.GAIN(0.9, name="between", inputs=[sub.FIRSTORDER(time_constant=0.03, name="first", inputs=[disp])])],
    ),
    "hold of three ticks": lambda sub, disp: sub.HOLD(period=0.03, name="hold", inputs=[disp]),
    "first-order hold": lambda sub, disp: sub.FIRSTORDERHOLD(period=0.04, name="hold", inputs=[disp]),
    "predictor": lambda sub, disp: sub.PREDICTOR(horizon=0.02, name="ahead", inputs=[disp]),
    "filter": lambda sub, disp: sub.LOWPASS(cutoff=20.0, name="filter", inputs=[disp]),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGS)
def test_the_linear_map_is_what_the_engine_computes(name) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = hs.compile(hybrid_test(RIGS[name]))
    linear = linearise(program, cut="rig")
    assert linear.warnings == ()
    result = program.run(duration=4.0)
    commands = in_time(linear, result["record.accel"])[:, 0]
    expected = result["structure.disp_target"]
    assert np.abs(commands - expected).max() < 1e-9 * np.abs(expected).max()


@pytest.mark.parametrize(
    "integrator",
    ["CENTRALDIFFERENCE", "CR", "CHANG", "KRALPHA", "NEWMARK_BETA", "HHT", "OS", "ALPHA_OS", "FHT", "MOMENTUM"],
)
def test_every_integrator_has_a_linear_map(integrator) -> None:
    from hybsim.blocks import CATALOGUE

    known = CATALOGUE[integrator].params
    options = {"stiffness": 100.0} if "stiffness" in known else {}
    options |= {"rho_inf": 0.8} if "rho_inf" in known else {}
    options |= {"ticks_per_step": 4} if "ticks_per_step" in known else {}
    program = hs.compile(hybrid_test(RIGS["nothing"], integrator=integrator, **options))
    linear = linearise(program, cut="rig")
    result = program.run(duration=4.0)
    commands = in_time(linear, result["record.accel"])[:, 0]
    expected = result["structure.disp_target"]
    assert np.abs(commands - expected).max() < 1e-8 * np.abs(expected).max()


def test_a_slower_clock_makes_the_map_periodic() -> None:
    bd = hs.BDSim().blockdiagram(dt=0.01)
    slow = bd.clock(0.03)
    structure = bd.NEWMARK(mass=1.0, damping=0.2, name="structure", clock=slow)
    record = bd.GROUNDMOTION(name="record", record=RECORD, record_dt=0.01)
    bd.connect(record, structure.load)
    actuator = bd.ACTUATOR_S(system=([1.0], [0.004, 1.0]), name="act", inputs=[structure[0]])
    bd.connect(bd.SPRING(stiffness=100.0, name="spring", inputs=[actuator]), structure.force)
    program = hs.compile(bd)
    linear = linearise(program)
    assert linear.period == 3
    result = program.run(duration=4.0)
    z, found = np.zeros(len(linear.drawn[0].a)), []
    for k, value in enumerate(result["record.accel"]):
        found.append(z)
        z = linear.drawn[k % 3].a @ z + linear.drawn[k % 3].e @ [value]
    # The states of the structure come first: its displacement.
    expected = result["structure.disp_target"][::3]
    assert np.abs(np.array(found)[::3, 0] - expected).max() < 1e-9 * np.abs(expected).max()


@pytest.mark.parametrize("lag", [0.0, 0.2, 0.5, 2.0])
def test_the_radius_of_a_lagging_test_is_its_closed_form(lag) -> None:
    def rig(sub, disp):
        late = sub.LAG(mean=lag, name="lag")
        sub.connect(disp, late.disp_cmd)
        sub.connect(sub.NORMAL(name="noise"), late.noise)
        return late

    expected = LaggingTest(np.eye(1), 0.2 * np.eye(1), [100.0 * np.eye(1)], 0.01).radius(lag)
    linear = linearise(hybrid_test(rig), cut="rig")
    assert linear.radius == pytest.approx(expected, rel=1e-12)


def test_several_degrees_of_freedom() -> None:
    mass, damping = np.diag([1.0, 2.0]), np.array([[0.4, -0.1], [-0.1, 0.3]])
    stiffness = np.array([[300.0, -100.0], [-100.0, 100.0]])
    bd = hs.BDSim().blockdiagram(dt=0.01)
    structure = bd.NEWMARK(mass=mass, damping=damping, name="structure")
    bd.connect(bd.CONSTANT(np.zeros(2), name="zero"), structure.load)
    frame = bd.COUPLEDSPRINGS(stiffness=stiffness, name="frame", inputs=[structure[0]])
    bd.connect(frame, structure.force)
    expected = LaggingTest(mass, damping, [stiffness], 0.01).radius(0.0)
    assert linearise(bd).radius == pytest.approx(expected, rel=1e-12)


def test_only_the_loop_counts() -> None:
    bd = hybrid_test(RIGS["nothing"])
    bd.PEAKHOLD(name="peak", inputs=[bd.blocknames["structure"][0]])
    linear = linearise(bd, cut="rig")
    assert {block.node.name for block in linear.blocks} == {"structure", "load", "rig/spring"}
    assert (linear.commanded, linear.returned, linear.loads) == (
        ("structure.disp_target",), ("rig/spring.force",), ("record.accel",),
    )  # fmt: skip


def test_it_is_known_whether_the_rig_answers_within_the_tick() -> None:
    assert linearise(hybrid_test(RIGS["nothing"]), cut="rig").feeds_through
    assert not linearise(hybrid_test(RIGS["delay of whole ticks"]), cut="rig").feeds_through
    assert not linearise(hybrid_test(RIGS["continuous actuator"]), cut="rig").feeds_through


def test_broken_at_the_cut_and_closed_again_it_is_the_same() -> None:
    linear = linearise(hybrid_test(RIGS["delay between ticks"]), cut="rig")
    assert np.abs(linear.broken[0].closed() - linear.drawn[0].a).max() < 1e-12


# what is not linear -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("block", "options"),
    [
        ("SATURATION", dict(lower=-0.05, upper=0.05)), ("RATELIMIT", dict(rising=1.0, falling=1.0)),
    ],
)  # fmt: skip
def test_what_bends_later_is_taken_with_its_slope_and_named(block, options) -> None:
    linear = linearise(
        hybrid_test(lambda sub, disp: getattr(sub, block)(name="bends", inputs=[disp], **options)[0]), cut="rig"
    )
    assert linear.radius == pytest.approx(linearise(hybrid_test(RIGS["nothing"])).radius, rel=1e-9)
    assert "Block 'rig/bends'" in linear.warnings[0]
    assert "is not linear: it is taken with its slopes at rest" in linear.warnings[0]


def test_an_elastic_plastic_specimen_is_elastic_at_rest() -> None:
    bd = hs.BDSim().blockdiagram(dt=0.01)
    structure = bd.NEWMARK(mass=1.0, damping=0.2, name="structure")
    bd.connect(bd.CONSTANT(0.0, name="zero"), structure.load)
    specimen = bd.ELASTICPLASTIC(stiffness=100.0, yield_disp=0.001, name="specimen", inputs=[structure[0]])
    bd.connect(specimen, structure.force)
    linear = linearise(bd)
    assert linear.radius == pytest.approx(math.sqrt((1.0 - 0.001) / (1.0 + 0.001)), rel=1e-9)
    assert len(linear.warnings) == 1


def test_a_converter_is_taken_with_its_gain() -> None:
    linear = linearise(
        hybrid_test(lambda sub, disp: sub.QUANTISER(bits=18, range=1.0, name="adc", inputs=[disp])[0]), cut="rig"
    )
    assert linear.radius == pytest.approx(linearise(hybrid_test(RIGS["nothing"])).radius, abs=1e-6)
    assert "passes nothing of the smallest motions: it is taken with its gain for large ones" in linear.warnings[0]


REFUSED = {
    "passes nothing of small motions of input 'disp'": lambda sub, disp: sub.BACKLASH(
        gap=0.001, name="play", inputs=[disp]
    ),
    "has no slope at rest in input 'in0'": lambda sub, disp: sub.FUNCTION(math.fabs, name="size", inputs=[disp]),
    "changes from tick to tick without a period": lambda sub, disp: sub.DROPOUT(
        probability=0.5, name="losing", inputs=[disp]
    )[0],
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_has_no_slope_is_refused(sentence) -> None:
    with pytest.raises(DiagramError) as caught:
        linearise(hybrid_test(REFUSED[sentence]), cut="rig")
    assert str(caught.value).startswith("The diagram cannot be linearised: block 'rig/")
    assert sentence in str(caught.value)
    assert "for this check" in str(caught.value)


def test_a_diagram_without_a_loop_is_refused() -> None:
    bd = hs.BDSim().blockdiagram(dt=0.01)
    bd.SPRING(stiffness=1.0, name="spring", inputs=[bd.CONSTANT(0.0)])
    with pytest.raises(DiagramError, match="The diagram has no loop"):
        linearise(bd)


def test_a_cut_that_is_not_there_is_refused() -> None:
    with pytest.raises(DiagramError, match="There is no subsystem 'rigg' to cut at. Did you mean 'rig'"):
        linearise(hybrid_test(RIGS["nothing"]), cut="rigg")


def test_a_cut_outside_the_loop_is_refused() -> None:
    bd = hybrid_test(RIGS["nothing"])

    def watch(sub, disp):
        return {"scaled": sub.GAIN(2.0, name="scale", inputs=[disp])}

    hs.subsystem(bd, watch, inputs=[bd.blocknames["structure"][0]])
    with pytest.raises(DiagramError, match="The cut 'watch' is not in a loop"):
        linearise(bd, cut="watch")


def test_a_diagram_that_is_not_at_rest_is_taken_where_it_starts() -> None:
    offset = hybrid_test(lambda sub, disp: sub.SENSORERROR(offset=0.01, name="sensor", inputs=[disp]))
    linear = linearise(offset, cut="rig")
    assert any("is not at rest without loads" in sentence for sentence in linear.warnings)
    assert linear.radius == pytest.approx(linearise(hybrid_test(RIGS["nothing"])).radius, rel=1e-7)
