"""Models 1 to 4 of the OSM paper as whole diagrams, against theory and loops written out here."""

from __future__ import annotations

import math

import numpy as np
import pytest
from agreement import agreed
from scipy.integrate import solve_ivp

import hybsim as hs
from hybsim.blocks.sources.records import Record, load_record
from hybsim.diagrams.osm_columns import DAMPINGS, column, damping_parts
from hybsim.diagrams.osm_models import INTEGRATORS, osm_model, osm_reference
from hybsim.errors import ParameterError

G, WEIGHT = 386.1, 20.0
HARDENING, BETA, GAMMA = 0.05, 0.55, 0.45
"""The hinge: Bouc-Wen with exponent 2 and the block's own beta and gamma."""


def chain(n):
    """Hinges of a chain of rigid storeys: second differences of the floors' displacements, written out."""
    t = np.zeros((n, n))
    for i in range(n):
        t[i, i] = 1.0
        if i >= 1:
            t[i, i - 1] = -2.0
        if i >= 2:
            t[i, i - 2] = 1.0
    return t


def test_the_periods_of_model_3_are_printed_as_4_9_and_0_8():
    """The first is put in; the second follows from the shape of a cantilever with hinges."""
    first, second, *_ = column(3).periods
    assert first == pytest.approx(4.9, rel=1e-12)
    assert f"{first:.1f}" == "4.9"
    assert f"{second:.1f}" == "0.8"
    w = np.sqrt(np.linalg.eigvalsh(chain(6).T @ chain(6)))
    assert second == pytest.approx(4.9 * w[0] / w[1], rel=1e-10)


def test_one_column_for_all_models():
    """One hinge is a single spring; two give K = k [5 -2; -2 1] and lambda^2 - 6 lambda + 1 = 0."""
    k = column(1).springs[0]
    mass = WEIGHT / G
    assert column(1).periods[0] == pytest.approx(2 * math.pi * math.sqrt(mass / k), rel=1e-12)
    roots = np.array([3 - 2 * math.sqrt(2), 3 + 2 * math.sqrt(2)])
    np.testing.assert_allclose(column(2).frequencies, np.sqrt(k / mass * roots), rtol=1e-10)
    np.testing.assert_allclose(column(2).stiffness, k * np.array([[5, -2], [-2, 1]]), rtol=1e-12)


def test_model_4_is_two_beams():
    """The textbook stiffness of a beam, 12 6h 6h 4h^2, assembled over two storeys in (u, h theta)."""
    k = column(1).springs[0] / 3.0  # EI / h^3
    beam = k * np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]], dtype=float)
    whole = np.zeros((4, 4))
    # Positive rotations lean with the displacement: w = u, theta = dw/dx along the height.
    whole[:2, :2] += beam[2:, 2:]
    whole += beam
    np.testing.assert_allclose(column(4).stiffness, whole, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("model", (1, 2, 3, 4))
def test_damping_is_three_percent(model):
    made = column(model)
    root = np.sqrt(made.masses)
    squares = np.linalg.eigvalsh(made.stiffness / np.outer(root, root))
    a, b = damping_parts(model, "initial")
    ratios = (a + b * squares) / (2 * np.sqrt(squares))
    np.testing.assert_allclose(ratios[:2], 0.03, rtol=1e-9)
    a, b = damping_parts(model, "mass")
    assert (a / (2 * math.sqrt(squares[0])), b) == (pytest.approx(0.03), 0.0)
    assert damping_parts(model, "tangent") == damping_parts(model, "initial")


@pytest.mark.parametrize("model", (1, 2, 3, 4))
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_engines_agree(model, integrator):
    bd = osm_model(model=model, integrator=integrator, damping="tangent", error_variance=3e-7)
    agreed(hs.compile(bd), 0.6 if model != 3 else 0.3)


@pytest.mark.parametrize("damping", DAMPINGS)
def test_the_engines_agree_on_the_reference_and_on_steel(damping):
    agreed(hs.compile(osm_reference(model=2, damping=damping, finer=4)), 0.3)
    agreed(hs.compile(osm_model(model=4, integrator="osm-us", damping=damping, springs="steel")), 0.3)


# ---- loops written out


class Hinges:
    """Bouc-Wen springs of exponent 2, along the way from one deformation to the next in 200 midpoint steps."""

    def __init__(self, made):
        self.k, self.uy, self.d, self.z = made.springs, made.yields, np.zeros(len(made.springs)), 0.0 * made.springs

    def __call__(self, d):
        step = (d - self.d) / self.uy / 200

        def rise(z):
            return step * (1 - (BETA + GAMMA * np.sign(z * step)) * z * z)

        for _ in range(200):
            self.z = self.z + rise(self.z + 0.5 * rise(self.z))
        self.d = d
        return HARDENING * self.k * d + (1 - HARDENING) * self.k * self.uy * self.z


def ground(dt, count):
    record = load_record("elcentro")
    own = record.dt * np.arange(len(record.accel))
    return np.interp(dt * np.arange(count), own, record.accel) * 0.36 / np.abs(record.accel).max() * G


def loop(model, integrator, damping, dt, count, m, al=-0.1):
    """Targets by the equations of the paper, numpy only."""
    made = column(model)
    t, mass, k0 = made.transformation, np.diag(made.masses), made.stiffness
    a_, b_ = damping_parts(model, damping)
    al = al if integrator == "alpha-os" else 0.0
    beta, gamma = (1 - al) ** 2 / 4, 0.5 - al
    hinges, f = Hinges(made), -np.outer(ground(dt, count), made.masses * made.influence)
    n = len(mass)
    d_pred, v_pred, tangent, memory = np.zeros(n), np.zeros(n), k0.copy(), []
    d_old, r_old, turn, n_old = np.zeros(n), np.zeros(n), np.zeros(n), None
    targets = []
    for j in range(count):
        targets.append(d_pred)
        r = t.T @ hinges(t @ d_pred)
        if integrator == "osm-us" and j > 0:
            s, y = d_pred - d_old, r - r_old
            if np.abs(s).max() > 0.0:
                if s @ (d_old - turn) < 0:
                    tangent, memory, turn = k0.copy(), [(s, y)], d_old
                else:
                    memory = [*memory, (s, y)][-m:]
                    steps, forces = (np.array(part).T for part in zip(*memory, strict=True))
                    tangent = tangent + (forces - tangent @ steps) @ np.linalg.pinv(steps, rcond=0.01)
        d_old, r_old = d_pred, r
        c = a_ * mass + b_ * (tangent if damping == "tangent" else k0)
        if j == 0:
            acc = np.linalg.solve(mass, f[0] - r)
            d, v = d_pred, v_pred
            n_old = f[0] - r
        else:
            left = mass + (1 + al) * (gamma * dt * c + beta * dt * dt * tangent)
            acc = np.linalg.solve(left, (1 + al) * (f[j] - r - c @ v_pred) - al * n_old)
            d, v = d_pred + beta * dt * dt * acc, v_pred + gamma * dt * acc
            n_old = f[j] - r - c @ v - tangent @ (d - d_pred)
        d_pred, v_pred = d + dt * v + (0.5 - beta) * dt * dt * acc, v + (1 - gamma) * dt * acc
    return np.array(targets)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(("model", "damping"), [(1, "tangent"), (2, "tangent"), (2, "initial"), (4, "none")])
def test_a_diagram_gives_what_its_equations_give(model, damping, integrator):
    dt = 0.005 if model != 4 else 0.002
    count = 500
    result = hs.compile(osm_model(model=model, integrator=integrator, damping=damping, m=3)).run(dt * (count - 1))
    expected = loop(model, integrator, damping, dt, count, 3)
    seen = result["integrator.disp_target"].reshape(count, -1)
    np.testing.assert_allclose(seen, expected, atol=2e-4 * np.abs(expected).max())


def exact(model, damping, record, until):
    """The equation of motion with hinges in rate form; tangent damping is b dr/dt, exactly."""
    made = column(model)
    t, n = made.transformation, len(made.masses)
    a_, b_ = damping_parts(model, damping)
    accel, times = record.accel * G, record.dt * np.arange(len(record.accel))

    def slope(at, y):
        d, v, z = y[:n], y[n : 2 * n], y[2 * n :]
        rate = t @ v
        dz = rate / made.yields * (1 - (BETA + GAMMA * np.sign(z * rate)) * z * z)
        s = HARDENING * made.springs * (t @ d) + (1 - HARDENING) * made.springs * made.yields * z
        ds = HARDENING * made.springs * rate + (1 - HARDENING) * made.springs * made.yields * dz
        viscous = a_ * made.masses * v + b_ * (t.T @ ds if damping == "tangent" else made.stiffness @ v)
        load = -made.masses * made.influence * np.interp(at, times, accel)
        return np.concatenate([v, (load - viscous - t.T @ s) / made.masses, dz])

    start = np.zeros(2 * n + len(made.springs))
    return solve_ivp(slope, (0.0, until), start, rtol=1e-9, atol=1e-11, max_step=0.01).y[:n, -1]


def half_sine():
    """A smooth push that yields the columns; samples so close that interpolation does not matter."""
    t = 0.0005 * np.arange(1201)
    return Record("half sine", 0.5 * np.sin(math.pi * t / 0.6) ** 2, 0.0005)


@pytest.mark.parametrize(
    ("integrator", "damping"),
    [("osm", "initial"), ("alpha-os", "mass"), ("osm-us", "initial"), ("osm-us", "tangent"), ("osm-us", "none")],
)
def test_order_two(integrator, damping):
    """Half the step, a quarter of the error, before the first reversal where the tangent jumps."""
    expected, errors = exact(1, damping, half_sine(), 0.2)[0], []
    for dt in (0.01, 0.005, 0.0025):
        bd = osm_model(model=1, integrator=integrator, damping=damping, m=1, dt=dt, record=half_sine(), pga=None)
        errors.append(abs(hs.compile(bd).run(0.2)["integrator.disp_target"][-1] - expected))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 1.7).all(), (orders, errors)


@pytest.mark.parametrize("model", (1, 2))
@pytest.mark.parametrize("damping", DAMPINGS)
def test_the_reference_is_the_solution_of_the_differential_equation(model, damping):
    expected = exact(model, damping, half_sine(), 1.0)
    seen = hs.compile(osm_reference(model=model, damping=damping, record=half_sine(), pga=None)).run(1.0)
    last = np.atleast_1d(seen["integrator.disp_target"][-1])
    np.testing.assert_allclose(last, expected, atol=2e-3 * np.abs(expected).max())


# ---- refusals


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (dict(model=5), "no model 5"),
        (dict(integrator="newmark"), "must be one of 'osm'"),
        (dict(damping="modal"), "The damping must be one of"),
        (dict(springs="rubber"), "The springs must be one of"),
        (dict(integrator="alpha-os", alpha=-0.5), "outside -1/3 to 0"),
        (dict(integrator="alpha-os", alpha=0.1), "outside -1/3 to 0"),
        (dict(integrator="alpha-os", alpha=-0.2, stiffness_ratio=0.4), "No step is stable"),
        (dict(stiffness_ratio=0.0), "greater than 0"),
        (dict(integrator="osm", stiffness_ratio=0.1, dt=0.05), "above the stability limit"),
    ],
)
def test_what_cannot_work_is_refused(wrong, said):
    with pytest.raises(ParameterError, match=said):
        osm_model(**wrong)


def test_the_refused_step_really_is_unstable():
    """Model 2 in its elastic range, K0 known as a tenth: unstable above w2 dt = 2 / sqrt(0.9) until it yields."""
    limit = 2 / math.sqrt(0.9) / column(2).frequencies[-1]
    peaks = []
    for factor in (0.98, 1.02):
        program = hs.compile(osm_model(model=2, integrator="osm", dt=factor * limit, pga=0.0001))
        result = program.run(20.0, params={"integrator.stiffness": 0.1 * column(2).stiffness})
        peaks.append(np.abs(result["integrator.disp_target"]).max())
    assert peaks[1] > 10.0 * peaks[0]
    with pytest.raises(ParameterError, match=f"{limit:.4g}"):
        osm_model(model=2, integrator="osm", stiffness_ratio=0.1, dt=1.02 * limit)
