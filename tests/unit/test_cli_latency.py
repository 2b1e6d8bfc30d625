"""hybsim latency: its table from known histograms, its options, and one short measurement."""

from __future__ import annotations

import json

import pytest
from rig_files import DIAGRAM, rig_file

from hybsim.cli.latency import read_rates
from hybsim.errors import ParameterError
from hybsim.runtime.latency import Histogram, Latency
from hybsim.runtime.region import BINS, edge
from hybsim.runtime.timing import Timing
from hybsim.studies.deployment.latency_words import outcome


def bins(**counts: int) -> list[int]:
    """b40=3: three in bin 40."""
    made = [0] * BINS
    for name, count in counts.items():
        made[int(name[1:])] = count
    return made


FOUND = Latency(
    1000.0,
    Histogram(bins(b100=990, b110=9, b130=1), bins(b80=999, b90=1), 3, 2),
    Histogram(bins(b96=990, b102=9, b140=1), bins(), 1, 0),
    512.0,
    ((512.0, Timing(1000, 1.0 / 512.0, 1e-4, 1e-5, 0)), (1024.0, Timing(1000, 1.0 / 1024.0, 2e-3, 1e-5, 7))),
)


def us(bin_: int) -> str:
    """A bin's upper edge as the table has it."""
    return f"{1e6 * edge(bin_ + 1):.{3 if edge(bin_ + 1) < 1e-3 else 4}g}"


def test_the_table_has_the_quantiles_of_both_loops() -> None:
    made = outcome(FOUND, name="sdof", seconds=2.0, busy=1, driver="shm")
    took, rates = made.tables
    assert took.rows[0][1:] == (us(100), us(100), us(110), us(130), "3")
    assert took.rows[1][1:] == (us(96), us(96), us(102), us(140), "1")
    assert took.rows[2][1:] == (us(80), us(80), us(80), us(90), "")
    assert rates.rows == [("512", "1953", "100", "10", "0", "yes"), ("1024", "976.6", "2000", "10", "7", "no")]
    said = " ".join(made.conclusions)
    assert "highest rate that was tried and held is 512 ticks per second" in said
    assert f"p99.9 of waking up is {edge(111) / edge(103):.3g} times that of the bare loop" in said
    assert "no real-time priority (SCHED_FIFO); raise `ulimit -r`" in said and "memory is not locked" not in said
    assert made.summary["ratio_wake_p99_9"] == pytest.approx(edge(111) / edge(103))
    assert made.summary["loop"]["wake_p99_9_s"] == edge(111) and made.summary["bare"]["work_p50_s"] is None
    assert made.summary["held_hz"] == 512.0 and made.summary["loop"]["ticks"] == 1000


def test_the_picture_has_both_loops_and_the_period() -> None:
    made = outcome(FOUND, name="sdof", seconds=2.0, busy=0, driver="shm")
    figure = made.pictures[0].draw()
    wake, work = figure.axes
    assert [area.get_xlabel() for area in (wake, work)] == ["waking up [µs]", "working [µs]"]
    assert wake.get_ylabel() == "ticks"
    labels = {text.get_text() for legend in figure.legends for text in legend.get_texts()}
    assert labels == {"loop of the test", "bare loop", "period, 1000 µs"}
    assert "that only" not in made.introduction[0]


@pytest.mark.parametrize("words, rates", [(None, None), ("512", [512.0]), ("4096, 512,,1e3", [512.0, 1000.0, 4096.0])])
def test_rates_are_tried_from_the_lowest(words, rates) -> None:
    assert read_rates(words) == rates


@pytest.mark.parametrize("words", ["fast", "0", "-1", "nan", "1e9", "512,x"])
def test_rates_that_are_none_are_refused(words) -> None:
    with pytest.raises(ParameterError, match="--rates must be numbers from 1 to 100000"):
        read_rates(words)


@pytest.mark.parametrize(
    "options, says",
    [
        (["--seconds", "0"], "--seconds must be from 0.1 to 3600"),
        (["--busy", "-1"], "--busy must be from 0 to 1024"),
        (["--rates", "fast"], "got 'fast'"),
        ([DIAGRAM], "Name both the diagram and the rig file, or neither"),
        (["--set", "structure.mass=1"], "go with a diagram of your own"),
    ],
)
def test_what_is_wrong_is_refused(cli, options, says) -> None:
    done = cli("latency", *options)
    assert done.code == 2 and says in done.err and done.out == ""


def test_a_driver_without_a_device_has_no_latency(cli, tmp_path) -> None:
    assert (
        "Driver 'sim' is a model within the loop's own process"
        in cli("latency", DIAGRAM, "--rig", rig_file(tmp_path, "sim")).err
    )


def test_a_short_measurement_of_the_shipped_test(cli, tmp_path) -> None:
    done = cli("latency", "--seconds", 0.3, "--busy", 0, "--rates", "256", "--json", "-", "--out", tmp_path / "found")
    assert done.code == 0, done.err
    content = json.loads(done.out)
    assert content["diagram"] == "psi_vrths" and content["rate_hz"] == 4096.0 and content["driver"] == "shm"
    assert content["loop"]["ticks"] > 1000 and content["bare"]["ticks"] > 1000
    assert content["ratio_wake_p99_9"] > 0.0 and content["rates"][0]["rate_hz"] == 256.0
    report = (tmp_path / "found" / "report.html").read_text()
    assert "Latency of this machine" in report and "hybsim latency" in report
    assert (tmp_path / "found" / "latency.png").is_file()
