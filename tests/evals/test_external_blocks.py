"""Blocks computed outside the program: asked once a tick, the same bits in C and Python, a fault keeps the log."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from agreement import assert_same_bits

import hybsim as hs
from hybsim.blocks import CATALOGUE
from hybsim.errors import BlockError, RunError
from hybsim.kernel import External, ExternalFault, Params, Ports, Prepared, Real, kernel
from hybsim.runtime.program import StoppedWarning

LOG: list[tuple[str, float]] = []


class Creep:
    """y = [k u0 + n, u1], n the number of times it was asked."""

    def __init__(self, q: SimpleNamespace, dt: float, label: str) -> None:
        self.q, self.n = q, 0
        LOG.append(("open", q.gain))

    def step(self, t, inputs):
        assert all(np.isfinite(inputs)), "nan and inf stay inside"
        self.n += 1
        LOG.append(("step", t))
        if t >= self.q.fails_at:
            raise ExternalFault("the model did not converge")
        if t >= self.q.narrow_at:
            return [1.0]
        if t >= self.q.breaks_at:
            raise ZeroDivisionError("a mistake of the session")
        return [self.q.gain * inputs[0] + self.n, float("nan") if t >= self.q.nan_at else inputs[1]]

    def close(self):
        LOG.append(("close", 0.0))


def open_creep(q, dt, label):
    if q.gain < 0.0:
        raise RunError(f"Block {label!r}: the model has no node 7.")
    return Creep(q, dt, label)


NEVER = 1e9


class Outside(External):
    """y = k u + n."""

    ins = Ports(disp="two displacements")
    outs = Ports(force="force", second="the other one")
    params = Params(
        gain=Real("gain k", 2.0),
        fails_at=Real("s", NEVER),
        narrow_at=Real("s", NEVER),
        breaks_at=Real("s", NEVER),
        nan_at=Real("s", NEVER),
    )
    opener = open_creep

    @classmethod
    def prepare(cls, q, dt):
        return Prepared(widths=dict(disp=2))


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setitem(CATALOGUE, "OUTSIDE", Outside)
    LOG.clear()


def diagram(**given):
    bd = hs.BDSim().blockdiagram(dt=0.01)
    sine = bd.SINESWEEP(amplitude=1.5, f_start=0.7, f_end=3.0, duration=2.0, name="sine")
    pair = bd.MUX(2, inputs=[sine, bd.GAIN(3.0, inputs=[sine])])
    outside = bd.OUTSIDE(name="model", inputs=[pair], **given)
    bd.GAIN(2.0, name="after", inputs=[outside[0]])
    return bd


BOTH = pytest.mark.parametrize("engine", ["c", "python"])


@BOTH
def test_it_is_asked_once_a_tick_and_answers_within_it(engine):
    result = hs.compile(diagram(gain=4.0)).run(1.0, engine=engine)
    sine = result["sine.value"]
    expected = 4.0 * sine + np.arange(1, 102)
    np.testing.assert_array_equal(result["model.force"], expected)
    np.testing.assert_array_equal(result["model.second"], 3.0 * sine)
    np.testing.assert_array_equal(result["after"], 2.0 * expected)
    assert [kind for kind, _ in LOG] == ["open"] + ["step"] * 101 + ["close"]


@pytest.mark.parametrize("given", [{}, dict(fails_at=0.42), dict(nan_at=0.3), dict(narrow_at=0.2)])
def test_both_engines_give_the_same_bits_and_the_same_end(given):
    program = hs.compile(diagram(**given))
    with pytest.warns(StoppedWarning) if given else nullcontext():
        c, python = program.run(1.0, engine="c"), program.run(1.0, engine="python")
    assert_same_bits(c, python)
    assert str(c.stopped) == str(python.stopped)


@BOTH
def test_a_fault_ends_the_run_with_its_sentence_and_keeps_what_was_logged(engine):
    whole = hs.compile(diagram()).run(1.0, engine=engine)
    with pytest.warns(StoppedWarning):
        ended = hs.compile(diagram(fails_at=0.42)).run(1.0, engine=engine)
    assert str(ended.stopped) == ("Stopped at tick 42 (t = 0.42 s): in block 'model', the model did not converge.")
    assert ended.t.size == 42
    for name in whole.names:
        np.testing.assert_array_equal(ended[name], whole[name][:42])
    assert LOG[-1][0] == "close"


@BOTH
def test_an_answer_of_the_wrong_length_ends_the_run(engine):
    with pytest.warns(StoppedWarning):
        ended = hs.compile(diagram(narrow_at=0.2)).run(1.0, engine=engine)
    assert "the answer has 1 number(s) where 2 are wanted" in str(ended.stopped) and ended.t.size == 20


@BOTH
def test_a_nan_from_outside_is_named_with_its_output(engine):
    with pytest.warns(StoppedWarning):
        ended = hs.compile(diagram(nan_at=0.3)).run(1.0, engine=engine)
    assert str(ended.stopped) == "Stopped at tick 30 (t = 0.3 s): output 'second' of block 'model' became nan."
    assert [kind for kind, _ in LOG].count("step") == 31, "nothing is asked after it"


@BOTH
def test_a_nan_inside_is_blamed_on_the_block_it_came_from(engine):
    bd = hs.BDSim().blockdiagram(dt=0.01)
    ramp = bd.RAMP(T=0.0, slope=1.0, name="ramp")
    huge = bd.GAIN(1e308, name="huge", inputs=[bd.GAIN(10.0, inputs=[ramp])])
    bd.OUTSIDE(name="model", gain=0.0, inputs=[bd.MUX(2, inputs=[huge, ramp])])
    with pytest.warns(StoppedWarning):
        ended = hs.compile(bd).run(1.0, engine=engine)
    assert ended.stopped is not None and ended.stopped.block == "huge"


@BOTH
def test_a_mistake_of_the_session_is_raised_and_everything_is_closed(engine):
    with pytest.raises(ZeroDivisionError, match="a mistake of the session"):
        hs.compile(diagram(breaks_at=0.1)).run(1.0, engine=engine)
    assert LOG[-1][0] == "close"


@BOTH
def test_what_cannot_be_opened_is_refused_before_the_first_tick(engine):
    with pytest.raises(RunError, match="'model': the model has no node 7"):
        hs.compile(diagram(gain=-1.0)).run(1.0, engine=engine)
    assert LOG == []


@BOTH
def test_parameters_of_the_run_reach_the_session(engine):
    program = hs.compile(diagram(gain=4.0))
    program.run(0.1, engine=engine, params={"model.gain": 9.0})
    assert LOG[0] == ("open", 9.0)


@BOTH
def test_on_a_slower_clock_it_is_asked_less_often_and_held(engine):
    bd = hs.BDSim().blockdiagram(dt=0.01)
    ramp = bd.RAMP(T=0.0, slope=1.0, name="ramp")
    pair = bd.MUX(2, inputs=[ramp, ramp])
    bd.OUTSIDE(name="model", gain=0.0, clock=bd.clock(0.05), inputs=[pair])
    result = hs.compile(bd).run(0.2, engine=engine)
    np.testing.assert_array_equal(result["model.force"], np.arange(21) // 5 + 1.0)


def test_it_is_not_asked_inside_an_integration_step():
    bd = hs.BDSim().blockdiagram(dt=0.01)
    lag = bd.ACTUATOR(system=([1.0], [0.01, 1.0]), name="lag")
    outside = bd.OUTSIDE(name="model", gain=1.0, inputs=[bd.MUX(2, inputs=[lag, lag])])
    bd.connect(outside[0], lag)
    program = hs.compile(bd)
    assert_same_bits(program.run(0.5, engine="c"), program.run(0.5, engine="python"))
    assert [kind for kind, _ in LOG].count("step") == 2 * 51


def test_two_threads_share_the_library_but_not_the_session():
    program = hs.compile(diagram())
    alone = {gain: program.run(1.0, engine="c", params={"model.gain": gain})["model.force"] for gain in (1.0, 2.0)}
    found = {}

    def work(gain):
        found[gain] = program.run(1.0, engine="c", params={"model.gain": gain})["model.force"]

    threads = [threading.Thread(target=work, args=(gain,)) for gain in alone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for gain, force in alone.items():
        np.testing.assert_array_equal(found[gain], force)


def test_in_a_large_program_written_in_parts():
    bd = diagram(fails_at=0.42)
    source = bd.CONSTANT(1.0)
    for _ in range(700):
        source = bd.GAIN(1.0, inputs=[source])
    program = hs.compile(bd)
    assert "hs_outputs_1" in program.c_source
    with pytest.warns(StoppedWarning):
        c, python = program.run(1.0, engine="c"), program.run(1.0, engine="python")
    assert_same_bits(c, python)
    assert str(c.stopped) == str(python.stopped) and c.t.size == 42


def test_the_bdsim_engine_and_sweeps_refuse_in_a_sentence():
    program = hs.compile(diagram())
    with pytest.raises(RunError, match="Engine 'bdsim' evaluates a block several times a tick and cannot run 'model'"):
        program.run(0.1, engine="bdsim")
    with pytest.raises(RunError, match="A sweep cannot run block 'model'"):
        program.sweep({"model.gain": [1.0, 2.0]}, duration=0.1)


def test_an_algebraic_loop_through_it_is_refused():
    bd = hs.BDSim().blockdiagram(dt=0.01)
    outside = bd.OUTSIDE(name="model")
    pair = bd.MUX(2, inputs=[outside[0], bd.CONSTANT(1.0)])
    bd.connect(pair, outside)
    with pytest.raises(hs.HybsimError, match="Algebraic loop"):
        hs.compile(bd)


def test_it_can_have_no_kernels():
    class Both(Outside):
        """Two ways to compute the same output."""

        @kernel
        def update(u, x, p):
            pass

    with pytest.raises(BlockError, match="can have no kernels"):
        Both.kernels()
