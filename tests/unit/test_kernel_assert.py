"""`assert` in a kernel: the run stops at that tick, with the reason, in every engine."""

from __future__ import annotations

import math

import numpy as np
import pytest
from asserting_blocks import Growth, Tank

import hybsim as hs
from hybsim.errors import KernelError
from hybsim.kernel.source import kernel_from_text


def tank(flow):
    bd = hs.BDSim().blockdiagram(dt=0.1)
    source = bd.GROUNDMOTION(name="source", record=np.asarray(flow, float), record_dt=0.1)
    Tank(bd=bd, name="tank", inputs=[source])
    return hs.compile(bd)


@pytest.mark.parametrize("engine", ["c", "python", "bdsim"])
def test_a_run_stops_where_the_condition_fails_and_keeps_what_came_before(engine):
    with pytest.warns(UserWarning, match=r"Stopped at tick 3 \(t = 0\.3 s\): in block 'tank', the tank holds 0 to 5\."):
        result = tank([2.0, 2.0, 1.0, 0.5, 0.0]).run(0.4, engine=engine)
    assert (result.stopped.tick, result.stopped.block) == (3, "tank")
    np.testing.assert_array_equal(result["tank.level"], [0.0, 2.0, 4.0])


@pytest.mark.parametrize("engine", ["c", "python"])
def test_the_first_assert_that_fails_speaks_also_in_a_kernel_called(engine):
    with pytest.warns(UserWarning, match="Stopped at tick 1 .* the level is 40 or more"):
        tank([2.0, 50.0, 0.0]).run(0.2, engine=engine)


@pytest.mark.parametrize("engine", ["c", "python"])
def test_a_run_that_keeps_to_the_condition_is_not_stopped(engine):
    assert tank([2.0, 2.0, 1.0, -5.0, 0.0]).run(0.4, engine=engine).stopped is None


def test_a_sweep_says_which_run_was_stopped_and_why():
    bd = hs.BDSim().blockdiagram(dt=0.1)
    Tank(bd=bd, name="tank", inputs=[bd.CONSTANT(1.0, name="flow")])
    batch = hs.compile(bd).sweep({"flow.value": [0.5, 2.0]}, duration=0.9)
    assert batch.stopped[0] is None and batch.stopped[1].reason == "the tank holds 0 to 5"


@pytest.mark.parametrize("engine", ["c", "python"])
def test_a_derivative_may_stop_a_run_within_a_step(engine):
    bd = hs.BDSim().blockdiagram(dt=0.125)
    Growth(bd=bd, name="growth")
    with pytest.warns(UserWarning, match="in block 'growth', the level has doubled"):
        result = hs.compile(bd).run(1.0, engine=engine)
    # exp(t) reaches 2 at t = 0.693: the step that begins at 0.625 ends beyond it
    assert result.stopped.tick == 5 and result["growth.level"][-1] == pytest.approx(math.exp(0.5), rel=1e-5)


def refused(text):
    lines = f"def update(u, x, p):\n    {text}\n    x.level = u.flow\n"
    cls = type("Odd", (Tank,), {"update": kernel_from_text(lines, "odd"), "__module__": __name__})
    bd = hs.BDSim().blockdiagram(dt=0.1)
    with pytest.raises(KernelError) as caught:
        cls(bd=bd, name="odd")
    return str(caught.value)


@pytest.mark.parametrize("text", ["assert u.flow > 0.0", "assert u.flow > 0.0, ''", "assert u.flow > 0.0, u.flow"])
def test_an_assert_says_why(text):
    assert 'does not say why; write `assert condition, "the delay is negative"`' in refused(text)


def test_an_assert_needs_a_condition():
    assert "'u.flow' is a float, not a condition" in refused("assert u.flow, 'why'")
