"""The choice of a splitting within capacities, beside closed forms and brute force."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest

from hybsim.errors import ParameterError
from hybsim.studies.force import capacities
from hybsim.studies.force.capacities import Capacities, Demands, Response, best, integrated

M, W, GAIN, DT, TABLE = 50.0, 2.0 * math.pi, 0.6, 0.005, 30.0
T = DT * np.arange(2000)


def response():
    """Ground sin(w t), x'' = GAIN sin(w t): all motions are one sine, and the peaks are sums of amplitudes."""
    s, c = np.sin(W * T), np.cos(W * T)
    return Response(mass=M, dt=DT, ground=s, accel=GAIN * s, vel=-GAIN * c / W, disp=-GAIN * s / W**2, table_mass=TABLE)


def closed_form(alpha_l, alpha_m, table_3=False):
    beta = 1.0 - alpha_l if table_3 else 0.0
    a = 1.0 - alpha_l + beta * alpha_m / (1.0 - alpha_m) * (1.0 + GAIN)
    force = M * ((1.0 - beta) * alpha_m * (1.0 + GAIN) + alpha_l * (1.0 - alpha_m))
    return dict(actuator_force=force, actuator_stroke=(a + GAIN) / W**2, actuator_velocity=(a + GAIN) / W,
                table_acceleration=a, table_stroke=a / W**2, table_velocity=a / W,
                table_payload=M * (1.0 - alpha_m), table_force=TABLE * a + M * (1.0 + GAIN))  # fmt: skip


@pytest.mark.parametrize("inertia", ["actuators", "table 3"])
@pytest.mark.parametrize("split", [(0.0, 0.0), (1.0, 0.0), (0.3, 0.5), (0.0, 0.9), (1.0, 0.77)])
def test_demands_of_a_sine_are_its_amplitudes(split, inertia):
    got, theory = Demands(response(), inertia=inertia).of(*split), closed_form(*split, inertia == "table 3")
    assert got == pytest.approx(theory, rel=1e-9, abs=1e-9)


def test_integration_leaves_slow_motion_out():
    vel, disp = integrated(np.sin(W * T) + 5.0 * np.sin(0.2 * W * T) + 3.0, DT, 0.5)
    np.testing.assert_allclose(vel, -np.cos(W * T) / W, atol=1e-9)
    np.testing.assert_allclose(disp, -np.sin(W * T) / W**2, atol=1e-9)


def test_force_against_acceleration_has_its_optimum_where_both_are_used_alike():
    """Without virtual mass a = 1 - alpha_l and F = M alpha_l: equal uses at alpha_l = F_max / (F_max + M a_max)."""
    found = best(Demands(response()), Capacities(actuator_force=40.0, table_acceleration=0.5))
    expected = 40.0 / (40.0 + M * 0.5)
    assert (found.alpha_l, found.alpha_m) == (pytest.approx(expected, abs=1e-4), pytest.approx(0.0, abs=1e-6))
    assert found.margin == pytest.approx(1.0 - (1.0 - expected) / 0.5, abs=1e-3)


@pytest.mark.parametrize("inertia", ["actuators", "table 3"])
@pytest.mark.parametrize(
    "capacities",
    [
        Capacities(actuator_force=70.0, table_acceleration=1.2, table_payload=40.0),
        Capacities(actuator_force=90.0, actuator_stroke=0.05, table_velocity=0.3, table_payload=30.0),
        Capacities(actuator_force=80.0, actuator_velocity=0.3, table_stroke=0.05, table_payload=45.0),
    ],
)
def test_the_best_splitting_is_that_of_brute_force(capacities, inertia):
    limits, uses = capacities.given(), {}
    for alpha_m in np.linspace(0.0, 0.95, 401):
        for alpha_l in np.linspace(0.0, 1.0, 401):
            demand = closed_form(alpha_l, alpha_m, inertia == "table 3")
            uses[alpha_m, alpha_l] = max(demand[name] / limit for name, limit in limits.items())
    least = min(uses.values())
    found = best(Demands(response(), inertia=inertia), capacities)
    assert found.use <= least + 1e-6
    assert found.use == pytest.approx(least, abs=0.01)


def test_nothing_feasible_is_refused_with_the_capacity_that_is_short():
    with pytest.raises(ParameterError) as caught:
        best(Demands(response()), Capacities(actuator_force=1.0, table_acceleration=0.01, table_stroke=9.0))
    assert "actuator_force" in str(caught.value) and "table_acceleration" in str(caught.value)
    assert "table_stroke" not in str(caught.value)


@pytest.mark.parametrize("given", [dict(), dict(actuator_force=0.0), dict(table_stroke=-1.0)])
def test_capacities_that_say_nothing_are_refused(given):
    with pytest.raises(ParameterError, match="capacity"):
        Capacities(**given)


def test_unknown_inertia_and_a_massless_specimen_are_refused():
    with pytest.raises(ParameterError, match="table 3"):
        Demands(response(), inertia="floor")
    with pytest.raises(ParameterError, match="below 1"):
        best(Demands(response()), Capacities(actuator_force=1.0), largest_virtual=1.0)


def test_the_example_of_a_frame_of_ones_own_runs():
    found = doctest.testmod(capacities)
    assert found.attempted >= 6 and found.failed == 0
