"""The numbers of docs/verification.md about monitors: every monitor is measured and agrees with its theory."""

from __future__ import annotations

import math

import pytest

from hybsim.blocks import CATALOGUE
from hybsim.studies.verification import monitor_rows, section_monitors
from hybsim.studies.verification.monitor_balance import Balance, Forms
from hybsim.studies.verification.section_monitors import order_failure, section


def test_every_number_agrees_with_its_theory():
    found = section()
    assert found.failures == []
    assert "nan" not in found.text


def test_every_monitor_is_measured():
    monitors = {n for n, cls in CATALOGUE.items() if cls.__module__.startswith("hybsim.blocks.monitors.")}
    # ENERGYBALANCE has tables of its own.
    assert {r.block for r in monitor_rows.rows()} | {"ENERGYBALANCE"} == monitors


@pytest.mark.parametrize(
    ("balance", "words"),
    [
        (Balance(0.01, 1e-3, 1e-9, 0.0), "the residual differs from its theory by 1.0e-09 of the input energy."),
        (Balance(0.01, 1e-3, 0.0, 1e-9), "Eq. 7.8 stays open by 1.0e-09 of the input energy."),
        (Balance(0.01, 1e-3, 0.0, math.nan), "Eq. 7.8 stays open by nan of the input energy."),
    ],
)
def test_a_balance_that_does_not_close_is_named_in_a_sentence(monkeypatch, balance, words):
    monkeypatch.setattr(section_monitors, "measure", lambda case, dt: balance)
    _, failures = section_monitors.balance()
    assert any(failure.endswith(words) for failure in failures)
    assert any("is of order 0.00, not 2" in failure for failure in failures)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Forms(-1.0, -1.0, 0.5, 1e-3), "E_M - E_T differs from the strain energy by 1.0e-03."),
        (Forms(1.0, -1.0, 0.0, 0.0), "Fig. 3-5, linear, lag of 3 ms: the energy errors 1 and -1 have a wrong sign."),
    ],
)
def test_forms_that_disagree_are_named_in_a_sentence(monkeypatch, found, words):
    monkeypatch.setattr(section_monitors, "forms", lambda case, dt: found)
    _, failures = section_monitors.both_forms()
    assert any(words in failure for failure in failures)


def test_orders_are_judged():
    assert order_failure("it", 1.95, 2.0, False) == order_failure("it", 2.9, 2.0, True) == []
    for order in (1.8, 2.2, math.nan):
        assert order_failure("it", order, 2.0, False) == [f"ENERGYBALANCE: it is of order {order:.2f}, not 2."]
