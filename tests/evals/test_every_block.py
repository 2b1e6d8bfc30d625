"""What holds for every block of the catalogue: documented, translatable, and the same bits in both engines."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from agreement import agreed, assert_same_bits

import hybsim as hs
from hybsim.blocks import CATALOGUE
from hybsim.kernel import External, KernelBlock

EVERY = pytest.mark.parametrize("name", CATALOGUE)
RUNNABLE = pytest.mark.parametrize("name", [name for name, cls in CATALOGUE.items() if not issubclass(cls, External)])
"""Blocks computed outside the program need what is there; test_external_blocks and test_opensees_model have it."""


WITHIN = {
    ("VARIABLEDELAY", "delay"): "max_delay",
    ("PREDICTOR_ADAPTIVE", "horizon"): "max_horizon",
}
"""Inputs that must stay from 0 to a parameter; beyond, the block stops the run."""


def lively(name: str):
    """The block alone, each input driven by a sine sweep of its own frequency and, on vectors, amplitude."""
    bd = hs.BDSim().blockdiagram(name.lower(), dt=0.001)
    block = getattr(bd, name)(name="block", **CATALOGUE[name].example)
    for number, port in enumerate(block.ins):
        sweep = bd.SINESWEEP(amplitude=1.5, f_start=0.7 + number, f_end=3.0 + number, duration=2.0)
        if (name, port) in WITHIN:
            most = CATALOGUE[name].example[WITHIN[name, port]]
            half = bd.GAIN(most / 3.0, inputs=[sweep])
            sweep = bd.SUM("++", inputs=[half, bd.CONSTANT(most / 2.0)])
        width = block.widths.get(port, 1)
        source = bd.MUX(width, inputs=[bd.GAIN(1.0 + 0.3 * i, inputs=[sweep]) for i in range(width)])
        bd.connect(source, block[number])
    return bd


@RUNNABLE
def test_engines_give_the_same_bits(name):
    result = agreed(hs.compile(lively(name)), 2.0)
    moved = [signal for signal in result.names if signal.startswith("block.") and np.ptp(result[signal]) > 0]
    assert moved, "nothing came out of the block"


@RUNNABLE
def test_a_run_is_the_same_twice(name):
    program = hs.compile(lively(name))
    assert_same_bits(program.run(0.5), program.run(0.5))


@EVERY
def test_everything_is_documented(name):
    cls = CATALOGUE[name]
    module = inspect.getmodule(cls)
    assert module.__doc__ and len(module.__doc__.strip().splitlines()) >= 3, "the module opens with its equation"
    assert cls.__doc__ and cls.__doc__.strip()[0].isupper()
    for prose in (*cls.ins.values(), *cls.outs.values(), *(p.prose for p in cls.params.values())):
        assert len(prose) > 3
    assert issubclass(cls, KernelBlock) and cls.outs


@EVERY
def test_an_unknown_keyword_is_refused_with_the_known_ones(name):
    bd = hs.BDSim().blockdiagram(dt=0.01)
    with pytest.raises(hs.HybsimError, match="has no parameter 'nonsense'"):
        getattr(bd, name)(name="block", nonsense=1.0, **CATALOGUE[name].example)
