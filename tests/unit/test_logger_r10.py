"""R10: without room for the log nothing is armed; when the disk fills up in a test, the ring keeps what is not stored."""

from __future__ import annotations

import functools
import resource
import subprocess

import numpy as np
import pytest
from ring_bench import Ring, head_file, logger, rows_of, same, wait, writer

from hybsim.runtime.log_frames import LogError, LogWriter, read_log
from hybsim.runtime.log_repair import repair, rows_left
from hybsim.runtime.logger import Drain, drain

ROOM = 128 * 1024
ROWS = ROOM // 32
"""More than fit: a row has four numbers, a frame has a head, and the log has one, too."""


class Disk:
    """A folder in which a logger has ROOM bytes."""

    def __init__(self, folder, preexec=None, more=None) -> None:
        self.folder, self.options, self.more = folder, {} if preexec is None else {"preexec_fn": preexec}, more


@pytest.fixture(params=["tmpfs", "limit"])
def disk(request, tmp_path):
    """A small file system where mounting one is allowed; everywhere, a process that may not write more."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if request.param == "limit":
        both = (ROOM, resource.RLIM_INFINITY)
        yield Disk(
            folder,
            functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, both),
            lambda process: resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2),
        )
        return
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        remount = ["mount", "-o", "remount,size=16m", folder]
        yield Disk(folder, None, lambda process: subprocess.run(remount, check=True))
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@pytest.fixture
def ring(tmp_path):
    made = Ring(tmp_path / "ring", rows=256)
    yield made
    made.close()


def test_R10_without_room_for_the_log_it_is_not_ready(ring, disk, tmp_path):
    process = logger(ring, disk.folder / "log", head_file(tmp_path, reserved=2 * ROOM), **disk.options)
    said = process.communicate()[1]
    assert process.returncode == 2
    assert "There is no room for the log" in said and "free space, or log for a shorter time" in said
    assert ring.region["log_ready"] == 0, "the guard refuses ARM without it"
    assert ring.region["log_failed"] == 0 and list(disk.folder.iterdir()) == []


def until_it_fails(ring, disk, tmp_path) -> subprocess.Popen[str]:
    """A logger whose disk has filled up, and a ring that is full."""
    process = logger(ring, disk.folder / "log", head_file(tmp_path, reserved=0), **disk.options)
    assert wait(lambda: ring.region["log_ready"], process)

    def more() -> bool:
        ring.put(50)
        return bool(ring.region["log_failed"])

    assert wait(more, process)
    ring.put(1000)
    assert ring.region["stored"] < ring.region["head"] < ROWS + 300
    return process


def test_R10_a_disk_that_fills_up_fails_the_log_and_the_ring_keeps_the_rest(ring, disk, tmp_path):
    process = until_it_fails(ring, disk, tmp_path)
    process.kill()
    process.communicate()
    head, stored = ring.region["head"], ring.region["stored"]
    first, rows = rows_left(ring.region)
    assert (first, len(rows)) == (stored, head - stored) and same(rows, first)
    assert same(rows_of(disk.folder / "log")) and len(rows_of(disk.folder / "log")) >= stored
    with pytest.raises(LogError, match="still running"):
        repair(disk.folder / "log", tmp_path / "whole", ring.region.path)
    ring.region["ended"] = 1
    done = repair(disk.folder / "log", tmp_path / "whole", ring.region.path)
    assert done.rows == head and done.from_ring > 0 and done.missing is None
    whole = read_log(tmp_path / "whole")
    assert whole.problems == [] and same(whole.rows) and len(whole.rows) == head
    assert whole.about["session"] == 7
    np.testing.assert_array_equal(whole.ticks, np.arange(head))


def test_R10_what_could_not_be_stored_is_stored_when_there_is_room_again(ring, disk, tmp_path):
    process = until_it_fails(ring, disk, tmp_path)
    disk.more(process)
    ring.fill(ROWS + 2000)
    ring.region["ended"] = 1
    assert process.wait() == 0, process.communicate()[1]
    process.communicate()
    assert ring.region["log_failed"] == 1, "the test is over all the same"
    found = read_log(disk.folder / "log")
    assert found.problems == [] and len(found.rows) == ROWS + 2000 and same(found.rows)


def test_R10_the_logger_gives_up_some_time_after_the_loop_has_ended(ring, tmp_path, monkeypatch, capfd):
    from hybsim.runtime import logger as module

    log = writer(tmp_path / "log")
    monkeypatch.setattr(log, "sync", functools.partial(_fail, 5))
    ring.put(30)
    ring.region["ended"] = 1
    assert drain(ring.region, log, patience=0.05) == 30
    assert (ring.region["stored"], ring.region["log_failed"]) == (0, 1)
    log.close()
    assert len(rows_of(tmp_path / "log")) == 0, "nothing that was not certain is kept"

    monkeypatch.setattr(LogWriter, "rows", functools.partial(_fail, 28))
    monkeypatch.setattr(module, "drain", functools.partial(drain, patience=0.0))
    assert module.main([str(ring.region.path), str(tmp_path / "log"), "no head"]) == 1
    said = capfd.readouterr().err
    assert "30 rows could not be stored" in said and f"--ring {ring.region.path} --to NEW" in said


def _fail(number: int, *_: object) -> None:
    raise OSError(number, "it does not work")


@pytest.mark.parametrize("total, missing", [(200, None), (600, (0, 344))])
def test_R10_acknowledged_rows_of_a_damaged_log_are_taken_from_the_ring_as_far_as_it_goes(
    ring, tmp_path, total, missing
):
    path, log = tmp_path / "log", writer(tmp_path / "log")
    begin, stores = log._at, Drain(ring.region, log)
    while ring.region["head"] < total:
        ring.put(min(100, total - ring.region["head"]))
        stores.store(0.0)
    log.close()
    data = bytearray(path.read_bytes())
    data[begin + 40] ^= 1
    path.write_bytes(data)
    ring.region["ended"] = 1
    done = repair(path, tmp_path / "whole", ring.region.path)
    assert done.missing == missing and done.problems
    assert done.rows == len(rows_of(tmp_path / "whole")) == (0 if missing else total)
    assert same(rows_of(tmp_path / "whole"))


def test_a_ring_of_another_run_is_refused(tmp_path):
    ring = Ring(tmp_path / "ring", session=8)
    ring.region["ended"] = 1
    writer(tmp_path / "log").close()
    with pytest.raises(LogError, match="of different runs"):
        repair(tmp_path / "log", tmp_path / "whole", ring.region.path)
    assert not (tmp_path / "whole").exists()
    ring.close()
