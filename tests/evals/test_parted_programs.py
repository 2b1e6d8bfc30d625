"""A program written as several C functions computes what it computes as one, and stops where it stops."""

import math

import numpy as np
import pytest
from agreement import agreed, alike, assert_same_bits

import hybsim as hs
from hybsim import diagrams
from hybsim.kernel import Ports, Prepared, Sampled, State, kernel
from hybsim.runtime import emit, parted_emitter
from hybsim.runtime.program import StoppedWarning


def loop_with_everything():
    """Continuous blocks that follow each other, vectors, two rates, and blocks computed in parts."""
    bd = hs.BDSim().blockdiagram("loop", dt=0.01)
    slow = bd.clock(0.03, name="slow")
    time = bd.TIME(name="time")
    load = bd.FUNCTION(lambda t: 2.0 * math.sin(3.0 * t), name="load", inputs=[time])
    net = bd.SUM("+--", name="net")
    vel = bd.INTEGRATOR(name="vel", inputs=[net])
    disp = bd.INTEGRATOR(name="disp", inputs=[vel])
    actuator = bd.ACTUATOR(system=((1.0,), (1e-3, 0.05, 1.0)), name="actuator", inputs=[disp])
    both = bd.MUX(2, name="both", inputs=[disp, actuator])
    held = bd.ZOH(slow, x0=[0.0, 0.0], name="held", inputs=[both])
    apart = bd.DEMUX(2, name="apart", inputs=[held])
    bd.SPRING(stiffness=2.0, width=2, name="springs", inputs=[both])
    specimen = bd.BOUCWEN_RATE(stiffness=4.0, yield_disp=0.3, alpha=0.1, name="specimen", inputs=[disp, vel])
    late = bd.DELAY(delay=0.02, name="late", inputs=[specimen])
    bd.DELAY(delay=0.035, width=2, name="both_late", inputs=[both])
    for port, source in enumerate((load, late, apart[1])):
        bd.connect(source, net[port])
    return bd


@pytest.fixture
def in_parts(monkeypatch):
    """Compile as if every program were large."""

    def compiled(bd, **options):
        with monkeypatch.context() as change:
            change.setattr(emit, "WHOLE", 0)
            change.setattr(parted_emitter, "PART", 2)
            program = hs.compile(bd, **options)
        assert "hs_outputs_0" in program.c_source
        return program

    return compiled


@pytest.mark.parametrize("solver", ["euler", "heun", "rk4"])
@pytest.mark.parametrize("make", [loop_with_everything, diagrams.fig_3_5, diagrams.fig_3_1])
def test_same_bits_as_one_function_and_as_python(in_parts, make, solver):
    parted, whole = in_parts(make(), solver=solver), hs.compile(make(), solver=solver)
    assert "hs_outputs_0" not in whole.c_source
    assert_same_bits(parted.run(3.0, engine="c"), agreed(whole, 3.0))


class Counter(Sampled):
    """Reads a table of three at a place that moves on, in `update`."""

    ins = Ports(signal="anything")
    outs = Ports(value="what was read last")
    state = State(k=0.0, value=0.0)

    @classmethod
    def prepare(cls, q, dt):
        return Prepared(p=dict(table=np.array([1.0, 2.0, 3.0])), x=cls.state)

    @kernel
    def outputs(u, x, p, y):
        y.value = x.value

    @kernel
    def update(u, x, p):
        x.value = p.table[int(x.k)]
        x.k += 1.0


def leaves_its_table():
    bd = hs.BDSim().blockdiagram("table", dt=0.1)
    Counter(bd=bd, name="counter", inputs=[bd.GAIN(2.0, name="double", inputs=[bd.TIME(name="time")])])
    return bd


def grows_beyond_all_numbers():
    bd = hs.BDSim().blockdiagram("growth", dt=0.1)
    squared = bd.FUNCTION(lambda v: v * v * 1e80, name="squared")
    memory = bd.DELAY(delay=0.1, initial=2.0, name="memory", inputs=[squared])
    bd.connect(memory, squared)
    return bd


@pytest.mark.parametrize("make", [leaves_its_table, grows_beyond_all_numbers])
def test_stops_where_one_function_stops(in_parts, make):
    with pytest.warns(StoppedWarning):
        expected = alike(hs.compile(make()), 5.0)
        parted = in_parts(make()).run(5.0, engine="c")
    assert expected.stopped is not None and 2 <= expected.stopped.tick <= 4
    assert_same_bits(parted, expected)
