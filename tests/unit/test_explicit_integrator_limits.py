"""The explicit integrators: ports, refusals, and warnings of ticks and parameters that let modes grow.

Expected limits are worked out by hand from the docstrings' formulas; equations: test_explicit_integrators.py.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from one_block import made, refusal

from hybsim.blocks.integrators.central_difference import CentralDifference
from hybsim.blocks.integrators.chang_explicit import ChangExplicit
from hybsim.blocks.integrators.cr_explicit import CRExplicit
from hybsim.blocks.integrators.gamma_function import GammaFunction
from hybsim.blocks.integrators.kr_alpha import KRAlpha
from hybsim.blocks.integrators.modified_newmark import ModifiedNewmark
from hybsim.blocks.integrators.momentum import MomentumNewmark
from hybsim.blocks.integrators.stability import StabilityWarning
from hybsim.errors import ParameterError

DT = 0.02
OWN = {
    CentralDifference: {},
    ModifiedNewmark: dict(alpha=0.3),
    GammaFunction: dict(coefficients=[0.4, 0.7]),
    ChangExplicit: {},
    CRExplicit: {},
    KRAlpha: dict(rho_inf=0.3),
    MomentumNewmark: {},
}
BUILT_ON_STIFFNESS = (GammaFunction, ChangExplicit, CRExplicit, KRAlpha)


def make(cls, dt=DT, **parameters):
    if cls in BUILT_ON_STIFFNESS:
        parameters.setdefault("stiffness", np.eye(len(np.atleast_2d(parameters.get("mass", 1.0)))))
    return made(cls, dt, **OWN[cls] | parameters)


@pytest.mark.parametrize("cls", OWN)
@pytest.mark.parametrize("mass", [1.0, [[1.0, 0.0], [0.0, 2.0]]])
def test_nothing_passes_through_within_a_tick(cls, mass):
    assert make(cls, mass=mass)._kernels.feedthrough == dict.fromkeys(("disp_target", "vel", "accel"), frozenset())


@pytest.mark.parametrize("cls", OWN)
@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"mass": -1.0}, "'mass' of block 'structure' must be positive definite, got -1;"),
        ({"mass": [[1.0, 2.0], [2.0, 1.0]]}, "its lowest eigenvalue is -1;"),
        ({"mass": np.eye(2), "stiffness": np.eye(2), "damping": 0.1}, "a mass of 2 x 2 and a damping of 1 x 1"),
        ({"mass": np.eye(2), "stiffness": 3.0}, "a mass of 2 x 2 and a stiffness of 1 x 1; give a stiffness of 2 x 2"),
        ({"mass": 1.0, "initial_vel": [1, 2]}, "1 degrees of freedom and 2 values of initial_vel"),
        ({"mass": 1.0, "stiffness": math.inf}, "must hold finite numbers only"),
        ({"mass": 1.0, "beta": 0.25}, "has no parameter 'beta'"),
    ],
)
def test_refusals_of_all_are_one_sentence(cls, parameters, words):
    assert words in refusal(make, cls, name="structure", **parameters)


@pytest.mark.parametrize(
    ("cls", "parameters", "words"),
    [
        (CentralDifference, {"damping": -2.0 / DT}, "cannot use this damping: M + dt/2 C is singular at dt = 0.02 s"),
        (ModifiedNewmark, {"damping": -2.0 / DT}, "cannot use this damping: M + dt/2 C is singular"),
        (
            MomentumNewmark,
            {"damping": -0.5 / DT, "ticks_per_step": 4},
            "cannot use this damping: M + h/2 C is singular",
        ),
        (ChangExplicit, {"stiffness": -4.0 / DT**2}, "cannot use this stiffness: M + dt/2 C + dt^2/4 K0 is singular"),
        (CRExplicit, {"stiffness": -4.0 / DT**2}, "cannot use this stiffness: 4 M + 2 dt C + dt^2 K0 is singular"),
        (
            KRAlpha,
            {"stiffness": -4.0 / DT**2, "rho_inf": 1.0},
            "cannot use this stiffness: M + gamma dt C + beta dt^2 K0",
        ),
        (ModifiedNewmark, {"alpha": -0.1}, "'alpha' of block 'structure' must be at least 0, got -0.1"),
        (ModifiedNewmark, {"rho": 0.1}, "'rho' of block 'structure' must be at most 0, got 0.1"),
        (GammaFunction, {"coefficients": [0.1, -0.2]}, "needs coefficients of at least 0, got [0.1, -0.2]"),
        (KRAlpha, {"rho_inf": 1.2}, "'rho_inf' of block 'structure' must be at most 1, got 1.2"),
        (MomentumNewmark, {"ticks_per_step": 0}, "must be at least 1, got 0"),
        (MomentumNewmark, {"ticks_per_step": 1.5}, "must be a whole number, got 1.5"),
    ],
)
def test_refusals_of_one_are_one_sentence(cls, parameters, words):
    assert words in refusal(make, cls, name="structure", mass=1.0, **parameters)


@pytest.mark.parametrize("cls", BUILT_ON_STIFFNESS)
def test_a_method_built_on_a_stiffness_needs_one(cls):
    with pytest.raises(ParameterError, match="needs stiffness= "):
        made(cls, DT, mass=1.0, **OWN[cls])


# Highest frequency 2 rad/s; the limits in omega h are those of the docstrings, worked out by hand.
WARNED = [
    (CentralDifference, {}, 1.0),
    (ModifiedNewmark, dict(alpha=0.3, rho=0.0), math.sqrt(4.0 / 1.6) / 2.0),
    (GammaFunction, dict(coefficients=[0.0]), 1.0),
    (GammaFunction, dict(coefficients=[0.25]), math.sqrt(2.0) / 2.0),  # W^2 (1/2 + W^2 / 4) = 2 at W^2 = 2
    (MomentumNewmark, dict(ticks_per_step=1), 1.0),
    (MomentumNewmark, dict(ticks_per_step=4), 0.25),
]


@pytest.mark.parametrize(("cls", "own", "longest"), WARNED)
def test_a_tick_above_the_stability_limit_warns_with_the_limit(cls, own, longest):
    parameters = dict(mass=np.diag([1.0, 2.0]), stiffness=np.diag([1.0, 8.0]), **own)
    step = longest * own.get("ticks_per_step", 1)
    with pytest.warns(StabilityWarning, match=rf"must not be longer than {step:.6g} s \(omega dt <= ") as caught:
        made(cls, 1.001 * longest, **parameters)
    assert "the highest frequency is 2 rad/s" in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made(cls, 0.999 * longest, **parameters)


@pytest.mark.parametrize("cls", [CentralDifference, ModifiedNewmark, MomentumNewmark])
def test_without_a_stiffness_the_tick_is_not_judged(cls):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(cls, 100.0, mass=1.0)


def test_negative_numerical_damping_of_low_modes_warns():
    """Modes with (omega dt)^2 < -rho/alpha: with alpha = 0.2, rho = -0.0008 and dt = 0.01 those below 6.32456 rad/s."""
    own = dict(mass=1.0, alpha=0.2, rho=-0.0008)
    with pytest.warns(StabilityWarning, match=r"gives modes below 6\.32456 rad/s negative numerical damping, so"):
        made(ModifiedNewmark, **own)
    with pytest.warns(StabilityWarning, match=r"negative numerical damping and the lowest is at 6\.32 rad/s"):
        made(ModifiedNewmark, stiffness=6.32**2, **own)
    with pytest.warns(StabilityWarning, match="gives modes of every frequency negative"):
        made(ModifiedNewmark, mass=1.0, alpha=0.0, rho=-0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made(ModifiedNewmark, stiffness=6.33**2, **own)
        made(ModifiedNewmark, mass=1.0, alpha=0.2, stiffness=0.0)
