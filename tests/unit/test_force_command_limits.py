"""Force-based commands: which virtual masses a late acceleration allows, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from one_block import refusal

from hybsim.blocks.generators.force_command import ForceCommand, ForceCommandModel

BLOCKS = pytest.mark.parametrize("cls", [ForceCommand, ForceCommandModel])
MASS = np.array([[4.0, 0.5, 0.0], [0.5, 3.0, 0.2], [0.0, 0.2, 2.0]])

# stability of a late acceleration -----------------------------------------------------------

STABLE = [0.0, 0.49, [0.49, 0.1, 0.3], np.array([[0.6, 0.25, 0.0], [-0.15, 0.2, 0.0], [0.0, 0.0, 0.1]])]
UNSTABLE = [0.51, 0.77, 1.0, [0.1, 0.6, 0.1], np.array([[0.4, 0.3, 0.0], [0.3, 0.4, 0.0], [0.0, 0.0, 0.1]])]


@pytest.mark.parametrize("alpha_m", [*STABLE, *UNSTABLE])
def test_the_criterion_is_the_spectral_radius_of_the_neutral_equation(alpha_m):
    """((E - alpha_m) M)^-1 alpha_m M, formed with the mass; the block needs the eigenvalues of alpha_m only."""
    full = alpha_m if np.ndim(alpha_m) == 2 else np.diag(np.broadcast_to(alpha_m, 3))
    virtual, physical = full @ MASS, (np.eye(3) - full) @ MASS
    singular = np.linalg.matrix_rank(physical) < 3
    radius = np.inf if singular else np.abs(np.linalg.eigvals(np.linalg.solve(physical, virtual))).max()
    for delay in (None, 1e-6, 0.02):
        if radius < 1.0 - 1e-12:
            ForceCommand(mass=MASS, alpha_m=alpha_m, accel_delay=delay)
        else:
            text = refusal(ForceCommand, mass=MASS, alpha_m=alpha_m, accel_delay=delay)
            assert "unstable with any delay of the measured acceleration" in text


@pytest.mark.parametrize("alpha_m", UNSTABLE)
def test_an_unstable_virtual_mass_is_allowed_if_told(alpha_m):
    ForceCommand(mass=MASS, alpha_m=alpha_m, accel_delay=0.02, allow_unstable=True)
    ForceCommand(mass=MASS, alpha_m=alpha_m, accel_delay=0.0)


def test_half_of_the_mass_is_warned_about():
    with pytest.warns(UserWarning, match="alpha_m of 1/2: with a delay .* errors grow slowly"):
        ForceCommand(mass=MASS, alpha_m=[0.1, 0.5, 0.2], accel_delay=0.02)


def test_the_sentence_says_how_fast_errors_grow():
    text = refusal(ForceCommand, name="command", mass=2.0, alpha_m=0.77)
    assert text.startswith("Block 'command': ForceCommand has an alpha_m of 0.77, but a virtual mass of more than half")
    assert "grows 3.35 times in each delay" in text and "FORCECOMMAND_MODEL" in text


# refusals -----------------------------------------------------------------------------------

BAD = [
    (dict(mass=0.0), "'mass' of block 'command' must be positive definite, got 0;"),
    (dict(mass=-1.0), "'mass' of block 'command' must be positive definite, got -1;"),
    (dict(alpha_m=1.2), "'alpha_m' of block 'command' must lie from 0 (all in the specimen) to 1 (all virtual), got 1.2"),
    (dict(alpha_c=-0.1), "'alpha_c' of block 'command' must lie from 0 (all in the specimen) to 1 (all virtual), got -0.1"),
    (dict(mass=MASS, alpha_f=[0.1, 0.2, 1.3]), "'alpha_f' of block 'command' must lie from 0 (all in the specimen) to 1 (all virtual), got 1.3"),
    (dict(mass=np.eye(2), alpha_f=[[0.6, 0.6], [0.6, 0.6]]), "got an eigenvalue of 1.2"),
    (dict(mass=np.eye(2), alpha_c=[[0.5, 0.3], [-0.3, 0.5]]), "got an eigenvalue of 0.5"),
    (dict(alpha_m=[[0.1, 0.2]]), "'alpha_m' of block 'command' must be a number or a square matrix, got shape (1, 2)"),
    (dict(alpha_m=np.nan), "'alpha_m' of block 'command' must hold finite numbers only"),
    (dict(alpha_m="half"), "'alpha_m' of block 'command' must be a number or an array of numbers"),
    (dict(mass=MASS, alpha_m=[0.1, 0.2]), "has a mass of 3 x 3 and an alpha_m of 2 numbers; give one number, 3 numbers or a matrix of 3 x 3"),
    (dict(mass=MASS, alpha_f=0.1 * np.eye(2)), "has a mass of 3 x 3 and an alpha_f of 2 x 2;"),
    (dict(mass=MASS, damping=np.eye(2)), "has a mass of 3 x 3 and a damping of 2 x 2; give a damping of 3 x 3, or 0 for none"),
    (dict(mass=MASS, influence=[1.0, 0.0]), "has 3 degrees of freedom and 2 values of influence; give one number, or 3"),
    (dict(alpha_l=1.5), "'alpha_l' of block 'command' must be at most 1, got 1.5"),
    (dict(mass=MASS, alpha_l=[0.1, 0.2, 0.3]), "'alpha_l' of block 'command' must be a single number, got [0.1, 0.2, 0.3]: one table has one acceleration"),
    (dict(inertia_on_table=-0.1), "'inertia_on_table' of block 'command' must be at least 0, got -0.1"),
    (dict(mass=MASS, alpha_m=0.2, inertia_on_table=0.5), "cannot put the inertia of this virtual mass on the table, which loads the degrees of freedom in the fixed ratio M^p R"),
    (dict(alpha_m=0.2, influence=0.0, inertia_on_table=0.5), "cannot put the inertia of this virtual mass on the table"),
]  # fmt: skip


@BLOCKS
@pytest.mark.parametrize(("parameters", "words"), BAD)
def test_refusals_are_one_sentence(cls, parameters, words):
    assert words in refusal(cls, name="command", **({"mass": 2.0} | parameters))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: ForceCommand(mass=2.0, accel_delay=-0.01),
            "'accel_delay' of block 'ForceCommand' must be at least 0, got -0.01",
        ),
        (
            lambda: ForceCommand(mass=2.0, alpha_m=1.0, inertia_on_table=0.5, accel_delay=0.0),
            "ForceCommand has an alpha_m of 1, which leaves the specimen without mass: there is nothing for a table to act on",
        ),
        (
            lambda: ForceCommandModel(mass=np.diag([2.0, 1.0]), alpha_m=[1.0, 0.5]),
            "ForceCommandModel has an alpha_m of 1, which leaves the specimen without mass: its acceleration does not follow",
        ),
        (lambda: ForceCommandModel(mass=2.0, accel_delay=0.0), "has no parameter 'accel_delay'"),
    ],
)
def test_refusals_of_one_form(make, words):
    assert words in refusal(make)
