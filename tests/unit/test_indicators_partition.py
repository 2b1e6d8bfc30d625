"""The search for the best partition, against grids of partitions and what is known of one degree of freedom."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hybsim.errors import ParameterError
from hybsim.studies.indicators import sdof
from hybsim.studies.indicators.delayed_system import modal_damping
from hybsim.studies.indicators.partition import Part, PartitionFamily

FIRST = np.diag([1.0, 0.0])


@pytest.fixture
def frame() -> PartitionFamily:
    """Two storeys; mass and stiffness of the first floor may be tested."""
    stiffness = np.array([[200.0, -100.0], [-100.0, 100.0]])
    structure = np.eye(2), modal_damping(np.eye(2), stiffness, 0.03), stiffness
    return PartitionFamily(
        structure, [Part("mass", mass=FIRST, high=0.45), Part("storey", stiffness=100.0 * FIRST, low=0.3)]
    )


def test_the_best_partition_is_that_of_a_grid(frame) -> None:
    grid = [(mass, storey) for mass in np.linspace(0.0, 0.45, 16) for storey in np.linspace(0.3, 1.0, 15)]
    delays = [frame.system(dict(mass=mass, storey=storey)).critical_delay() for mass, storey in grid]
    place = int(np.argmax(delays))
    found = frame.best(most=120)
    assert found.critical.delay >= delays[place]
    assert found.critical.delay < 1.2 * delays[place]
    assert found.shares["mass"] == pytest.approx(grid[place][0], abs=0.03)
    assert found.shares["storey"] == pytest.approx(grid[place][1], abs=0.05)
    assert found.psi == pytest.approx(math.log(1000.0 * found.critical.delay))
    assert found.tried > 120


def test_constraints_are_kept(frame) -> None:
    free = frame.best(most=60)
    found = frame.best(
        constraints=[lambda shares: shares["storey"] - 0.6, lambda shares: 0.1 - shares["mass"]], most=60
    )
    assert found.shares["storey"] >= 0.6
    assert found.shares["mass"] <= 0.1
    assert found.critical.delay < free.critical.delay
    # The nearer the better: less stiffness and more mass in the specimen.
    assert found.shares["storey"] == pytest.approx(0.6, abs=1e-3)
    assert found.shares["mass"] == pytest.approx(0.1, abs=1e-3)


def test_equal_shares_of_mass_and_stiffness_are_best_for_one_degree_of_freedom() -> None:
    # PSI Sec. 2.1.1: the critical delay grows as |gamma - alpha| falls; here gamma = 0.7, alpha is free from 0.75 on.
    family = PartitionFamily(
        ([[1.0]], [[0.1]], [[1.0]]),
        [
            Part("mass", mass=[[1.0]], low=0.0, high=0.25),
            Part("rest", damping=[[0.1]], stiffness=[[1.0]], low=0.3, high=0.3001),
        ],
    )
    found = family.best(most=40)
    assert found.shares["mass"] == pytest.approx(0.25, abs=1e-3)
    assert found.critical.delay == pytest.approx(
        sdof.critical(1.0 - found.shares["mass"], 1.0 - found.shares["rest"], 1.0 - found.shares["rest"], 0.05).omega,
        rel=1e-6,
    )


def test_the_search_ends_with_a_partition_that_stands_any_delay() -> None:
    # gamma = alpha and beta > 1/2: unconditionally stable (PSI Eq. 2.21 as corrected).
    whole = Part("all", mass=[[1.0]], stiffness=[[1.0]], low=0.1, high=0.4)
    found = PartitionFamily(([[1.0]], [[0.1]], [[1.0]]), [whole]).best()
    assert found.critical.unconditional
    assert found.psi == math.inf
    assert found.tried < 20


def test_with_an_actuator_the_search_is_for_what_is_left(frame) -> None:
    family = PartitionFamily(frame.structure, frame.parts, actuators=[([1.0], [0.001, 1.0])])
    shares = dict(mass=0.2, storey=0.5)
    assert family.system(shares).critical_delay() == pytest.approx(
        frame.system(shares).critical_delay() - 0.001, rel=0.02
    )


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ([], "at least one of them, got []"),
        ([Part("a"), Part("a")], "need names that differ"),
        (
            [Part("a", low=0.5, high=0.5)],
            "The share of 'a' must lie between two limits, the lower first, got 0.5 and 0.5",
        ),
    ],
)
def test_parts_are_refused(parts, sentence) -> None:
    with pytest.raises(ParameterError) as caught:
        PartitionFamily(([[1.0]], [[0.1]], [[1.0]]), parts)
    assert sentence in str(caught.value)


def test_impossible_constraints_are_refused(frame) -> None:
    with pytest.raises(ParameterError, match="No partition within the limits of the shares meets all constraints"):
        frame.best(constraints=[lambda shares: shares["mass"] - 2.0], most=20)
