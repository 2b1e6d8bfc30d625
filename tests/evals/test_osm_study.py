"""The OSM study: what it says beside the document, and what it does without OpenSees."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import hybsim as hs
from hybsim.diagrams.osm_columns import DAMPINGS, DT, column, damping_parts
from hybsim.diagrams.osm_models import INTEGRATORS, osm_model, osm_reference
from hybsim.studies.osm import fibre, osm, osm_figures, osm_runs
from hybsim.studies.osm.fibre import Workers
from hybsim.studies.osm.osm_runs import DURATION, MS, SEEDS, Found
from hybsim.studies.osm.stepping import integrate
from hybsim.studies.outcome import Settings
from hybsim.studies.verification import opensees_materials


@pytest.fixture(scope="module")
def told():
    return []


@pytest.fixture(scope="module")
def outcome(told):
    """Without OpenSees: its columns have tests of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fibre, "find_spec", lambda name: None)
        return osm.run(Settings(seed=1), told.append)


@pytest.fixture(scope="module")
def rows(outcome):
    return {(r["model"], r["damping"], r["integrator"]): r for r in outcome.data["rows"]}


def test_progress_runs_from_nothing_to_all(outcome, told):
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_every_combination_is_there(outcome, rows):
    assert set(rows) == {(m, d, i) for m in (1, 2, 3, 4) for d in DAMPINGS for i in INTEGRATORS}
    assert [r["m"] for r in outcome.data["influence_of_m"][: len(MS)]] == list(MS)
    assert (MS[0], MS[-1]) == (1, 80)
    assert all(len(row["changes"]) == SEEDS for row in outcome.summary["control_errors"])


def test_the_energy_index_is_equation_12(rows):
    """Computed anew from the signals of a run and an accurate solution of the same step, written out here."""
    result = hs.compile(osm_model(model=1, integrator="osm")).run(DURATION[1])
    fine = hs.compile(osm_model(model=1, integrator="osm", dt=DT[1] / 40)).run(DURATION[1])

    def disp(r, dt):
        later = r["integrator.accel"][1:].copy()
        later[0] = 0.0
        return r["integrator.disp_target"][:-1] + dt * dt / 4 * later

    d, true = disp(result, DT[1]), disp(fine, DT[1] / 40)[::40]
    expected = sum(abs(r * e) for r, e in zip(result["restoring.out"], d - true, strict=False))
    # The reference of the study is 20 times finer, not 40: errors of order two differ by about 1/400.
    assert rows[1, "none", "osm"]["energy_index"] == pytest.approx(expected, rel=0.02)


def test_the_gain_depends_on_the_definition_of_damping(rows):
    """ERRATA: it comes from damping by the tangent stiffness. OSM has the same run for both definitions."""
    for model in (1, 2, 3, 4):
        gain = {d: rows[model, d, "osm"]["energy_index"] / rows[model, d, "osm-us"]["energy_index"] for d in DAMPINGS}
        assert gain["tangent"] > 2.0
        assert gain["tangent"] > 1.8 * gain["initial"]
        assert 0.5 < gain["initial"] < 2.0
        assert rows[model, "tangent", "osm"]["peak_disp"] == rows[model, "initial", "osm"]["peak_disp"]


def test_springs_of_steel_say_the_same_of_damping(outcome):
    """Yielding springs of another shape: the tangent decides where damping follows it, and only there."""
    rows = {(r["model"], r["damping"], r["integrator"]): r["energy_index"] for r in outcome.data["steel"]}
    assert set(rows) == {(m, d, i) for m in (1, 2, 3, 4) for d in ("none", "tangent") for i in INTEGRATORS}
    for model in (1, 2, 3, 4):
        gains = [rows[model, d, "osm"] / rows[model, d, "osm-us"] for d in ("none", "tangent")]
        assert gains[1] > 1.0 and gains[1] > 1.2 * gains[0]


@pytest.mark.parametrize("model", (1, 2))
def test_the_reference_with_springs_of_steel_has_converged(model):
    """A step four times shorter still changes next to nothing."""
    expected = osm_runs.reference(model, "tangent", "steel")[0]
    fine = hs.compile(osm_reference(model=model, damping="tangent", springs="steel", finer=80)).run(DURATION[model])
    target, accel = (fine[f"integrator.{name}"].reshape(len(fine.t), -1)[:, -1] for name in ("disp_target", "accel"))
    disp = target[:-1] + 0.25 * (DT[model] / 80) ** 2 * accel[1:]
    np.testing.assert_allclose(disp[::80][1:], expected[1:], atol=1e-3 * np.abs(expected).max())


def test_the_printed_periods(outcome):
    table = next(t for t in outcome.tables if t.title.startswith("Periods"))
    printed = next(row for row in table.rows if row[0] == "Model 3")
    assert (f"{float(printed[1]):.1f}", f"{float(printed[2]):.1f}") == ("4.9", "0.8")
    assert printed[3] == "4.9, 0.8"


def test_control_errors_are_negligible_as_the_document_says(outcome):
    """White noise of variance 3e-7: its largest of n normal numbers is near sigma sqrt(2 ln 2n)."""
    rows = outcome.summary["control_errors"]
    n = SEEDS * 2 * 6001
    for row in rows:
        assert row["largest_control_error_in"] == pytest.approx(math.sqrt(3e-7 * 2 * math.log(2 * n)), rel=0.2)
        assert 0.0 < row["largest_change"] < 0.02


def test_the_theory_table_is_theory(outcome):
    table = next(t for t in outcome.tables if t.title.startswith("Stability"))
    exact = table.rows[0]
    # |lambda|^2 = 1 - 2 xi W / (1 + xi W + W^2/4)
    for cell, w in ((exact[4], 0.5), (exact[5], 2.0)):
        assert float(cell) == pytest.approx(math.sqrt(1 - 0.04 * w / (1 + 0.02 * w + w * w / 4)), abs=5.1e-5)
    assert [row[-1] for row in table.rows if row[0] == "underestimate"] == [f"{2 / math.sqrt(0.2):.3f}"]


def test_without_opensees_the_table_says_how_to_get_it(outcome):
    table = next(t for t in outcome.tables if "OpenSees" in t.title)
    assert "openseespy not installed" in table.rows[0][0]
    assert "pip install 'hybsim[opensees]'" in table.rows[0][0]
    assert all(picture.name != "fibre" for picture in outcome.pictures)
    assert len(outcome.summary["fibre"]["rows"]) == 1


def test_everything_needed_to_compute_it_again_is_published(outcome):
    told = json.loads(json.dumps(outcome.summary))
    assert told["record"]["pga_g"] == 0.36
    assert len(told["record"]["sha256"]) == 64
    assert told["seed"] == 1
    assert any("in^2" in erratum for erratum in told["errata"])
    assert told["dt_s"] == {"1": 0.005, "2": 0.005, "3": 0.005, "4": 0.002}
    assert set(told["damping"]) >= {"ratio", "initial", "tangent", "mass"}
    np.testing.assert_allclose(told["structures"]["2"]["stiffness_kip_in"], column(2).stiffness)


def test_every_picture_can_be_drawn(outcome):
    for picture in outcome.pictures:
        assert picture.draw().axes
        assert picture.explanation


def test_the_step_loop_is_that_of_the_blocks():
    """`stepping` runs a model like the diagram does, given the forces that the diagram measured."""
    made = column(1)
    dt, count = 0.005, 400
    for integrator in INTEGRATORS:
        result = hs.compile(osm_model(model=1, integrator=integrator, damping="tangent")).run(dt * (count - 1))
        forces = iter(result["restoring.out"])
        targets = []

        def replay(d, forces=forces, targets=targets):
            targets.append(float(d[0]))
            return np.array([next(forces)])

        a, b = damping_parts(1, "tangent")
        us = integrator == "osm-us"
        integrate(
            replay, mass=made.mass, stiffness=made.stiffness, load=result["load.out"].reshape(-1, 1), dt=dt,
            mass_damping=a, stiffness_damping=b, tangent=us, tangent_damping=us, m=2,
            alpha=-0.1 if integrator == "alpha-os" else 0.0,
        )  # fmt: skip
        np.testing.assert_allclose(targets, result["integrator.disp_target"], atol=1e-9)


# ---- OpenSees


def test_a_worker_that_fails_is_reported_not_raised(monkeypatch):
    monkeypatch.setattr(fibre, "missing", lambda: None)
    monkeypatch.setattr(fibre, "task", lambda storeys, duration: {"storeys": storeys})
    with Workers(timeout=20.0) as workers:
        found = workers.result()
    assert found.columns == {}
    assert "ended with code 1" in found.problem
    assert "Error" in found.problem


def test_a_worker_that_takes_too_long_is_ended(monkeypatch):
    monkeypatch.setattr(fibre, "missing", lambda: None)
    with Workers(timeout=0.01) as workers:
        assert "longer than 0.01 s" in workers.result().problem
    assert all(process.returncode is not None for process in workers.processes.values())


@pytest.fixture(scope="module")
def columns():
    if opensees_materials.missing():
        pytest.skip(opensees_materials.missing())
    with Workers(duration=2.5, timeout=60.0) as workers:
        found = workers.result()
    assert found.problem is None, found.problem
    return found


def test_the_fibre_column_has_the_stiffness_of_its_materials(columns):
    """3 EI / h^3 of the uncracked section: Concrete02 starts with 2 f'c / eps_c0."""
    outer, core, unconfined, confined = 20.0, 16.0, 2 * 6 / 0.002, 2 * 7.2 / 0.0045
    bars = 2 * (4 * 8.0**2 + 2 * (8.0 / 3) ** 2)
    ei = unconfined * (outer**4 - core**4) / 12 + confined * core**4 / 12 + 29000 * bars
    stiffness = columns.columns[1]["stiffness_kip_in"][0][0]
    # The weight has softened the parabola of the concrete a little, and fibres are lumped at their middle.
    assert stiffness == pytest.approx(3 * ei / 120**3, rel=0.1)
    period = 2 * math.pi * math.sqrt(100 / 386.1 / stiffness)
    assert columns.columns[1]["periods_s"][0] == pytest.approx(period, rel=1e-9)


@pytest.mark.parametrize("storeys", (1, 2, 6))
def test_the_integrators_follow_opensees(columns, storeys):
    """Damping by the mass is the same for both; by the tangent, OSM-US is the one that follows."""
    for name in INTEGRATORS:
        assert columns.run(storeys, "mass", name)["largest_error"] < 0.05
    better, worse = (columns.run(storeys, "tangent", name)["largest_error"] for name in ("osm-us", "osm"))
    assert better < 0.5 * worse


def test_the_picture_of_the_fibre_columns(columns):
    assert len(osm_figures.fibre(Found(fibre=columns)).axes) == 3
