"""Mistakes in wiring that bdsim itself would answer with a traceback or not at all."""

from __future__ import annotations

import numpy as np
import pytest

import hybsim as hs
from hybsim.errors import BlockError, DiagramError


@pytest.fixture
def bd():
    return hs.BDSim().blockdiagram(dt=0.01)


def test_a_block_with_several_outputs_is_no_input_as_a_whole(bd):
    structure = bd.NEWMARK(mass=1.0, damping=0.1, name="structure")
    with pytest.raises(DiagramError, match=r"'structure' has 3 outputs .* name one of them: structure\.disp_target, "):
        bd.SPRING(stiffness=1.0, inputs=[structure])


@pytest.mark.parametrize(
    ("factory", "parameters", "kind"),
    [("SATURATION", dict(lower=-1.0, upper=1.0), "function"), ("FIRSTORDER", dict(time_constant=0.1), "continuous")],
)
def test_only_sampled_blocks_take_a_clock(bd, factory, parameters, kind):
    with pytest.raises(BlockError, match=f"Block 'odd' takes no clock: it is a {kind} block"):
        getattr(bd, factory)(name="odd", clock=bd.clock(0.1), **parameters)


def test_an_assert_on_a_slow_clock_speaks_at_its_own_tick_in_every_engine(bd):
    """The delay passes max_delay = 0.05 s at tick 502; the block looks at ticks 0, 7, ..., 497, 504."""
    ramp = bd.GROUNDMOTION(name="ramp", record=np.linspace(0.0, 0.06, 601), record_dt=0.01)
    late = bd.VARIABLEDELAY(name="late", max_delay=0.05, clock=bd.clock(0.07))
    bd.connect(ramp, late.signal, late.delay)
    program = hs.compile(bd)
    for engine in ("c", "python", "bdsim"):
        with pytest.warns(UserWarning, match="in block 'late', the delay is beyond max_delay"):
            assert program.run(6.0, engine=engine).stopped.tick == 504
