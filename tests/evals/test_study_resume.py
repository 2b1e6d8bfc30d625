"""A study that was killed goes on from what was finished, and ends with the same bits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import hybsim as hs
from hybsim.diagrams import fig_3_5
from hybsim.errors import RunError
from hybsim.studies.measures import eps_max, peak, rms
from hybsim.studies.running.chunk import InC

U = "integrator.disp_target"
CHUNKS = 20

SCRIPT = '''
"""A study of 20 chunks; with SLOW in the environment each takes a while."""
import json, os, sys, time
import hybsim as hs
from hybsim.diagrams import fig_3_5
from hybsim.studies.measures import eps_max, measure

def crest(runs, reference):
    time.sleep(0.2 if "SLOW" in os.environ else 0.0)
    return runs["integrator.disp_target"].max(axis=1)

study = hs.Study(
    fig_3_5(), space=hs.random({"lag.mean": (0.0, 1.0), "noise.seed": range(10**9)}, 20 * 64, seed=2), duration=1.0,
    reference={"lag.mean": 0.0, "lag.variance": 0.0, "noise.seed": 0},
    measures={"crest": measure(crest, "integrator.disp_target"), "eps": eps_max("integrator.disp_target")},
)
told = []
result = study.run(store=sys.argv[1], jobs=2, progress=told.append)
fresh = study.run()
print(json.dumps({
    "told": told,
    "same": [result.values[name].tobytes() == fresh.values[name].tobytes() for name in fresh.values],
}))
'''


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_a_study_killed_in_the_middle_goes_on_and_computes_only_what_is_missing(tmp_path):
    script, store = tmp_path / "script.py", tmp_path / "study.jsonl"
    script.write_text(SCRIPT)
    killed = subprocess.Popen([sys.executable, script, store], env={**os.environ, "SLOW": "1"})
    deadline = time.monotonic() + 60.0
    while lines(store) < 6 and killed.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL, "the study ended before it was killed"
    finished = lines(store) - 1  # one is the header
    assert 5 <= finished < CHUNKS
    # As if the process had been killed while it wrote: half a line at the end.
    text = store.read_bytes()
    store.write_bytes(text + text.splitlines()[-1][:100])

    done = subprocess.run([sys.executable, script, store], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    assert report["same"] == [True, True]
    # What was there is taken first, then one chunk at a time to the end.
    assert report["told"] == pytest.approx([n / CHUNKS for n in range(1, CHUNKS + 1)])
    content = [json.loads(line) for line in store.read_text().splitlines()[1:]]
    assert sorted(line["chunk"] for line in content) == list(range(CHUNKS))
    assert store.read_bytes().startswith(text), "finished chunks are kept as they were"


def study(**changed):
    keywords = dict(
        space={"lag.mean": [0.1, 0.2, 0.3]}, duration=1.0, measures={"u": peak(U)}, seeds={"noise.seed": range(10)}
    )
    return hs.Study(fig_3_5(**changed.pop("diagram", {})), **{**keywords, **changed})


@pytest.fixture
def simulated(monkeypatch):
    """Counts the runs that are simulated."""
    counts = []
    simulate = InC.__call__
    monkeypatch.setattr(
        InC, "__call__", lambda self, runs, rows=None: (counts.append(runs.runs), simulate(self, runs, rows))[1]
    )
    return counts


def test_a_finished_study_is_read_and_not_computed(tmp_path, simulated):
    path = tmp_path / "s.jsonl"
    first = study().run(store=path)
    assert sum(simulated) == 30
    again = study().run(store=path)
    assert sum(simulated) == 30
    assert again.values["u"].tobytes() == first.values["u"].tobytes() == study().run().values["u"].tobytes()


def test_a_study_that_was_interrupted_goes_on(tmp_path, simulated):
    path = tmp_path / "s.jsonl"

    def interrupt(share):
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study().run(store=path, jobs=1, progress=interrupt)
    before = sum(simulated)
    kept = lines(path) - 1
    assert 0 < kept < 4
    result = study().run(store=path)
    assert sum(simulated) - before == 30 - 8 * kept
    assert result.values["u"].tobytes() == study().run().values["u"].tobytes()


@pytest.mark.parametrize(
    ("changed", "other"),
    [
        (dict(space={"lag.mean": [0.1, 0.2, 0.4]}), "points"),
        (dict(seeds={"noise.seed": range(1, 11)}), "seeds"),
        (dict(measures={"u": rms(U)}), "measures"),
        (dict(measures={"v": peak(U)}), "measures"),
        (dict(reference={"lag.mean": 0.0}), "reference"),
        (dict(duration=1.01), "duration"),
        (dict(diagram=dict(damping_ratio=0.06)), "program"),
        (dict(diagram=dict(specimen="elastic-plastic")), "program"),
        (dict(measures={"u": eps_max(U)}, reference={"lag.mean": 0.0}), "reference and measures"),
    ],
)
def test_the_store_of_another_study_is_refused(tmp_path, simulated, changed, other):
    path = tmp_path / "s.jsonl"
    study().run(store=path)
    before = path.read_bytes()
    with pytest.raises(RunError, match=f"is the store of another study, with other {other}; name a new file"):
        study(**changed).run(store=path)
    assert path.read_bytes() == before and sum(simulated) == 30
