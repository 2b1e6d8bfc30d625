"""The store of a study: exact numbers, one study a file, one writer at a time, damage noticed."""

import doctest
import json
import math
import struct

import numpy as np
import pytest

from hybsim.blocks.sources.records import Record
from hybsim.errors import RunError
from hybsim.studies.measures import final, measure, peak
from hybsim.studies.running import fingerprint
from hybsim.studies.running.chunk import Measured
from hybsim.studies.running.fingerprint import digest
from hybsim.studies.running.store import Store

STUDY = {"program": "aa", "points": "bb"}


def chunk(number, *values):
    return Measured(number, {"u": np.array(values)}, np.arange(len(values)))


def filled(path, *chunks):
    with Store(path, STUDY) as store:
        for found in chunks:
            store.add(found)


def numbers(path):
    with Store(path, STUDY) as store:
        return {found.number: found.values["u"].tolist() for found in store.finished}


def test_numbers_come_back_with_the_same_bits(tmp_path):
    awkward = [
        0.1,
        -0.0,
        5e-324,
        1.7976931348623157e308,
        math.nan,
        math.inf,
        -math.inf,
        1 / 3,
        struct.unpack("<d", b"\x01\x02\x03\x04\x05\x06\xf0\x3f")[0],
    ]
    filled(tmp_path / "s.jsonl", chunk(2, *awkward))
    with Store(tmp_path / "s.jsonl", STUDY) as store:
        (found,) = store.finished
    assert found.number == 2 and found.values["u"].tobytes() == np.array(awkward).tobytes()
    assert found.ticks.dtype == np.int64 and found.ticks.tolist() == list(range(9))


def test_every_line_is_plain_json_and_there_when_it_was_added(tmp_path):
    path = tmp_path / "s.jsonl"
    with Store(path, STUDY) as store:
        assert len(path.read_text().splitlines()) == 1
        store.add(chunk(0, 1.5))
        assert [json.loads(line) for line in path.read_text().splitlines()][1]["values"] == {"u": [1.5]}
    assert numbers(path) == {0: [1.5]}


@pytest.mark.parametrize("lost", [1, 2, 5, 20, 40])
def test_a_last_line_that_was_cut_short_is_dropped_and_written_anew(tmp_path, lost):
    path = tmp_path / "s.jsonl"
    filled(path, chunk(0, 1.0), chunk(1, 2.0))
    whole = path.read_bytes()
    path.write_bytes(whole[:-lost])
    assert numbers(path) == {0: [1.0]}
    filled(path, chunk(1, 2.0))
    assert path.read_bytes() == whole


def test_what_is_left_of_a_long_line_does_not_stay_behind_a_shorter_one(tmp_path):
    path = tmp_path / "s.jsonl"
    filled(path, chunk(0, 1.0))
    expected = path.read_bytes()
    path.write_bytes(expected + b'{"chunk": 1, "ticks": [' + b"3119, " * 300)
    assert numbers(path) == {0: [1.0]}
    assert path.read_bytes() == expected


def test_a_cut_at_any_byte_leaves_a_store_that_goes_on(tmp_path):
    path = tmp_path / "s.jsonl"
    filled(path, chunk(0, 1.0), chunk(1, 2.0))
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        kept = numbers(path)
        complete = whole[:size].count(b"\n")
        assert kept == dict([(0, [1.0]), (1, [2.0])][: max(0, complete - 1)])


def test_a_line_that_was_changed_is_not_believed(tmp_path):
    path = tmp_path / "s.jsonl"
    filled(path, chunk(0, 1.0), chunk(1, 2.0), chunk(2, 3.0))
    path.write_bytes(path.read_bytes().replace(b"[2.0]", b"[2.5]"))
    assert numbers(path) == {0: [1.0], 2: [3.0]}


def test_the_store_of_another_study_is_refused_and_left_as_it_is(tmp_path):
    path = tmp_path / "s.jsonl"
    filled(path, chunk(0, 1.0))
    before = path.read_bytes()
    with pytest.raises(RunError) as refused:
        Store(path, {**STUDY, "points": "other", "seeds": "new"})
    assert (
        str(refused.value)
        == f"'{path}' is the store of another study, with other points and seeds; name a new file, or delete this one."
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"t,u\n0,1\n", b"{}\n", b'{"hybsim_study": 1}\n', b"\x00\xff\n", b"[1]\n", b"no newline"]
)
def test_a_file_that_is_no_store_is_refused_and_left_as_it_is(tmp_path, content):
    path = tmp_path / "results.csv"
    path.write_bytes(content)
    with pytest.raises(RunError, match=r"results.csv' is not a store of a study; name a new file, or delete this one"):
        Store(path, STUDY)
    assert path.read_bytes() == content


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    for place in (tmp_path, tmp_path / "missing" / "s.jsonl", "/dev/null"):
        with pytest.raises(RunError, match=r"The store '.*' cannot be opened \(.*\); name another file"):
            Store(place, STUDY)


def test_a_second_writer_is_refused_until_the_first_has_ended(tmp_path):
    path = tmp_path / "s.jsonl"
    with Store(path, STUDY) as first:
        with pytest.raises(
            RunError, match=r"is being written by another run of the study; wait for it, or name another file"
        ):
            Store(path, STUDY)
        first.add(chunk(0, 1.0))
    assert numbers(path) == {0: [1.0]}


# ---- digests


def test_equal_things_have_equal_digests_and_others_have_not():
    def twice(factor):
        return lambda runs, reference: factor * runs["u"][:, 0]

    different = [
        None, True, 1, 1.0, -0.0, 0.0, "1", b"1", [1], [[1]], {"a": 1}, {"a": 2}, {"b": 1}, np.array([1.0]), np.array([1]),
        np.array([[1.0]]), Record("r", [1.0, 2.0], 0.1), Record("r", [1.0, 3.0], 0.1), peak("u"), final("u"), peak("v"),
        measure(lambda runs, reference: runs["u"][:, 0], "u"), measure(lambda runs, reference: runs["u"][:, 1], "u"),
        measure(twice(2.0), "u"), measure(twice(3.0), "u"), range(3), range(4),
    ]  # fmt: skip
    digests = [digest(value) for value in different]
    assert len(set(digests)) == len(different)
    assert digests == [digest(value) for value in different]
    assert digest(measure(twice(2.0), "u")) == digest(measure(twice(2.0), "u"))
    assert digest((1, 2.0)) == digest([1, 2.0])


def test_what_cannot_be_told_apart_is_refused():
    with pytest.raises(RunError, match=r"A store cannot tell studies apart by a generator"):
        digest(n for n in range(3))


def test_the_examples_in_the_module_are_right():
    found = doctest.testmod(fingerprint)
    assert found.failed == 0 and found.attempted == 1
