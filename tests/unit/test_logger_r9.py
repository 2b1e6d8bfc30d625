"""R9: rows go from the ring to disk once each, whoever is killed and whenever; none is acknowledged before."""

from __future__ import annotations

import os
import signal
import subprocess
import threading

import numpy as np
import pytest
from ring_bench import Ring, expected, head_file, logger, rows_of, same, wait, writer

from hybsim.runtime.log_frames import LogError, LogReader, LogWriter, read_log
from hybsim.runtime.logger import Drain, Loop, drain, main


@pytest.fixture
def ring(tmp_path):
    made = Ring(tmp_path / "ring")
    yield made
    made.close()


def test_R9_a_row_is_acknowledged_only_when_it_is_on_disk(ring, tmp_path, monkeypatch):
    log = writer(tmp_path / "log")
    seen = []
    monkeypatch.setattr(log, "sync", lambda: seen.append((log.next_row, ring.region["stored"])))
    ring.put(40)
    assert Drain(ring.region, log).store(0.0)
    assert seen == [(40, 0)] and ring.region["stored"] == 40


def test_R9_all_rows_are_stored_once_while_the_ring_goes_round_and_round(ring, tmp_path):
    log = writer(tmp_path / "log")
    drained = []
    thread = threading.Thread(target=lambda: drained.append(drain(ring.region, log)))
    thread.start()
    ring.fill(2000)
    ring.region["ended"] = 1
    thread.join()
    log.close()
    assert drained == [0] and ring.region["stored"] == 2000
    found = read_log(tmp_path / "log")
    assert found.problems == [] and len(found.rows) == 2000 and same(found.rows)
    np.testing.assert_array_equal(found.ticks, np.arange(2000))


def test_frames_are_bounded(ring, tmp_path, monkeypatch):
    monkeypatch.setattr("hybsim.runtime.logger.LARGEST_FRAME", 10)
    log = writer(tmp_path / "log")
    ring.put(33)
    Drain(ring.region, log).store(0.0)
    with LogReader(tmp_path / "log") as reader:
        assert [(first, len(rows)) for first, rows in reader.frames()] == [(0, 10), (10, 10), (20, 10), (30, 3)]


def test_a_sync_is_due_after_a_while_or_with_a_quarter_of_the_ring(ring, tmp_path):
    made = Drain(ring.region, writer(tmp_path / "log"))
    assert not made.due(0.0), "nothing waits"
    ring.put(1)
    assert made.due(0.0)
    made.store(0.0)
    ring.put(16)
    assert not made.due(0.05) and made.due(0.1)
    ring.put(1)
    assert made.due(0.0), "17 of 64"


def test_R9_a_failed_sync_is_not_believed_when_the_next_one_succeeds(ring, tmp_path, monkeypatch):
    """The system forgets the pages it could not write; the rows must be written again."""
    path = tmp_path / "log"
    log = writer(path)
    ring.put(10)
    made = Drain(ring.region, log)
    assert made.store(0.0)
    begin = log._at
    real = os.fdatasync

    def failing(file: int) -> None:
        os.pwrite(file, bytes(log._at - begin), begin)  # forgotten
        raise OSError(5, "Input/output error")

    ring.put(10)
    monkeypatch.setattr(os, "fdatasync", failing)
    assert not made.store(0.1)
    assert (ring.region["stored"], ring.region["log_failed"]) == (10, 1)
    monkeypatch.setattr(os, "fdatasync", real)
    assert not made.due(0.2) and made.due(0.5), "not at once again"
    ring.put(10)
    assert made.store(0.5)
    assert ring.region["stored"] == 30
    log.close()
    assert len(rows_of(path)) == 30 and same(rows_of(path))


def test_R9_a_loop_that_was_killed_is_noticed_and_its_rows_are_stored(tmp_path):
    with subprocess.Popen(["sleep", "1000"]) as loop:
        ring = Ring(tmp_path / "ring", pid=loop.pid)
        watched = Loop(ring.region)
        assert not watched.over()
        ring.put(50)
        loop.kill()  # and not reaped: a zombie still has a number
        log = writer(tmp_path / "log")
        assert drain(ring.region, log) == 0
        log.close()
    assert len(rows_of(tmp_path / "log")) == 50
    assert watched.over()
    ring.region["loop_pid"] = os.getpid()
    assert watched.over(), "another process with the number of the loop is not the loop"
    ring.close()


def test_a_loop_that_never_started_is_over_when_the_supervisor_says_so_or_the_region_is_gone(tmp_path):
    for end in (lambda ring: ring.region.__setitem__("quit", 1), lambda ring: ring.region.path.unlink()):
        ring = Ring(tmp_path / "ring")
        ring.region["started"] = 0
        assert not Loop(ring.region).over()
        end(ring)
        assert Loop(ring.region).over()
        ring.region.path.unlink(missing_ok=True)
        ring.close()


def killed_again_and_again(folder, kills: int, total: int) -> None:
    """A logger is killed as soon as it has acknowledged some rows more; the next one goes on."""
    ring, path, head = Ring(folder / "ring", rows=256), folder / "log", head_file(folder)
    process = logger(ring, path, head)
    targets = [total * (i + 1) // (kills + 2) for i in range(kills)]

    def kill_at_target() -> None:
        nonlocal process
        assert process.poll() is None, process.stderr.read()
        if not targets or ring.region["stored"] < targets[0]:
            return
        targets.pop(0)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        acknowledged = ring.region["stored"]
        rows = rows_of(path)
        assert len(rows) >= acknowledged and same(rows)
        process = logger(ring, path, head)

    ring.fill(total, kill_at_target)
    ring.region["ended"] = 1
    assert process.wait() == 0, process.communicate()[1]
    process.communicate()
    found = read_log(path)
    assert not targets and found.problems == []
    assert len(found.rows) == total and same(found.rows)
    np.testing.assert_array_equal(found.column("loop.tick"), np.arange(total))
    ring.close()


def test_R9_a_logger_killed_5_times_loses_nothing(tmp_path):
    killed_again_and_again(tmp_path, 5, 12_000)


@pytest.mark.slow
def test_R9_a_logger_killed_50_times_loses_nothing(tmp_path):
    killed_again_and_again(tmp_path, 50, 60_000)


def test_the_logger_ends_by_the_region_only(ring, tmp_path):
    process = logger(ring, tmp_path / "log", head_file(tmp_path))
    assert wait(lambda: ring.region["log_ready"], process)
    assert ring.region["logger_pid"] == process.pid and ring.region["logger_beat"] > 0
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process.send_signal(number)
    ring.put(20)
    assert wait(lambda: ring.region["stored"] == 20, process)
    ring.region["quit"] = 1  # the loop is there still: nothing ends
    ring.put(5)
    assert wait(lambda: ring.region["stored"] == 25, process)
    ring.region["ended"] = 1
    assert process.wait() == 0
    assert process.communicate()[1] == "" and len(rows_of(tmp_path / "log")) == 25


def test_R9_rows_that_a_killed_logger_synced_but_did_not_acknowledge_are_not_stored_twice(ring, tmp_path):
    log = writer(tmp_path / "log")
    ring.put(30)
    Drain(ring.region, log).store(0.0)
    ring.put(10)
    log.rows(30, expected(30, 10))
    log.sync()  # killed here
    os.close(log._file)
    ring.region["ended"] = 1
    assert main([str(ring.region.path), str(tmp_path / "log"), "no head is needed"]) == 0
    assert ring.region["stored"] == 40
    assert len(rows_of(tmp_path / "log")) == 40 and same(rows_of(tmp_path / "log"))


def refused(ring, log, head, capfd) -> str:
    assert main([str(ring.region.path), str(log), str(head)]) == 2
    return capfd.readouterr().err


def test_R9_a_log_that_lost_acknowledged_rows_ends_the_test_and_is_left_as_it_is(ring, tmp_path, capfd):
    path = tmp_path / "log"
    log = writer(path)
    ring.put(10)
    Drain(ring.region, log).store(0.0)
    begin = log._at
    ring.put(10)
    Drain(ring.region, log).store(0.0)
    os.close(log._file)
    data = bytearray(path.read_bytes())
    data[begin + 1] ^= 1
    path.write_bytes(data)
    ring.region["log_ready"] = 1
    said = refused(ring, path, head_file(tmp_path), capfd)
    assert "is damaged: rows 10 to 19 had been stored, but" in said and "no frame begins here" in said
    assert ring.region["log_failed"] == 1 and path.read_bytes() == bytes(data)
    path.unlink()
    assert "is gone, and with it the 20 rows" in refused(ring, path, head_file(tmp_path), capfd)


def test_refusals_are_sentences_and_leave_a_good_log_alone(ring, tmp_path, capfd):
    path, head = tmp_path / "log", head_file(tmp_path)
    for words, said in (
        ("not JSON", "is not understood"), ("{}", "is not understood"),
        (head.read_text().replace('"b.value",', ""), "names 3 columns, but the run has 4"),
    ):  # fmt: skip
        (tmp_path / "bad.json").write_text(words)
        assert said in refused(ring, path, tmp_path / "bad.json", capfd)
    assert "cannot be read" in refused(ring, path, tmp_path / "none.json", capfd)
    assert not path.exists() and ring.region["log_ready"] == 0
    log = writer(path)
    assert "Another process is writing to it" in refused(ring, path, head, capfd).replace(f"'{path}'", "it")
    with pytest.raises(LogError, match="Another process"):
        LogWriter.resume(path)
    log.close()
    other = LogWriter(tmp_path / "other", names=["x"], dt=1.0, about={"session": 7}, bytes_reserved=0)
    other.close()
    assert "is the log of another run" in refused(ring, tmp_path / "other", head, capfd)
    assert ring.region["log_failed"] == 0, "nothing was logged so far: nothing has failed"
    assert main(["too", "few"]) == 2 and "usage" in capfd.readouterr().err
    assert main(["none", "log", "head"]) == 2 and "no run at" in capfd.readouterr().err
