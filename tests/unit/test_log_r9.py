"""R9: no acknowledged sample is lost: a log cut at every byte, with every bit flipped, of a writer that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from hybsim.runtime.log_frames import LogError, LogWriter, read_log, repair_log

NAMES = ["disp", "force", "tick"]
COUNTS = [3, 1, 4]


def values(total: int) -> np.ndarray:
    rows = np.random.default_rng(5).normal(size=(total, 3))
    rows[:, 2] = np.arange(total)
    return rows


def written(path, *, reserved=0, closed=True):
    """A log of a few frames; where each ends, and the rows until there."""
    writer = LogWriter(path, names=NAMES, dt=0.01, about={"diagram": "x"}, bytes_reserved=reserved)
    rows, at, ends = values(sum(COUNTS)), 0, [(writer._at, 0)]
    for count in COUNTS:
        writer.rows(at, rows[at : at + count])
        at += count
        ends.append((writer._at, at))
    writer.sync()
    if closed:
        writer.close()
    return rows, ends


def test_what_was_written_is_read_bit_for_bit(tmp_path):
    rows, _ = written(tmp_path / "log")
    log = read_log(tmp_path / "log")
    np.testing.assert_array_equal(log.rows.view(np.int64), rows.view(np.int64))
    assert (log.names, log.dt, log.about, log.problems) == (NAMES, 0.01, {"diagram": "x"}, [])
    np.testing.assert_array_equal(log.column("tick"), log.ticks)


def test_preallocated_zeros_after_the_end_are_no_problem(tmp_path):
    rows, _ = written(tmp_path / "log", reserved=100_000, closed=False)
    assert os.path.getsize(tmp_path / "log") == 100_000
    log = read_log(tmp_path / "log")
    assert len(log.rows) == len(rows) and log.problems == []


def test_R9_cut_at_every_byte_only_the_frame_of_the_cut_is_lost(tmp_path):
    rows, ends = written(tmp_path / "log")
    data = (tmp_path / "log").read_bytes()
    cut = tmp_path / "cut"
    for length in range(len(data)):
        cut.write_bytes(data[:length])
        if length < ends[0][0]:
            with pytest.raises(LogError, match="no log that can be read"):
                read_log(cut)
            continue
        kept = max(n for end, n in ends if end <= length)
        log = read_log(cut)
        np.testing.assert_array_equal(log.rows, rows[:kept])
        assert bool(log.problems) == (length not in [end for end, _ in ends]), "a cut within a frame is told"


def test_R9_every_flipped_bit_is_detected(tmp_path):
    rows, ends = written(tmp_path / "log")
    data = (tmp_path / "log").read_bytes() + bytes(16)  # and some of the space that was preallocated
    bad = tmp_path / "bad"
    for position in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[position // 8] ^= 1 << position % 8
        bad.write_bytes(flipped)
        if position // 8 < ends[0][0]:
            with pytest.raises(LogError):
                read_log(bad)
            continue
        log = read_log(bad)
        kept = max(n for end, n in ends if end <= position // 8)
        assert log.problems
        np.testing.assert_array_equal(log.rows, rows[:kept])


def test_missing_ticks_and_strange_frames_are_told(tmp_path):
    writer = LogWriter(tmp_path / "log", names=NAMES, dt=0.01, about={}, bytes_reserved=0)
    writer.rows(0, values(2))
    writer.rows(5, values(2))
    writer.close()
    log = read_log(tmp_path / "log")
    assert len(log.rows) == 2 and "ticks 2 to 4 are missing" in log.problems[0]


def test_repair_keeps_the_sound_part_and_leaves_the_original(tmp_path):
    _, ends = written(tmp_path / "log")
    data = (tmp_path / "log").read_bytes()
    (tmp_path / "bad").write_bytes(data[:-5])
    repair_log(tmp_path / "bad", tmp_path / "good")
    log = read_log(tmp_path / "good")
    assert log.problems == [] and len(log.rows) == ends[-2][1]
    assert (tmp_path / "bad").read_bytes() == data[:-5]
    with pytest.raises(LogError, match="cannot be written"):
        repair_log(tmp_path / "bad", tmp_path / "good")


WRITER = """
import sys, numpy as np
from hybsim.runtime.log_frames import LogWriter
log = LogWriter(sys.argv[1], names=["tick"], dt=1.0, about={}, bytes_reserved=10_000_000)
for k in range(100_000):
    log.rows(7 * k, np.arange(7 * k, 7 * k + 7, dtype=float)[:, None])
    log.sync()
    print(7 * k + 7, flush=True)   # acknowledged
"""


@pytest.mark.parametrize("acknowledged", [1, 40, 200])
def test_R9_a_writer_killed_loses_nothing_it_acknowledged(tmp_path, acknowledged):
    with subprocess.Popen([sys.executable, "-c", WRITER, tmp_path / "log"], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        for _ in range(acknowledged):
            last = writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        last = (writer.stdout.read().splitlines() or [last])[-1]
    log = read_log(tmp_path / "log")
    assert len(log.rows) >= int(last) >= 7 * acknowledged
    np.testing.assert_array_equal(log.column("tick"), np.arange(len(log.rows)))


def test_refusals_are_sentences(tmp_path):
    (tmp_path / "no").write_bytes(b"hello")
    for path, says in ((tmp_path / "none", "cannot be read"), (tmp_path / "no", "no log that can be read")):
        with pytest.raises(LogError, match=says):
            read_log(path)
    written(tmp_path / "log")
    with pytest.raises(LogError, match="cannot be made"):
        LogWriter(tmp_path / "log", names=NAMES, dt=0.1, about={}, bytes_reserved=0)
    with pytest.raises(LogError, match=r"no column 'x'; it has disp, force, tick"):
        read_log(tmp_path / "log").column("x")
    writer = LogWriter(tmp_path / "new", names=NAMES, dt=0.1, about={}, bytes_reserved=0)
    with pytest.raises(LogError, match="3 columns"):
        writer.rows(0, np.zeros((2, 2)))


def test_R10_no_room_for_the_log_is_refused_before_anything_moves(tmp_path):
    with pytest.raises(LogError, match="no room for the log"):
        LogWriter(tmp_path / "log", names=NAMES, dt=0.1, about={}, bytes_reserved=1 << 60)
    assert not (tmp_path / "log").exists()
