"""A study has the same bits wherever it runs: threads, processes, a cluster of Dask, and the Python engine."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import distributed
import numpy as np
import pytest

import hybsim as hs
from hybsim.diagrams import fig_3_5
from hybsim.errors import HybsimError, ParameterError, RunError
from hybsim.studies.measures import bounded, delay, eps_enr, eps_max, eps_rms, final, measure, peak

U = "integrator.disp_target"


def study(duration=6.0, seeds=30, **measures):
    """Five points, one of them unstable, times 30 seeds: ten chunks."""
    return hs.Study(
        fig_3_5(variance=0.1),
        space=hs.sobol({"lag.mean": (0.0, 1.0), "record.scale": (50.0, 100.0)}, 4).points + [{"lag.mean": 400.0}],
        duration=duration,
        reference={"lag.mean": 0.0, "lag.variance": 0.0},
        measures={
            "eps_max": eps_max(U), "eps_rms": eps_rms(U), "eps_enr": eps_enr("energy.e_input"),
            "hsei_i": final("energy.hsei_i"), "delay": delay(U, "lag.applied"), "ok": bounded(U), **measures,
        },
        seeds={"noise.seed": range(seeds)},
    )  # fmt: skip


@pytest.fixture(scope="module")
def local():
    result = study().run(jobs=1)
    assert result.stopped.tolist() == [0, 0, 0, 0, 30]
    return result


def assert_same_bits(one, other):
    assert one.points == other.points and one.seeds == other.seeds and list(one.values) == list(other.values)
    assert one.ticks.tobytes() == other.ticks.tobytes()
    for name, values in one.values.items():
        assert values.tobytes() == other.values[name].tobytes(), name


@pytest.mark.parametrize("jobs", [2, 5])
def test_any_number_of_threads_gives_the_same_bits(local, jobs):
    assert_same_bits(study().run(jobs=jobs), local)


def test_threads_of_the_user_give_the_same_bits_and_stay_open(local):
    with ThreadPoolExecutor(3) as pool:
        assert_same_bits(study().run(executor=pool), local)
        assert pool.submit(int, 7).result() == 7


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_processes_give_the_same_bits(local, start):
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(start)) as pool:
        assert_same_bits(study().run(executor=pool), local)


def test_a_cluster_of_dask_gives_the_same_bits_and_takes_functions_of_the_user(local, tmp_path, monkeypatch):
    """Two worker processes that know nothing of the diagram; a function defined here goes by value."""
    monkeypatch.chdir(tmp_path)  # workers keep their files here

    def crest(runs, reference):
        return runs["integrator.disp_target"].max(axis=1)

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
            worker_dashboard_address=None,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):  # fmt: skip
        pids = set(client.run(os.getpid).values())
        assert len(pids) == 2 and os.getpid() not in pids
        assert_same_bits(study().run(executor=client), local)
        mine = {"crest": measure(crest, U)}
        assert_same_bits(study(seeds=2, **mine).run(executor=client), study(seeds=2, **mine).run())
        with pytest.raises(
            RunError, match=r"Measure 'bad' failed at the point \{.*'noise.seed': 0\}: ZeroDivisionError"
        ):
            study(seeds=2, bad=measure(lambda runs, reference: 1 / 0, U)).run(executor=client)


def test_without_a_compiler_the_python_engine_gives_the_same_bits_and_says_so(monkeypatch, tmp_path):
    compiled = study(duration=0.3, seeds=3).run()
    monkeypatch.setenv("HYBSIM_CC", "none")
    monkeypatch.setenv("HYBSIM_CACHE", str(tmp_path / "empty"))
    interpreted = study(duration=0.3, seeds=3)
    with pytest.warns(UserWarning, match=r"The study runs with the slow Python engine: No C compiler is used"):
        assert_same_bits(interpreted.run(), compiled)
    with ThreadPoolExecutor(1) as pool, pytest.warns(UserWarning, match="here and not in the executor"):
        interpreted.run(executor=pool)


# ---- what goes wrong elsewhere


def test_a_measure_that_cannot_be_sent_is_refused_in_a_sentence():
    broken = study(mine=measure(lambda runs, reference: runs[U][:, 0], U))
    with ProcessPoolExecutor(1) as pool, pytest.raises(ParameterError) as refused:
        broken.run(executor=pool)
    assert str(refused.value).startswith("Measure 'mine' cannot be sent to another process (")
    assert str(refused.value).endswith("; define its function at the top of a module, or run the study in threads.")


def killed(runs, reference):
    os.kill(os.getpid(), 9)


def test_a_worker_that_dies_is_reported_in_a_sentence():
    fork = multiprocessing.get_context("fork")
    with (
        ProcessPoolExecutor(1, mp_context=fork) as pool,
        pytest.raises(RunError, match=r"A worker of the study ended unexpectedly"),
    ):
        study(seeds=1, mine=measure(killed, U)).run(executor=pool)


def test_an_error_in_the_points_stops_the_study_and_leaves_no_thread_behind():
    broken = hs.Study(
        fig_3_5(), space=[{"lag.variance": 0.1}] * 300 + [{"lag.variance": -1.0}], duration=1.0, measures={"u": peak(U)}
    )
    with pytest.raises(HybsimError, match=r"Parameter 'variance' of block 'lag' must be at least 0, got -1.0"):
        broken.run()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("hybsim-study")]


def test_a_large_study_holds_few_chunks_at_a_time():
    """Chunks are made when there is room for them: what is under way does not grow with the study."""
    under_way, most = [0], [0]

    class Counting(ThreadPoolExecutor):
        def submit(self, function, *arguments, **keywords):
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
            future = super().submit(function, *arguments, **keywords)
            future.add_done_callback(lambda _: under_way.__setitem__(0, under_way[0] - 1))
            return future

    points = [{"lag.mean": m} for m in np.linspace(0.0, 1.0, 1000)]
    with Counting(2) as pool:
        result = hs.Study(fig_3_5(), space=points, duration=1.0, measures={"u": peak(U)}).run(executor=pool)
    assert most[0] <= 4 and result.values["u"].shape == (1000, 1)
