"""R9: a log whose writer was killed at any byte is continued, with nothing lost before and no trace of the cut."""

from __future__ import annotations

import os

import numpy as np
import pytest
from ring_bench import expected, same, writer

from hybsim.runtime.log_frames import LogError, LogWriter, frames, read_log, repair_log
from hybsim.runtime.log_reader import LogReader

COUNTS = [2, 1, 3]


@pytest.fixture
def small(tmp_path):
    """The bytes of a small log and where each frame ends."""
    log = writer(tmp_path / "small", reserved=0)
    ends, at = [log._at], 0
    for count in COUNTS:
        log.rows(at, expected(at, count))
        at += count
        ends.append(log._at)
    log.close()
    return (tmp_path / "small").read_bytes(), ends


@pytest.mark.parametrize("tail", [b"", bytes(300), b"\xa5" * 300], ids=["cut", "reserved", "garbage"])
def test_R9_a_log_cut_at_every_byte_of_its_last_frame_is_continued(tail, small, tmp_path, monkeypatch):
    data, ends = small
    monkeypatch.setattr(os, "fdatasync", lambda file: None)
    path = tmp_path / "log"
    for length in range(ends[-2], ends[-1] + 1):
        path.write_bytes(data[:length] + tail)
        log = LogWriter.resume(path)
        kept = sum(COUNTS) if length == ends[-1] else sum(COUNTS[:-1])
        assert log.next_row == kept
        assert read_log(path).problems == [], "what was cut is zeros again"
        log.rows(kept, expected(kept, 20))
        log.close()
        found = read_log(path)
        assert found.problems == [] and len(found.rows) == kept + 20 and same(found.rows)


def test_a_log_without_rows_is_continued_with_the_first(tmp_path):
    writer(tmp_path / "log").close()
    log = LogWriter.resume(tmp_path / "log")
    assert (log.next_row, log.columns) == (0, 4)
    log.rows(0, expected(0, 3))
    log.close()
    assert same(read_log(tmp_path / "log").rows)


def test_R9_a_damaged_log_is_not_continued_over_rows_that_were_stored(small, tmp_path):
    data, ends = small
    bad = bytearray(data)
    bad[ends[1] + 9] ^= 4
    (tmp_path / "bad").write_bytes(bad)
    with pytest.raises(LogError, match=r"is damaged: rows 2 to 5 had been stored, but at byte \d+, after tick 1"):
        LogWriter.resume(tmp_path / "bad", stored=6)
    assert (tmp_path / "bad").read_bytes() == bytes(bad)
    (tmp_path / "bad").write_bytes(data[: ends[1]])
    with pytest.raises(LogError, match="the rest is gone"):
        LogWriter.resume(tmp_path / "bad", stored=6)
    for path, said in ((tmp_path / "none", "cannot be continued"), (tmp_path, "cannot be continued")):
        with pytest.raises(LogError, match=said):
            LogWriter.resume(path)


def test_R9_a_log_appears_with_its_head_or_not_at_all(tmp_path):
    """What a crash left of a log that was being made does not stand in the way of the next."""
    (tmp_path / ".log.new").write_bytes(b"\xff" * 1000)
    log = writer(tmp_path / "log", reserved=500)
    assert os.listdir(tmp_path) == ["log"]
    assert read_log(tmp_path / "log").problems == []
    log.close()


def test_R9_rows_that_were_stored_are_stepped_over_and_those_behind_them_are_checked(small, tmp_path):
    """Only what was not acknowledged can have been cut: a log of hours is continued at once."""
    data, ends = small
    for damaged, kept in ((ends[0] + 40, 6), (ends[1] + 40, 6), (ends[2] + 40, 3)):
        bad = bytearray(data)
        bad[damaged] ^= 1
        (tmp_path / "log").write_bytes(bad)
        for stored in (3, 4, 5):  # 4 and 5 are within the last frame
            if kept < stored:
                with pytest.raises(LogError, match="is damaged"):
                    LogWriter.resume(tmp_path / "log", stored=stored)
                continue
            log = LogWriter.resume(tmp_path / "log", stored=stored)
            assert log.next_row == kept
            os.close(log._file)
            (tmp_path / "log").write_bytes(bad)
        found = read_log(tmp_path / "log")
        assert found.problems, "told by who reads the log"


def test_a_failed_write_is_taken_back(tmp_path, monkeypatch):
    log = writer(tmp_path / "log", reserved=0)
    log.rows(0, expected(0, 4))
    log.sync()
    real = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: real(file, data[:7], at) if len(data) > 50 else failing())

    def failing() -> int:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        log.rows(4, expected(4, 4))
    monkeypatch.setattr(os, "pwrite", real)
    log.rewind()
    assert log.next_row == 4
    log.rows(4, expected(4, 2))
    log.close()
    found = read_log(tmp_path / "log")
    assert found.problems == [] and len(found.rows) == 6 and same(found.rows)


def test_frames_come_one_by_one(small, tmp_path):
    data, ends = small
    (tmp_path / "log").write_bytes(data + b"\x01")
    parts = list(frames(tmp_path / "log"))
    assert [(first, len(rows)) for first, rows in parts] == [(0, 2), (2, 1), (3, 3)]
    assert same(np.concatenate([rows for _, rows in parts]))
    with LogReader(tmp_path / "log") as log:
        for _ in range(2):  # from the start each time
            assert len(list(log.frames())) == 3
            assert (log.good_bytes, log.next_row, len(log.problems)) == (ends[-1], 6, 1)
    assert repair_log(tmp_path / "log", tmp_path / "good").problems
    assert (tmp_path / "good").read_bytes() == data
