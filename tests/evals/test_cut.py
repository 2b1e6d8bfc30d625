"""A cut: what crosses it, when, and that its halves together compute what the whole does."""

from __future__ import annotations

import doctest
import importlib

import numpy as np
import pytest
from agreement import agreed

import hybsim as hs
from hybsim.diagrams.virtual_rig import virtual_rig
from hybsim.errors import DiagramError

DT = 0.01


def structure_and_spring(*, cut: bool, delayed: bool = False):
    """A mass on a spring; the spring is `rig`, or, by hand, its force comes through a delay of one tick."""
    bd = hs.BDSim().blockdiagram("by_hand" if delayed else "small", dt=DT)
    ground = bd.GROUNDMOTION(record="elcentro", scale=77.2, name="ground")
    load = bd.GAIN(-0.2533, inputs=[ground], name="load")
    structure = bd.NEWMARK(mass=0.2533, damping=0.159, name="structure")
    bd.connect(load, structure.load)

    def rig(sub, disp_cmd):
        return {"force_meas": sub.SPRING(stiffness=10.0, name="spring", inputs=[disp_cmd])}

    if cut:
        force = hs.subsystem(bd, rig, inputs=[structure.disp_target])
    else:
        force = bd.SPRING(stiffness=10.0, name="spring", inputs=[structure.disp_target])
    if delayed:
        force = bd.DELAY(delay=DT, name="late", inputs=[force])
    bd.connect(force, structure.force)
    return bd


def test_a_rig_that_answers_within_the_tick_is_read_a_tick_later():
    """The cut is the diagram with a unit delay drawn into the feedback by hand, bit for bit."""
    by_hand = hs.compile(structure_and_spring(cut=False, delayed=True)).run(5.0)
    program = hs.compile(structure_and_spring(cut=True), cut="rig")
    result = agreed(program, 5.0, engines=("c", "python"))
    for name in ("disp_target", "vel", "accel"):
        assert np.array_equal(result[f"structure.{name}"], by_hand[f"structure.{name}"])
    assert not np.array_equal(
        by_hand["structure.disp_target"], hs.compile(structure_and_spring(cut=True)).run(5.0)["structure.disp_target"]
    )


def test_a_rig_that_answers_from_its_state_is_read_as_drawn():
    """TS_1 is strictly proper: what is sampled at tick k + 1 depends on commands up to k, cut or not."""
    drawn, cut = hs.compile(virtual_rig()), hs.compile(virtual_rig(), cut="rig")
    result, plain = agreed(cut, 5.0, engines=("c", "python")), drawn.run(5.0)
    for name in plain.names:
        if name in result.names:
            assert np.array_equal(result[name], plain[name]), name


def test_a_continuous_signal_crosses_at_the_ticks_only():
    """Of dx/dt = u with a ramp u = t across the cut, held over a tick: x_k = dt^2 k (k - 1) / 2; drawn: t^2 / 2."""
    bd = hs.BDSim().blockdiagram("ramp", dt=DT)
    ramp = bd.INTEGRATOR(name="ramp", inputs=[bd.CONSTANT(1.0, name="one")])

    def rig(sub, u):
        return {"x": sub.INTEGRATOR(name="area", inputs=[u])}

    block = hs.subsystem(bd, rig, inputs=[ramp])
    bd.GAIN(1.0, name="read", inputs=[block])
    k = np.arange(101)
    assert hs.compile(bd).run(1.0)["read.out"] == pytest.approx(0.5 * (k * DT) ** 2, abs=1e-12)
    assert hs.compile(bd, cut="rig").run(1.0)["read.out"] == pytest.approx(0.5 * DT**2 * k * (k - 1), abs=1e-12)


def test_before_the_first_tick_the_rig_answers_to_its_home():
    cut = hs.compile(structure_and_spring(cut=True)).cut("rig", home={"disp_cmd": 0.25})
    assert cut.late and cut.at_rest["force_meas"] == [2.5]
    assert cut.whole.run(0.05)["hardware/force_meas.value"][0] == 2.5


def halves_in_step(cut, ticks):
    """Controller and rig exchanged value by value in Python, as the head of runtime/cut.py says."""
    controller = cut.controller.engine_python({})
    rig = cut.rig.engine_python({})
    rows = {
        "controller": np.empty((ticks, cut.controller.graph.columns)),
        "rig": np.empty((ticks, cut.rig.graph.columns)),
    }

    def outputs(engine, k, row):
        engine._outputs(engine.steps, k, k * cut.dt)
        engine._log(row)

    def update(engine, k):
        for live in engine.sampled:
            if k % live.node.every == 0:
                engine._feed(live)
                live.node.kernels.python("update")(live.u, live.x, live.p, k * cut.dt)

    def given(engine, port):
        return next(v.x for v in engine.live if v.node.name == f"hardware/{port.name}")

    answer = {port.name: cut.at_rest[port.name].tolist() for port in cut.measured}
    for k in range(ticks):
        for port in cut.measured:
            given(controller, port).value = answer[port.name]
        outputs(controller, k, rows["controller"][k])
        for port in cut.commands:
            column = cut.controller.signal(port.source).column
            given(rig, port).value = rows["controller"][k, column : column + port.width].tolist()
        outputs(rig, k, rows["rig"][k])
        update(controller, k)
        update(rig, k)
        row = rows["rig"][k].copy()
        if not cut.late:
            outputs(rig, k + 1, row)
        for port in cut.measured:
            column = cut.rig.signal(port.source).column
            answer[port.name] = row[column : column + port.width].tolist()
    return rows


@pytest.mark.parametrize("make", [lambda: structure_and_spring(cut=True), lambda: virtual_rig(specimen="bouc-wen")])
def test_the_halves_exchanging_values_compute_what_the_whole_does(make):
    cut = hs.compile(make()).cut("rig")
    ticks = 400
    whole = cut.whole.run((ticks - 1) * cut.dt)
    rows = halves_in_step(cut, ticks)
    for half, name in ((cut.controller, "controller"), (cut.rig, "rig")):
        compared = [n for n in half.names if n in whole.names]
        assert len(compared) > 1
        for signal in compared:
            assert np.array_equal(half.column(rows[name], signal), whole[signal]), signal


def test_a_vector_port_is_one_channel_a_number():
    bd = hs.BDSim().blockdiagram("two", dt=DT)
    both = bd.MUX(2, name="both", inputs=[bd.CONSTANT(1.0, name="a"), bd.CONSTANT(2.0, name="b")])

    def rig(sub, disp_cmd):
        return {"force_meas": sub.SPRING(stiffness=3.0, width=2, name="springs", inputs=[disp_cmd])}

    bd.NULL(1, name="end", inputs=[hs.subsystem(bd, rig, inputs=[both])])
    cut = hs.compile(bd).cut("rig")
    assert [port.channels for port in cut.commands] == [["disp_cmd[0]", "disp_cmd[1]"]]
    assert cut.whole.run(0.02)["hardware/force_meas.value"].tolist() == [[0.0, 0.0], [3.0, 6.0], [3.0, 6.0]]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("rigg", "There is no subsystem 'rigg' to cut at. Did you mean 'rig'?"),
        ("structure", "There is no subsystem 'structure' to cut at."),
    ],
)
def test_what_is_no_subsystem_is_refused(name, says):
    with pytest.raises(DiagramError, match=says.replace("?", r"\?")):
        hs.compile(structure_and_spring(cut=True), cut=name)


def test_without_any_subsystem_the_way_to_make_one_is_told():
    with pytest.raises(DiagramError, match=r"no subsystem to cut at; make 'rig' one with hybsim\.subsystem"):
        hs.compile(structure_and_spring(cut=False), cut="rig")


def test_a_home_of_an_input_that_is_not_there_is_refused():
    with pytest.raises(DiagramError, match=r"'rig' has no input 'disp'\. Did you mean 'disp_cmd'\?"):
        hs.compile(structure_and_spring(cut=True)).cut("rig", home={"disp": 1.0})


def test_the_outside_reference_knows_of_no_cut():
    program = hs.compile(structure_and_spring(cut=True), cut="rig")
    with pytest.raises(hs.HybsimError, match="Engine 'bdsim' runs a diagram as it is drawn and knows of no cut"):
        program.run(0.1, engine="bdsim")


def test_a_model_in_opensees_cannot_be_part_of_a_test_in_real_time():
    bd = hs.BDSim().blockdiagram("slow", dt=DT)
    disp = bd.COSINEPULSE(amplitude=1.0, duration=1.0, name="disp")

    def rig(sub, disp_cmd):
        return {"force_meas": sub.SPRING(stiffness=3.0, name="spring", inputs=[disp_cmd])}

    force = hs.subsystem(bd, rig, inputs=[disp])
    bd.OPENSEESMODEL(name="frame", model="frame.py:build", interface=((1, 1),), inputs=[force])
    with pytest.raises(DiagramError, match="'frame' is computed outside the program"):
        hs.compile(bd).cut("rig")


@pytest.mark.parametrize("module", ["hybsim.runtime.cut", "hybsim.runtime.deployment", "hybsim.hw.rig_file"])
def test_the_examples_in_the_docstrings_run(module):
    found = doctest.testmod(importlib.import_module(module))
    assert found.attempted > 0 and found.failed == 0
