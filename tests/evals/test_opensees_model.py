"""OPENSEESMODEL: a model in a process of its own whose end, silence or failure ends the run and keeps the log.

Most tests use a stand-in for openseespy that knows springs to ground, so that they run without OpenSees; those that
need the real one are skipped with the reason where it is missing.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from agreement import assert_same_bits

import hybsim as hs
from hybsim.errors import HybsimError, ParameterError, RunError
from hybsim.hw import opensees_process
from hybsim.runtime.program import StoppedWarning
from hybsim.studies.verification.opensees_materials import missing

STAND_IN = """
import os, sys, time
print("the banner of the code")          # must not get into the frames
springs, moved = {}, {}
def wipe(): springs.clear()
def spring(node, k): springs[node] = k
def getNodeTags(): return list(springs)
def nodeDisp(node): return [0.0, 0.0]
def getFixedDOFs(node): return [2]
def sp(node, dof, disp): moved[node] = disp
def nodeReaction(node, dof): return springs[node] * moved[node]
def analyze(n):
    print("step", moved)
    if abs(moved[1]) > 1.0:
        print("WARNING: the tangent is singular", file=sys.stderr, flush=True)
        return ending()
    return 0
def ending(): return -3
def __getattr__(name):
    if name.startswith("__"): raise AttributeError(name)
    return lambda *args: None
"""

MODEL = """
import os, signal, time

def build(ops, ending="converges not", k=7.0):
    ops.spring(1, k)
    ops.spring(2, 2.0 * k)
    if ending == "exit":
        ops.ending = lambda: os._exit(9)
    elif ending == "crash":
        ops.ending = lambda: os.kill(os.getpid(), signal.SIGSEGV)
    elif ending == "hang":
        ops.ending = lambda: time.sleep(60)
    elif ending == "nan":
        ops.ending = lambda: ops.spring(2, float("nan")) or 0
    elif ending == "mistake":
        raise KeyError("section")
"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    package = tmp_path / "openseespy"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "opensees.py").write_text(STAND_IN)
    (tmp_path / "spring_model.py").write_text(MODEL)
    monkeypatch.syspath_prepend(str(tmp_path))
    return f"{tmp_path / 'spring_model.py'}:build"


def diagram(model, interface=((1, 1), (2, 1)), **given):
    bd = hs.BDSim().blockdiagram(dt=0.01)
    ramp = bd.RAMP(T=0.0, slope=2.0, name="ramp")
    pair = bd.MUX(2, inputs=[ramp, bd.GAIN(-1.0, inputs=[ramp])])
    bd.OPENSEESMODEL(name="model", model=model, interface=interface, inputs=[pair], **given)
    return bd


BOTH = pytest.mark.parametrize("engine", ["c", "python"])


def test_the_forces_are_those_of_the_model_in_both_engines(model):
    program = hs.compile(diagram(model, arguments=dict(k=3.0)))
    result = program.run(0.5, engine="c")
    ramp = result["ramp.out"]
    np.testing.assert_array_equal(result["model.force"], np.stack([3.0 * ramp, -6.0 * ramp], axis=1))
    assert_same_bits(result, program.run(0.5, engine="python"))


def test_a_model_of_an_installed_module_is_found_by_its_name(model):
    result = hs.compile(diagram("spring_model:build")).run(0.1)
    np.testing.assert_array_equal(result["model.force"][:, 0], 7.0 * result["ramp.out"])


@BOTH
@pytest.mark.parametrize(
    ("ending", "sentence"),
    [
        ("exit", "the process of the model ended with code 9 at the displacements [1.02, -1.02]"),
        ("crash", "the process of the model was ended by SIGSEGV at the displacements [1.02, -1.02]"),
        ("hang", "the process of the model did not answer within 0.5 s at the displacements [1.02, -1.02]"),
        ("converges not", "the model did not converge at the displacements [1.02, -1.02]"),
        ("nan", "output 'force' of block 'model' became nan"),
    ],
)
def test_whatever_ends_the_model_the_log_is_kept_and_the_reason_said(model, ending, sentence, engine):
    program = hs.compile(diagram(model, arguments=dict(ending=ending), timeout=0.5))
    start = time.monotonic()
    with pytest.warns(StoppedWarning):
        ended = program.run(2.0, engine=engine)
    assert time.monotonic() - start < 10.0
    assert ended.stopped is not None and ended.stopped.time == pytest.approx(0.51)
    assert sentence in str(ended.stopped)
    assert "the tangent is singular" in str(ended.stopped) or ending == "nan"
    np.testing.assert_array_equal(ended["model.force"][:, 0], 7.0 * 2.0 * ended.t)
    assert ended.t.size == 51


REAL = """
import os

def yielding(ops, ending="converges not"):
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    for node in (1, 2, 3):
        ops.node(node, 0.0)
    ops.fix(1, 1)
    ops.uniaxialMaterial("ElasticPP", 1, 100.0, 0.01)
    ops.uniaxialMaterial("Elastic", 2, 300.0)
    ops.element("zeroLength", 1, 1, 3, "-mat", 1, "-dir", 1)
    ops.element("zeroLength", 2, 3, 2, "-mat", 2, "-dir", 1)
    if ending == "abort":
        react, asked = ops.reactions, []
        ops.reactions = lambda: os.abort() if len(asked) >= 20 else asked.append(react())
"""


@pytest.mark.skipif(missing() is not None, reason=missing() or "")
@pytest.mark.parametrize("ending", ["converges not", "abort"])
@BOTH
def test_the_real_one_that_fails_ends_the_run_and_keeps_the_log(tmp_path, ending, engine):
    """A spring of 100 that yields at 0.01 behind one of 300: 75 u up to u = 1/75, reached between ticks 19 and 20.

    An elastic step takes two iterations, the second to see that nothing is left; where the stiffness changes, three.
    """
    (tmp_path / "yielding.py").write_text(REAL)
    bd = hs.BDSim().blockdiagram(dt=0.01)
    bd.OPENSEESMODEL(
        name="model", model=f"{tmp_path / 'yielding.py'}:yielding", interface=[(2, 1)], tolerance=1e-12,
        iterations=2 if ending == "converges not" else 9,
        arguments=dict(ending=ending), inputs=[bd.RAMP(T=0.0, slope=0.0672, name="ramp")],
    )  # fmt: skip
    with pytest.warns(StoppedWarning):
        ended = hs.compile(bd).run(1.0, engine=engine)
    assert ended.t.size == 20
    np.testing.assert_allclose(ended["model.force"], 75.0 * ended["ramp.out"], rtol=1e-9, atol=1e-12)
    said = "did not converge" if ending == "converges not" else "was ended by SIGABRT"
    assert said in str(ended.stopped) and "at the displacements [0.01344]" in str(ended.stopped)


@pytest.mark.parametrize(
    ("interface", "sentence"),
    [
        (((1, 1), (8, 1)), "Block 'model' cannot begin: the model has no node 8; its nodes are 1, 2"),
        (((1, 1), (2, 5)), "node 2 of the model has degrees of freedom 1 to 2, not 5"),
        (((1, 1), (2, 2)), "degree of freedom 2 of node 2 is fixed in the model"),
    ],
)
def test_an_interface_the_model_does_not_have_is_refused_before_the_run(model, interface, sentence):
    program = hs.compile(diagram(model, interface))
    with pytest.raises(RunError) as error:
        program.run(0.1)
    assert sentence in str(error.value)


def test_a_model_that_cannot_be_built_is_refused_with_the_reason(model):
    file = model.rpartition(":")[0]
    for name, given, sentence in [
        (model, dict(ending="mistake"), "failed: KeyError: 'section'"),
        (f"{file}:other", {}, "has no function 'other'"),
        ("nowhere.py:build", {}, "there is no file of the model 'nowhere.py:build'"),
        ("no_such_package.module:build", {}, "there is no file of the model"),
    ]:
        with pytest.raises(HybsimError) as error:
            hs.compile(diagram(name, arguments=given)).run(0.1)
        assert sentence in str(error.value)


def test_a_model_that_is_not_built_in_time_is_given_up(model, tmp_path):
    (tmp_path / "slow.py").write_text("import time\ndef build(ops):\n    time.sleep(60)\n")
    with pytest.raises(RunError, match="did not answer within 0.4 s while the model was built and was killed"):
        hs.compile(diagram(f"{tmp_path / 'slow.py'}:build", start_timeout=0.4)).run(0.1)


@pytest.mark.parametrize(
    "given",
    [dict(model="no function"), dict(interface=[1, 2]), dict(interface=[(1, 1), (1, 1)]), dict(arguments=dict(a=[1]))],
)
def test_parameters_that_make_no_sense_are_refused(given):
    bd = hs.BDSim().blockdiagram(dt=0.01)
    with pytest.raises(ParameterError, match="must be"):
        bd.OPENSEESMODEL(name="model", **{**dict(model="a:b", interface=[(1, 1)]), **given})


def test_the_manifest_has_the_hash_of_the_model(model):
    about = hs.compile(diagram(model)).run(0.1).manifest["blocks"]["model"]
    file = Path(model.rpartition(":")[0])
    assert about["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert about["model"] == "spring_model.py:build"


def test_every_process_is_gone_after_the_run(model, monkeypatch):
    started = []
    inner = subprocess.Popen

    def popen(*args, **options):
        started.append(inner(*args, **options))
        return started[-1]

    monkeypatch.setattr(opensees_process.subprocess, "Popen", popen)
    hs.compile(diagram(model)).run(0.1)
    with pytest.warns(StoppedWarning):
        hs.compile(diagram(model)).run(1.0)
    assert len(started) == 2 and all(process.poll() is not None for process in started)


def test_the_process_dies_with_the_one_that_started_it(model):
    """Killed in the middle of a step that would take a minute, its parent takes it along."""
    script = textwrap.dedent(f"""
        from hybsim.hw.opensees_process import ModelProcess
        import sys
        process = ModelProcess(step_timeout=60.0)
        process.start(dict(model={model!r}, arguments=dict(ending="hang"), interface=[[1, 1]], tolerance=1e-9,
                           iterations=9, path=[{os.path.dirname(model)!r}, *sys.path]), timeout=30.0)
        print(process.process.pid, flush=True)
        process.step(0.0, [2.0])
    """)
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert Path(f"/proc/{child}").exists()
    time.sleep(0.2)
    parent.kill()
    parent.wait()
    until = time.monotonic() + 5.0
    while _alive(child) and time.monotonic() < until:
        time.sleep(0.02)
    parent.stdout.close()
    assert not _alive(child)


def _alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not yet asked for its code does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.skipif(missing() is not None, reason=missing() or "")
def test_the_real_one_gives_the_static_stiffness_of_a_condensed_cantilever(tmp_path):
    """Tip displacement with the rotation free: 3 E I / L^3; with both held, the beam's stiffness matrix."""
    (tmp_path / "beam.py").write_text(
        textwrap.dedent("""
        def build(ops):
            ops.model("basic", "-ndm", 2, "-ndf", 3)
            ops.node(1, 0.0, 0.0)
            ops.node(2, 0.0, 200.0)
            ops.fix(1, 1, 1, 1)
            ops.geomTransf("Linear", 1)
            ops.element("elasticBeamColumn", 1, 1, 2, 35.3, 29000.0, 1380.0, 1)
        """)
    )
    ei, length = 29000.0 * 1380.0, 200.0
    matrix = ei * np.array([[12 / length**3, 6 / length**2], [6 / length**2, 4 / length]])
    for interface, stiffness in [(((2, 1),), np.array([[3 * ei / length**3]])), (((2, 1), (2, 3)), matrix)]:
        bd = hs.BDSim().blockdiagram(dt=0.01)
        sine = bd.SINESWEEP(amplitude=1.0, f_start=1.0, f_end=2.0, duration=1.0, name="sine")
        disp = bd.MUX(len(interface), name="disp", inputs=[sine] * len(interface))
        bd.OPENSEESMODEL(name="model", model=f"{tmp_path / 'beam.py'}:build", interface=interface, inputs=[disp])
        program = hs.compile(bd)
        result = program.run(0.5)
        found = result["model.force"].reshape(result.t.size, -1)
        expected = np.outer(result["sine.value"], stiffness.sum(axis=1))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
        assert_same_bits(result, program.run(0.5, engine="python"))
