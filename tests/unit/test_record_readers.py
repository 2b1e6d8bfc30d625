"""Readers of ground-motion files: layouts, header styles and the sentences of refusals.

Expected numbers are those written into the files by hand.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hybsim.blocks.sources.records import load_record
from hybsim.errors import RecordError

DATA = Path(__file__).parent / "data"
NEW_HEADER = "PEER\nsite\nACCELERATION TIME SERIES IN UNITS OF G\nNPTS= {npts}, DT= {dt} SEC\n"


def written(folder: Path, text: str | bytes, name: str = "motion.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def refusal(source, **options) -> str:
    with pytest.raises(RecordError) as caught:
        load_record(source, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message[-1] in ".?"
    assert ".." not in message.replace("...", "")
    return message


# PEER .AT2


def test_old_peer_header_and_fortran_exponents():
    record = load_record(DATA / "peer_old.AT2")
    assert record.dt == 0.005
    assert record.accel.tolist() == [
        0.001, -0.0025, 0.5, -0.75, 0.0125, 0.0, 0.001, -0.2, 0.03125, 0.04, -0.0625, 0.0008,
    ]  # fmt: skip
    assert record.pga == 0.75
    assert record.name == "peer_old"


def test_new_peer_header_with_points_that_do_not_fill_the_last_row():
    record = load_record(str(DATA / "peer_new.AT2"))
    assert record.dt == 0.02
    assert record.accel.tolist() == [-0.0008338791, -0.0008376303, 0.125, -0.25, 0.05, 0.0625, -0.00001]
    assert record.duration == pytest.approx(0.12, rel=1e-15)


@pytest.mark.parametrize(
    "line",
    [
        "NPTS=   2, DT=   .0050 SEC",
        "NPTS=2, DT=.0050SEC,",
        "NPTS =  2 , DT = 5.0E-03 SEC",
        "npts= 2 dt= 0.005",
        " 2   0.0050   NPTS, DT",
        "2 .005 NPTS,DT",
        "    2  0.5D-02  NPTS, DT,   ",
    ],
)
def test_variants_of_the_fourth_line(tmp_path, line):
    record = load_record(written(tmp_path, f"a\nb\nc\n{line}\n 0.5 -0.25\n", "x.at2"))
    assert (record.accel.tolist(), record.dt) == ([0.5, -0.25], 0.005)


def test_peer_file_is_known_by_content_whatever_its_suffix(tmp_path):
    path = written(tmp_path, (DATA / "peer_new.AT2").read_bytes(), "motion.dat")
    assert load_record(path).sha256 == load_record(DATA / "peer_new.AT2").sha256


def test_a_peer_header_far_down_is_no_header(tmp_path):
    path = written(tmp_path, "0.1\n" * 29 + "NPTS=1,DT=0.1\n0.2\n")
    assert "motion.txt, line 30: 2 columns where line 1 has 1." in refusal(path, dt=0.1)


def test_peer_file_with_dos_line_ends_and_end_of_file_character(tmp_path):
    dos = (DATA / "peer_old.AT2").read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") + b"\x1a"
    assert load_record(written(tmp_path, dos, "dos.AT2")).sha256 == load_record(DATA / "peer_old.AT2").sha256


@pytest.mark.parametrize(("npts", "held"), [(4, 3), (2, 3), (0, 3)])
def test_peer_file_with_another_number_of_values_than_promised(tmp_path, npts, held):
    path = written(tmp_path, NEW_HEADER.format(npts=npts, dt=0.01) + "0.1 0.2\n0.3\n", "x.AT2")
    said = f"x.AT2, line 4: the header promises NPTS={npts} values but the file holds {held};"
    assert said in refusal(path)


def test_peer_refusals(tmp_path):
    def at2(text: str) -> Path:
        return written(tmp_path, text, "x.AT2")

    good = NEW_HEADER.format(npts=2, dt=0.01) + "0.1 0.2\n"
    assert "x.AT2: no 'NPTS, DT' line among the first 20 lines" in refusal(at2("0.1\n0.2\n"))
    assert "x.AT2: the record is empty;" in refusal(at2(NEW_HEADER.format(npts=0, dt=0.01)))
    assert "line 4: DT must be greater than 0 and finite, got 0." in refusal(at2(good.replace("0.01", "0.0")))
    assert "got -0.01." in refusal(at2(good.replace("0.01", "-0.01")))
    assert "got inf." in refusal(at2(good.replace("0.01", "1e999")))
    assert "x.AT2, line 5: 'O.1' is not a number." in refusal(at2(good.replace("0.1 ", "O.1 ")))
    assert "the header says velocity;" in refusal(at2(good.replace("ACCELERATION", "VELOCITY")))
    assert "says unit 'CM/S/S' but unit='g'" in refusal(at2(good.replace("OF G", "OF CM/S/S")))
    assert "dt=0.02 was given but the record says 0.01; leave dt= out." in refusal(at2(good), dt=0.02)
    assert "leave out column= and skip=." in refusal(at2(good), skip=4)
    assert "leave out column= and skip=." in refusal(at2(good), column=1)


def test_peer_file_in_another_unit_is_read_when_the_caller_says_so(tmp_path):
    text = NEW_HEADER.format(npts=1, dt=0.01).replace("OF G", "OF CM/S/S") + "9.5\n"
    assert load_record(written(tmp_path, text, "x.AT2"), unit="cm/s/s").unit == "cm/s/s"


# Columns of text and csv


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "0.00 0.5\n0.01 -0.25\n0.02 0.125\n"),
        ("a.txt", "# made by hand\n\n  0.00\t0.5\n % pause\n0.01\t-0.25 # peak\n\n0.02\t0.125"),
        ("a.txt", "Time (s)  Acc (m/s2)\n0.00 0.5\n0.01 -0.25\n0.02 0.125\n"),
        ("a.txt", "0.00D+00 5.0D-01\r\n1.0d-2 -2.5d-1\r\n2.0E-2 +.125\r\n"),
        ("a.csv", "0.00,0.5\n0.01,-0.25\n0.02,0.125\n"),
        ("a.csv", '"time","acc (m/s2)"\n0.00, 0.5\n0.01, -0.25\n0.02, 0.125\n'),
        ("a.csv", "t;a\n0;.5\n0.01;-.25\n0.02;.125\n"),
        ("a.csv", "\ufeff'0','0.5'\n'0.01','-0.25'\n'0.02','0.125'\n"),
        ("a.csv", "\ufefftime,accel,\n0,0.5,\n0.01,-0.25,\n0.02,0.125,\n"),
        ("a.dat", "5.00 0.5\r5.01 -0.25\r5.02 0.125\r"),
    ],
)
def test_two_columns(tmp_path, name, text):
    record = load_record(written(tmp_path, text, name))
    assert record.accel.tolist() == [0.5, -0.25, 0.125]
    assert record.dt == pytest.approx(0.01, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.txt", "0.5\n-0.25\n"), ("a.txt", "% g\n 0.5\n\n-0.25"), ("a.csv", "accel\n0.5\n-0.25\n")],
)
def test_one_column_with_dt(tmp_path, name, text):
    record = load_record(written(tmp_path, text, name), dt=0.02)
    assert (record.accel.tolist(), record.dt, record.name) == ([0.5, -0.25], 0.02, "a")


def test_skip_leaves_out_lines_at_the_top(tmp_path):
    path = written(tmp_path, "Station 12\n2 3 4\n0.5\n-0.25\n")
    assert load_record(path, dt=0.02, skip=2).accel.tolist() == [0.5, -0.25]


def test_utf16_as_some_spreadsheets_write_it(tmp_path):
    path = written(tmp_path, "t,a\n0,0.5\n0.01,-0.25\n".encode("utf-16"), "a.csv")
    assert load_record(path).accel.tolist() == [0.5, -0.25]


def test_column_by_number_and_by_name(tmp_path):
    path = written(tmp_path, "time,ns,ew,date\n0,1,4,mon\n0.1,2,5,tue\n0.2,3,6,wed\n", "a.csv")
    assert load_record(path, column="ew").accel.tolist() == [4, 5, 6]
    assert load_record(path, column=" NS ").accel.tolist() == [1, 2, 3]
    assert load_record(path, column=np.int64(2)).accel.tolist() == [4, 5, 6]
    assert load_record(path, column=1).dt == pytest.approx(0.1, rel=1e-12)


def test_columns_without_time_when_dt_and_column_are_given(tmp_path):
    path = written(tmp_path, "1 4 7\n2 5 8\n3 6 9\n")
    record = load_record(path, dt=0.5, column=0)
    assert (record.accel.tolist(), record.dt) == ([1, 2, 3], 0.5)


def test_given_dt_is_taken_over_a_time_column_that_agrees(tmp_path):
    assert load_record(written(tmp_path, "0 1\n0.0200000001 2\n"), dt=0.02).dt == 0.02
    assert load_record(written(tmp_path, "0 1\n"), dt=0.02).dt == 0.02


def test_dt_is_the_short_decimal_that_was_meant(tmp_path):
    assert 0.58 / 29 != 0.02  # the mean step alone is off in its last bit
    text = "".join(f"{0.02 * k:.2f} 1\n" for k in range(30))
    assert load_record(written(tmp_path, text)).dt == 0.02


def test_dt_without_a_short_decimal_is_kept(tmp_path):
    text = "".join(f"{k / 3!r} 1\n" for k in range(40))
    assert load_record(written(tmp_path, text)).dt == pytest.approx(1 / 3, rel=1e-15, abs=0.0)


def test_large_time_offsets_do_not_make_a_uniform_column_uneven(tmp_path):
    # Seconds since 1970: neighbouring doubles are 2.4e-7 apart, far more than a millionth of dt.
    text = "".join(f"{1.7e9 + 0.01 * k!r} {k}\n" for k in range(50))
    assert load_record(written(tmp_path, text)).dt == pytest.approx(0.01, abs=2.4e-7 / 49 * 2)


def test_uneven_time_names_the_first_line_that_jumps(tmp_path):
    lines = [f"{0.02 * k:.2f} 0.1" for k in range(100)]
    gap = written(tmp_path, "# t a\n" + "\n".join(lines[:40] + lines[41:]))  # line 42 is 0.82 after 0.78
    assert "motion.txt, line 42: the time step jumps to 0.04 where dt is 0.02;" in refusal(gap)
    last = written(tmp_path, "0 1\n0.02 1\n0.04001 1\n")
    assert "motion.txt, line 3: the time step jumps to 0.02001 where dt is 0.02;" in refusal(last)
    back = written(tmp_path, "0 1\n0.02 1\n0.01 1\n0.03 1\n")
    assert "motion.txt, line 3: the time does not increase." in refusal(back)
    stuck = written(tmp_path, "0 1\n0 1\n")
    assert "motion.txt, line 2: the time does not increase." in refusal(stuck)
    far = written(tmp_path, "-1e308 1\n1e308 2\n")
    assert "motion.txt: the times are too far apart to be subtracted." in refusal(far)


def test_time_uneven_by_less_than_a_millionth_is_accepted(tmp_path):
    assert load_record(written(tmp_path, "0 1\n0.02 1\n0.04000001 1\n")).dt == pytest.approx(0.02, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "text", "line", "token"),
    [
        ("elcentro.csv", "t,a\n" + "0,0\n" * 15 + "0.1,abc\n0.2,0\n", 17, "'abc'"),
        ("a.csv", "O.0,O.0063\n0.02,0.1\n", 1, "'O.0'"),
        ("a.csv", "1.2abc,0.5xyz\n0.02,0.1\n", 1, "'1.2abc'"),
        ("a.csv", "time,accel\n0,,\n", 2, "''"),
        ("a.csv", "0,02;0,5\n0,04;0,6\n", 1, "'0,02'"),
        ("a.txt", "0.1\n0.2\n\n1_000\n", 4, "'1_000'"),
        ("a.txt", "# c\nabc\n0.2\n", 2, "'abc'"),
        ("a.txt", "0.1\n12%\n", 2, "'12%'"),
        ("a.txt", "0.1\n1.2-3.4\n", 2, "'1.2-3.4'"),
        ("a.txt", "0.1\n٣\n", 2, "'٣'"),
        ("a.txt", "0.1\n0x10\n", 2, "'0x10'"),
        ("a.txt", "0.1\n" + "z" * 60, 2, "'" + "z" * 37 + "...'"),
    ],
)
def test_a_token_that_is_not_a_number_names_file_and_line(tmp_path, name, text, line, token):
    message = refusal(written(tmp_path, text, name), dt=0.02)
    assert message.endswith(f"{name}, line {line}: {token} is not a number.")


@pytest.mark.parametrize("token", ["nan", "NaN", "inf", "-Inf", "+infinity", "1e999", "-1D+400"])
@pytest.mark.parametrize("first", [True, False])
def test_values_that_are_not_finite(tmp_path, token, first):
    text = f"{token}\n0.1\n" if first else f"0.1\n{token}\n"
    message = refusal(written(tmp_path, text), dt=0.02)
    assert message.endswith(f"motion.txt, line {1 if first else 2}: {token!r} is not a finite number.")
    table = written(tmp_path, f"{token},{token}\n0.1,0.2\n", "a.csv")
    assert refusal(table).endswith(f"a.csv, line 1: {token!r} is not a finite number.")


def test_refusals_of_text_files(tmp_path):
    one = written(tmp_path, "0.1\n0.2\n", "one.txt")
    three = written(tmp_path, "t,ns,ew\n0,1,2\n0.1,3,4\n", "three.csv")
    bare = written(tmp_path, "0 1 2\n0.1 3 4\n", "bare.txt")
    two = written(tmp_path, "0 1\n0.1 3\n", "two.txt")
    assert "one.txt: one column has no time in it, so give dt=," in refusal(one)
    assert "one.txt: column=1 is not one of 0 to 0." in refusal(one, dt=0.1, column=1)
    assert "three.csv: it has 3 columns (t, ns, ew), so say which one with column=." in refusal(three)
    assert "bare.txt: it has 3 columns, so say which one with column=." in refusal(bare)
    assert "three.csv: no column is called 'nss'. Did you mean 'ns'?" in refusal(three, column="nss")
    assert "It has no header line; give the column's number from 0." in refusal(bare, column="ns")
    assert "three.csv: column 0 is the time unless dt= is given as well." in refusal(three, column=0)
    assert "three.csv: column=-1 is not one of 0 to 2." in refusal(three, column=-1)
    assert "two.txt: dt=0.2 was given but the record says 0.1; leave dt= out." in refusal(two, dt=0.2)
    assert "one row does not give a time step; give dt= as well." in refusal(written(tmp_path, "0 1\n"))
    ragged = written(tmp_path, "# t a\n0 1\n0.1 3\n0.2\n")
    assert "motion.txt, line 4: 1 column where line 2 has 2." in refusal(ragged)


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "time,accel\n", "\ufeff"])
def test_empty_files(tmp_path, text):
    message = refusal(written(tmp_path, text, "void.csv"), dt=0.01)
    assert message.endswith("void.csv: the record is empty; it needs at least one value.")


def test_skipping_everything_is_an_empty_record(tmp_path):
    assert "the record is empty" in refusal(written(tmp_path, "1\n2\n"), dt=0.1, skip=9)
