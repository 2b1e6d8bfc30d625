"""The engines are what they say they are, and agree on every shipped diagram."""

from __future__ import annotations

import inspect

import bdsim
import numpy as np
import pytest
from agreement import agreed, assert_same_bits

import hybsim as hs
from hybsim import diagrams
from hybsim.diagrams.force_based import two_floors
from hybsim.errors import CompilerError, HybsimError
from hybsim.studies.verification.opensees_materials import missing

BOTH = [dict(specimen="linear"), dict(specimen="elastic-plastic")]
SHIPPED = {
    "fig_3_1": BOTH,
    "fig_3_5": BOTH,
    "error_injection": BOTH,
    "fig_6_1": [dict(specimen="linear"), dict(specimen="bouc-wen")],
    "table_8_10": [dict(case=case, model=model) for case in (1, 5) for model in ("linear", "elastoplastic")],
    "sdof_rths": [dict(), dict(rig="TS_1")],
    "psi_vrths": [dict(), dict(horizon=0.0137)],
    "eerc_frame": [dict(), dict(specimen="linear", ticks_per_step=40, noise=0.0005)],
    "virtual_rig": [dict(specimen="linear"), dict(specimen="bouc-wen")],
    "fht_column": [dict(), dict(rate=1024.0, step=10 / 1024, feedback_gain=0.5)],
    "fht_frame": [dict(), dict(iterated=True)],
    "force_based": [dict(**two_floors(), record="elcentro", alpha_m=[[0.3, 0.1], [0.1, 0.2]], alpha_l=0.5)],
    "table_3": [dict(case=case) for case in (1, 5, 6)],
    "osm_model": [dict(model=model, integrator=integrator, damping="tangent")
                  for model, integrator in ((1, "osm"), (2, "alpha-os"), (3, "osm-us"), (4, "osm-us"))],
    "osm_reference": [dict(damping="tangent", finer=4), dict(springs="steel", finer=4)],
}  # fmt: skip
TICKS = 1000


@pytest.mark.parametrize(
    ("name", "choice"), [(name, choice) for name, choices in SHIPPED.items() for choice in choices]
)
def test_all_engines_give_the_same_bits_on_every_shipped_diagram(name, choice):
    program = hs.compile(getattr(diagrams, name)(**choice))
    if program.graph.externals and missing():
        pytest.skip(missing())
    clocked = all(node.spec.kind != "continuous" for node in program.graph.nodes)
    bdsim_too = clocked and not program.graph.externals
    agreed(program, TICKS * program.dt, ("c", "python", "bdsim") if bdsim_too else ("c", "python"))


def test_every_public_diagram_is_tested_here():
    public = {n for n, f in vars(diagrams).items() if inspect.isfunction(f)}
    assert public == set(diagrams.__all__) == set(SHIPPED)


def test_with_bdsim_broken_only_the_bdsim_engine_fails(monkeypatch):
    program = hs.compile(diagrams.fig_3_5())

    def broken(*args, **kwargs):
        raise RuntimeError("bdsim is broken")

    monkeypatch.setattr(bdsim.BDSim, "run", broken)
    agreed(program, 1.0)
    with pytest.raises(HybsimError, match="bdsim is broken"):
        program.run(1.0, engine="bdsim")


@pytest.fixture
def no_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("HYBSIM_CC", "none")
    monkeypatch.setenv("HYBSIM_CACHE", str(tmp_path / "empty"))


def test_without_compiler_and_cache_c_says_why_and_python_still_runs(no_compiler):
    program = hs.compile(diagrams.fig_3_5())
    with pytest.raises(CompilerError, match="compiler"):
        program.run(1.0, engine="c")
    python = program.run(1.0, engine="python")
    assert python.engine == "python" and len(python.t) == 101
    with pytest.warns(UserWarning, match="Python engine"):
        default = program.run(1.0)
    assert default.engine == "python"
    assert_same_bits(default, python)


def test_without_compiler_a_sweep_runs_in_python(no_compiler):
    program = hs.compile(diagrams.fig_3_5())
    with pytest.warns(UserWarning, match="Python engine"):
        batch = program.sweep({"lag.mean": [0.0, 1.0]}, duration=0.5)
    assert_same_bits(program.run(0.5, engine="python", params={"lag.mean": 1.0}), _Run(batch, 1))


class _Run:
    """One run of a batch, seen as a result."""

    def __init__(self, batch, index):
        self.names, self.stopped = list(batch.names), batch.stopped[index]
        self._batch, self._index = batch, index

    def __getitem__(self, name):
        return self._batch[name][self._index]


def test_a_sweep_gives_the_bits_of_single_runs_whatever_the_number_of_threads():
    program = hs.compile(diagrams.fig_3_5())
    space = {"lag.mean": np.linspace(0.0, 1.0, 7), "noise.seed": range(9)}
    one, many = (program.sweep(space, duration=3.0, jobs=jobs) for jobs in (1, 4))
    assert one.shape == (7, 9) and len(one) == 63
    for name in one.names:
        np.testing.assert_array_equal(one[name], many[name])
    for index in (0, 31, 62):
        single = program.run(3.0, params=one.runs[index])
        assert_same_bits(single, _Run(one, index))
        assert one.peak("integrator.disp_target")[index] == single.peak("integrator.disp_target")
        assert one.final("energy.hsei_i")[index] == single.final("energy.hsei_i")


def test_a_sweep_keeps_only_what_is_asked_for():
    program = hs.compile(diagrams.fig_3_5())
    batch = program.sweep([{"lag.mean": 0.1}, {"lag.mean": 0.9}], duration=1.0, keep=["specimen.force"])
    assert batch.names == ["specimen.force"] and batch["specimen"].shape == (2, 101)
    with pytest.raises(HybsimError, match=r"'lag.applied' was not kept; add it to keep"):
        batch["lag.applied"]


def test_a_run_of_a_sweep_that_diverges_is_cut_like_a_single_run():
    """A lag of 30 ticks is far beyond the critical one: the response grows until it overflows."""
    program = hs.compile(diagrams.fig_3_5(variance=0.0))
    batch = program.sweep({"lag.mean": [0.0, 30.0]}, duration=300.0)
    with pytest.warns(UserWarning, match="Stopped at tick"):
        single = program.run(300.0, params={"lag.mean": 30.0})
    assert batch.stopped[0] is None
    assert str(batch.stopped[1]) == str(single.stopped)
    history = batch["integrator.disp_target"][1]
    np.testing.assert_array_equal(history[: len(single.t)], single["integrator.disp_target"])
    assert np.isnan(history[len(single.t) :]).all()


def test_a_sweep_without_values_is_refused():
    program = hs.compile(diagrams.fig_3_5())
    with pytest.raises(HybsimError, match="must be a list that is not empty"):
        program.sweep({"lag.mean": []}, duration=1.0)
    with pytest.raises(HybsimError, match="must be a list that is not empty"):
        program.sweep({"lag.mean": 0.3}, duration=1.0)
    with pytest.raises(HybsimError, match="at least one parameter set"):
        program.sweep([], duration=1.0)


def test_a_parameter_that_would_change_a_length_is_refused():
    bd = hs.BDSim().blockdiagram(dt=0.01)
    bd.DELAY(delay=0.03, name="delay", inputs=[bd.COSINEPULSE(amplitude=1.0, duration=1.0)])
    with pytest.raises(HybsimError, match="max_delay"):
        hs.compile(bd).run(1.0, params={"delay.delay": 0.5})


def test_a_delay_longer_than_the_run_is_refused():
    bd = hs.BDSim().blockdiagram(dt=0.01)
    bd.DELAY(delay=3.0, name="delay", inputs=[bd.COSINEPULSE(amplitude=1.0, duration=1.0)])
    with pytest.raises(HybsimError, match="'delay'.*longer than the run|longer"):
        hs.compile(bd).run(1.0)
