"""The vectors of many runs are those of single runs, each set of parameters checked in the same way."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import hybsim as hs
from hybsim.diagrams import fig_3_5
from hybsim.errors import HybsimError
from hybsim.runtime import memory
from hybsim.runtime import vectors as vectors_module
from hybsim.runtime.memory import fresh
from hybsim.runtime.vectors import Preparer


@pytest.fixture(scope="module")
def program():
    return hs.compile(fig_3_5())


def drawn(count, seed=1):
    rng = np.random.default_rng(seed)
    return [
        {"lag.mean": float(m), "record.scale": float(s), "noise.seed": int(n), "integrator.damping": float(c)}
        for m, s, n, c in zip(
            rng.random(count), rng.normal(size=count), rng.integers(0, 2**53, count), rng.random(count), strict=True
        )
    ]


def assert_like_single_runs(program, vectors, runs, rows=None):
    p, x = vectors.matrices(rows)
    chosen = runs if rows is None else [runs[i] for i in rows]
    assert len(p) == len(x) == len(chosen)
    for i, run in enumerate(chosen):
        expected_p, expected_x = program.vectors(run)
        assert p[i].tobytes() == expected_p.tobytes() and x[i].tobytes() == expected_x.tobytes(), run


@pytest.mark.parametrize("remembered", [0, 4000, 200_000])
def test_vectors_are_those_of_single_runs_however_much_is_remembered(program, monkeypatch, remembered):
    monkeypatch.setattr(vectors_module, "REMEMBERED", remembered)
    runs = drawn(12) + drawn(12)
    preparer = Preparer(program, 10.0)
    for start in (0, 8, 16):
        some = runs[start : start + 8]
        found = preparer.vectors(some)
        assert_like_single_runs(program, found, some)
        assert_like_single_runs(program, found, some, rows=np.array([7, 2, 2]))
    assert sum(packed.p.size for packed in preparer._known.values()) <= remembered


def test_runs_may_name_different_parameters_and_values_that_cannot_be_compared(program):
    runs = [
        {}, {"lag.mean": 0.5}, {"record.record": np.ones(5), "record.record_dt": 0.01}, {"noise.seed": 3.0},
        {"lag.variance": 0.2, "lag.mean": 0.1}, {"record.record": [1.0, 2.0], "record.record_dt": 0.5}, {},
    ]  # fmt: skip
    assert_like_single_runs(program, Preparer(program, 10.0).vectors(runs), runs)


def test_a_zero_keeps_its_sign_and_true_is_not_one(program):
    runs = [{"lag.mean": 0.0}, {"lag.mean": -0.0}, {"lag.mean": 0}, {"lag.mean": 1}]
    preparer = Preparer(program, 10.0)
    assert_like_single_runs(program, preparer.vectors(runs), runs)
    with pytest.raises(HybsimError, match="Parameter 'mean' of block 'lag' must be a single number, got True"):
        preparer.vectors([{"lag.mean": True}])


def test_changed_runs_share_what_is_not_changed(program):
    runs = drawn(6)
    preparer = Preparer(program, 10.0)
    own = preparer.vectors(runs)
    changes = {"lag.mean": 0.0, "lag.variance": 0.0, "noise.seed": 0}
    changed = preparer.changed(own, runs, changes)
    assert_like_single_runs(program, changed, [{**run, **changes} for run in runs])
    node = {node.name: node.index for node in program.graph.nodes}
    assert changed.varied[node["record"]] is own.varied[node["record"]]
    assert len(changed.varied[node["lag"]].p) == 1 and len(own.varied[node["lag"]].p) == 6


def test_vectors_can_be_sent_to_another_process(program):
    runs = drawn(3)
    assert_like_single_runs(program, pickle.loads(pickle.dumps(Preparer(program, 10.0).vectors(runs))), runs)


@pytest.mark.parametrize(
    "params",
    [{"lag.variance": -1.0}, {"lag.mean": "a"}, {"lag.mean": [1.0, 2.0]}, {"noise.width": 2}, {"record.scale": np.inf},
     {"integrator.mass": np.eye(2)}, {"lag.maen": 1.0}, {"record.record": np.ones(10_000), "record.record_dt": 0.01}],
)  # fmt: skip
def test_what_a_single_run_refuses_is_refused_with_the_same_sentence(program, params):
    with pytest.raises(HybsimError) as single:
        program.run(10.0, params=params)
    with pytest.raises(HybsimError) as many:
        Preparer(program, 10.0).vectors([{"lag.mean": 0.5}, params])
    assert str(many.value) == str(single.value)


def test_a_duration_that_does_not_fit_a_parameter_is_refused_as_in_a_single_run():
    bd = hs.BDSim().blockdiagram(dt=0.01)
    bd.DELAY(delay=0.03, max_delay=5.0, name="delay", inputs=[bd.COSINEPULSE(amplitude=1.0, duration=1.0)])
    program = hs.compile(bd)
    with pytest.raises(HybsimError) as single:
        program.run(1.0, params={"delay.delay": 3.0})
    with pytest.raises(HybsimError) as many:
        Preparer(program, 1.0).vectors([{"delay.delay": 0.02}, {"delay.delay": 3.0}])
    assert str(many.value) == str(single.value) and "longer" in str(single.value)


# ---- memory


def test_memory_is_used_again_when_the_last_array_that_looks_at_it_is_gone():
    first = fresh(4, 100)
    place = first.ctypes.data
    view = first[2:, ::3]
    view[...] = 7.0
    del first
    second = fresh(4, 100)
    assert second.ctypes.data != place, "a view still looks at the first"
    second[...] = 1.0
    assert (view == 7.0).all()
    del view
    third = fresh(10, 39)
    assert third.shape == (10, 39) and third.dtype == float and third.flags.writeable and third.ctypes.data == place


def filled(number):
    array = fresh(500)
    array[...] = number
    return array


def test_arrays_made_in_threads_keep_their_numbers():
    with ThreadPoolExecutor(4) as pool:
        arrays = list(pool.map(filled, range(100)))
    assert all((array == number).all() for number, array in enumerate(arrays))


def test_a_thread_keeps_a_few_pieces():
    many = [fresh(1000 + n) for n in range(3 * memory.MOST_KEPT)]
    del many
    assert len(memory._kept.pieces) <= memory.MOST_KEPT
