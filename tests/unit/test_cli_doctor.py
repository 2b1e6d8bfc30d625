"""hybsim doctor: a report that is true with and without a compiler, and never a failure."""

from __future__ import annotations

import json
import platform
import shutil
from importlib.metadata import version

import pytest

from hybsim.cli import doctor


def lines(content: dict) -> dict[str, dict]:
    return {entry["what"]: entry for entry in content["works"]}


def test_the_report_names_this_machine(cli) -> None:
    done = cli("doctor")
    assert done.code == 0 and done.err == ""
    for word in (platform.python_version(), f"bdsim {version('bdsim')}", f"hybsim    {version('hybsim')}"):
        assert word in done.out
    assert "engine c " in done.out and "cache " in done.out


def test_json_alone_stands_for_stdout(cli, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("HYBSIM_CACHE", str(tmp_path / "not there yet"))
    content = json.loads(cli("doctor", "--json").out)
    assert content["python"]["version"] == platform.python_version()
    assert content["cache"] == {"folder": str(tmp_path / "not there yet"), "writable": True, "programs": 0}
    assert content["packages"]["numpy"] == version("numpy")
    assert not (tmp_path / "not there yet").exists(), "asking creates nothing"


@pytest.mark.skipif(shutil.which("cc") is None, reason="no system compiler")
def test_with_a_compiler_all_engines_pass_their_test(cli) -> None:
    content = json.loads(cli("doctor", "--json").out)
    assert all(content["self_test"][engine]["passed"] for engine in ("c", "python", "bdsim"))
    assert content["compiler"]["version"] and lines(content)["sweeps"]["works"]


def test_without_a_compiler_it_says_what_does_not_work_and_what_does(cli, monkeypatch) -> None:
    monkeypatch.setenv("HYBSIM_CC", "none")
    done = cli("doctor", "--json")
    content = json.loads(done.out)
    assert done.code == 0 and content["compiler"] is None
    works = lines(content)
    assert not works["engine c"]["works"] and "HYBSIM_CC is 'none'" in works["engine c"]["note"]
    assert not works["sweeps"]["works"]
    assert works["engine python"]["works"] and works["engine bdsim"]["works"]
    assert "Without engine c diagrams run in Python" in cli("doctor").out


def test_a_compiler_that_does_not_work_is_found_out_though_a_library_is_cached(cli, monkeypatch) -> None:
    assert cli("doctor").code == 0  # leaves nothing behind that the next line could use
    monkeypatch.setenv("HYBSIM_CC", "false")
    done = cli("doctor")
    assert done.code == 0 and "refused the source of 'doctor'" in " ".join(done.out.split())


def test_a_compiler_that_is_not_there_is_named(cli, monkeypatch) -> None:
    monkeypatch.setenv("HYBSIM_CC", "no-such-compiler")
    content = json.loads(cli("doctor", "--json").out)
    assert content["compiler"] is None and "no-such-compiler" in content["compiler_problem"]


def test_a_missing_package_is_reported_with_the_remedy(cli, monkeypatch) -> None:
    monkeypatch.setattr(doctor, "EXTRAS", {**doctor.EXTRAS, "zig": ("no-such-package",)})
    works = lines(json.loads(cli("doctor", "--json").out))
    assert works["zig as compiler"] == {"what": "zig as compiler", "works": False, "note": 'pip install "hybsim[zig]"'}


def test_an_engine_that_fails_or_computes_wrongly_is_reported(cli, monkeypatch) -> None:
    def broken(engine: str) -> float:
        if engine == "bdsim":
            raise RuntimeError("no\nway")
        return 9.0 if engine == "python" else 10.0

    monkeypatch.setattr(doctor, "_pulse_on_spring", broken)
    done = cli("doctor", "--json")
    tests = json.loads(done.out)["self_test"]
    assert done.code == 0 and tests["c"]["passed"]
    assert tests["bdsim"] == {"passed": False, "problem": "RuntimeError: no way"}
    assert tests["python"]["problem"] == "the peak force of the test diagram is 9.0, not 10"


def test_it_says_what_a_real_time_test_would_lack(cli, monkeypatch) -> None:
    whole = {"shared_memory": "", "real_time_priority": "", "locked_memory": ""}
    monkeypatch.setattr(doctor, "deployment", lambda: whole)
    works = lines(json.loads(cli("doctor", "--json").out))
    names = ["deployment: shared memory", "deployment: real-time priority", "deployment: locked memory"]
    assert [works[name]["works"] for name in names] == [True] * 3
    monkeypatch.setattr(doctor, "deployment", lambda: {**whole, "real_time_priority": "Operation not permitted"})
    works = lines(json.loads(cli("doctor", "--json").out))
    assert [works[name]["works"] for name in names] == [True, False, True]
    assert works[names[1]]["note"] == "Operation not permitted"


def test_the_rights_are_tried_and_leave_no_trace() -> None:
    import os

    before = os.sched_getscheduler(0)
    found = doctor.deployment()
    assert set(found) == {"shared_memory", "real_time_priority", "locked_memory"}
    assert all(isinstance(problem, str) for problem in found.values())
    assert os.sched_getscheduler(0) == before
