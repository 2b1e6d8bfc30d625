"""The predictor whose horizon is a signal: the coefficients of PREDICTOR, exactness, horizons that stop the run."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from one_block import made, refusal, stepped

import hybsim as hs
from hybsim.blocks.compensators.adaptive_predictor import AdaptivePredictor
from hybsim.blocks.compensators.polynomial_predictor import Predictor

DT = 0.01
SIGNAL = np.random.default_rng(5).normal(size=60)
make = partial(made, AdaptivePredictor, dt=DT, max_horizon=0.1)


@pytest.mark.parametrize("order", range(4))
@pytest.mark.parametrize(("stride", "horizon"), [(1, 0.0), (1, 0.0137), (3, 0.03), (2, 0.1)])
def test_a_constant_horizon_is_the_predictor(order, stride, horizon):
    fixed = stepped(made(Predictor, DT, horizon=horizon, order=order, spacing=stride * DT, initial=0.3), SIGNAL)
    got = stepped(make(order=order, spacing=stride * DT, initial=0.3), SIGNAL, np.full(60, horizon))
    assert got == pytest.approx(fixed, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("order", range(4))
def test_a_polynomial_of_its_order_is_predicted_exactly_at_any_horizon(order):
    polynomial = np.polynomial.Polynomial([0.5, -2.0, 3.0, 1.5][: order + 1])
    t = DT * np.arange(60)
    horizons = 0.05 + 0.05 * np.sin(0.3 * np.arange(60))
    got = stepped(make(order=order), polynomial(t), horizons)
    assert got[order:] == pytest.approx(polynomial(t + horizons)[order:], rel=1e-9, abs=1e-9)


def test_channels_share_the_horizon():
    signals, horizons = np.random.default_rng(6).normal(size=(60, 2)), np.linspace(0.0, 0.1, 60)
    alone = np.column_stack([stepped(make(), channel, horizons) for channel in signals.T])
    assert np.array_equal(stepped(make(width=2), signals, horizons), alone)


def test_ports_and_feedthrough():
    assert (AdaptivePredictor.inlabels, AdaptivePredictor.outlabels) == (["signal", "horizon"], ["command"])
    assert make()._kernels.feedthrough == {"command": frozenset({"signal", "horizon"})}


def predicted(horizon, engine):
    bd = hs.BDSim().blockdiagram(dt=DT)
    predictor = bd.PREDICTOR_ADAPTIVE(name="predictor", max_horizon=0.1)
    bd.connect(bd.SINESWEEP(f_start=1.0, f_end=2.0, duration=1.0), predictor.signal)
    bd.connect(bd.GROUNDMOTION(name="horizon", record=np.array(horizon), record_dt=DT), predictor.horizon)
    return hs.compile(bd).run((len(horizon) - 1) * DT, engine=engine)


@pytest.mark.parametrize("engine", ["c", "python"])
@pytest.mark.parametrize(
    ("horizon", "sentence"),
    [
        ([0.0, 0.05, -0.001, 0.05], "the horizon is negative or not a number; limit the signal"),
        ([0.0, 0.05, 0.1001, 0.05], "the horizon is beyond max_horizon; declare a larger one or limit the signal"),
    ],
)
def test_a_horizon_out_of_range_stops_the_run(engine, horizon, sentence):
    with pytest.warns(UserWarning):
        result = predicted(horizon, engine)
    assert result.stopped is not None and result.stopped.tick == 2
    assert sentence in str(result.stopped) and "predictor" in str(result.stopped)
    assert predicted([0.0, 0.05, 0.1, 0.05], engine).stopped is None


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (dict(max_horizon=0.0), "'max_horizon' of block 'AdaptivePredictor' must be greater than 0, got 0.0"),
        (dict(order=4), "'order' of block 'AdaptivePredictor' must be at most 3, got 4"),
        (dict(spacing=0.015), "spacing=0.015 s is 1.5 ticks of 0.01 s, but must be a whole number"),
        (dict(spacing=0.03, max_spacing=0.02), "longer than max_spacing=0.02 s; declare max_spacing="),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    assert sentence in refusal(make, **parameters)
