"""The record of a test: its numbers against the whole log, its errors against the guard's own verdict, its pictures."""

from __future__ import annotations

import numpy as np
import pytest
from deployments import RIG, deployment, rehearsed

from hybsim.hw.rig_file import parse_rig
from hybsim.runtime.guard_tables import FAULTS, STATES
from hybsim.runtime.log_frames import LogWriter
from hybsim.runtime.set_up import Fault
from hybsim.studies.deployment import pictures
from hybsim.studies.deployment.ended import Ended, lacking
from hybsim.studies.deployment.fault_words import read_fault
from hybsim.studies.deployment.record import ALLOWED, ERROR, POINTS, read_record
from hybsim.studies.deployment.words import conclusions, outcome

ENERGY = """
[energy]
index = "energy.hsei_i"
energy = "energy.e_input"
floor = 1e3
warn = 0.05
pause = 0.1
stop = 0.2
"""
LIVE = [list(STATES).index(state) for state in ("ARMED", "RUNNING", "PAUSED", "RAMP_DOWN")]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Four seconds that nothing stops: the deployment, the log in memory, the record."""
    made = deployment(extra=ENERGY)
    told = rehearsed(made, tmp_path_factory.mktemp("whole"), 4.0)
    return made, told, read_record(told.done.log, made.rig)


def followed_late(folder, words: str):
    """A test whose measured position is off, by words of `hybsim rig`."""
    text = RIG.replace("rate = 100.0", "rate = 1e4")
    made = deployment(text=text)
    fault: Fault = read_fault(words, ["disp_meas", "force_meas"], 1024.0)
    told = rehearsed(made, folder, 4.0, rig_faults=[fault], last_tick=3000)
    return made, told, read_record(told.done.log, made.rig)


def test_extremes_are_those_of_the_whole_log(whole) -> None:
    _, told, record = whole
    live = np.flatnonzero(np.isin(told["loop.state"], LIVE))
    part = slice(live[0], live[-1] + 2)  # the tick after belongs to it: it has the value that led to a stop
    for name in ("command.disp_cmd", "measured.disp_meas", "measured.force_meas", "energy.hsei_i"):
        assert record.extremes[name].low == told[name][part].min()
        assert record.extremes[name].high == told[name][part].max()
    assert record.rows == len(told.log.rows) == record.over


def test_states_are_entered_when_the_log_says_so(whole) -> None:
    _, told, record = whole
    assert [each.state for each in record.states] == told.states
    assert record.begun == told.first("RUNNING")
    for each in record.states:
        assert each.tick == told.first(each.state)
        assert each.time == pytest.approx((each.tick - record.begun) / 1024.0, abs=1e-12)
    assert record.ended == record.states[-1].time and record.late == 0 and record.counted == []


def test_a_history_keeps_every_peak(whole) -> None:
    _, told, record = whole
    for name in ("command.disp_cmd", "measured.force_meas"):
        history = record.histories[name]
        assert len(history.low) == len(record.times) <= POINTS
        assert np.nanmin(history.low) == record.extremes[name].low
        assert np.nanmax(history.high) == record.extremes[name].high
        assert (history.low <= history.high).all()
    at = int(np.argmax(told["measured.force_meas"]))
    group = int(np.nanargmax(record.histories["measured.force_meas"].high))
    size = record.times[1] - record.times[0]
    assert abs(record.times[group] - (at - record.begun) / 1024.0) <= size


def test_the_error_is_that_of_the_guard(tmp_path) -> None:
    """Three ticks beyond what is allowed pause the test: not one earlier, not one later."""
    made, told, record = followed_late(tmp_path, "offset=0.5:disp_meas@1s+0.05s")
    first = next(each for each in record.counted if each.name == "TRACKING")
    tick = record.begun + round(first.first * 1024.0)
    assert told.faults_at(tick) == ["TRACKING"] and "TRACKING" not in told.faults_at(tick - 1)
    one, sent, got = made.rig.measured["disp_meas"], told["command.disp_cmd"], told["measured.disp_meas"]

    def beyond(k: int) -> bool:
        speed = abs(sent[k - 1] - sent[k - 2]) * 1024.0
        return abs(sent[k - 1] - got[k]) > max(one.tracking.least, one.tracking.most * speed / 50.0)

    assert [beyond(k) for k in range(tick - 3, tick + 1)] == [False, True, True, True]
    assert record.worst_share["disp_meas"] > 1.0
    assert record.extremes[ERROR + "disp_meas"].high > record.extremes[ALLOWED + "disp_meas"].low
    paused = next(each for each in record.states if each.state == "PAUSED")
    assert paused.tick == tick and paused.why == ("TRACKING",)


def test_the_tick_of_a_stop_is_part_of_the_record(tmp_path) -> None:
    _, _, record = followed_late(tmp_path, "nan:force_meas@1s")
    stop = record.states[-1]
    assert stop.state == "ESTOP" and "SENSOR_NOT_FINITE" in stop.why
    found = {each.name: (each.ticks, each.first) for each in record.counted}
    assert found == {"COMMAND_NOT_FINITE": (1, stop.time), "SENSOR_NOT_FINITE": (1, stop.time)}
    assert np.isfinite(record.extremes["measured.force_meas"].high), "nan has no size"


def test_counts_are_those_of_the_log(tmp_path) -> None:
    _, told, record = followed_late(tmp_path, "drop@1s+0.002s")
    bits = told["loop.faults"].astype(int)[np.isin(told["loop.state"], LIVE)]
    assert {each.name: each.ticks for each in record.counted} == {
        name: int((bits >> i & 1).sum()) for i, name in enumerate(FAULTS) if (bits >> i & 1).any()
    }
    assert {each.name for each in record.counted} == {"FRAME_MISSED"}


def test_rows_that_are_missing_leave_time_as_it_is(whole, tmp_path) -> None:
    """Ticks come from the rows, not from how many there are."""
    made, told, record = whole
    rows = np.delete(told.log.rows, slice(1000, 1100), axis=0)
    writer = LogWriter(tmp_path / "gap.hslog", names=told.log.names, dt=told.log.dt, about={}, bytes_reserved=1 << 20)
    for first in range(0, len(rows), 500):
        writer.rows(first, rows[first : first + 500])
    writer.close()
    gap = read_record(tmp_path / "gap.hslog", made.rig)
    assert gap.rows == record.rows - 100 and gap.over == record.over
    assert [each.time for each in gap.states] == [each.time for each in record.states]
    for name, history in gap.histories.items():
        same = ~np.isnan(history.low)
        assert same.sum() > 0.9 * len(same)
        if not name.startswith((ERROR, ALLOWED)):
            assert (history.low[same] >= record.histories[name].low[same]).all()


def test_a_log_without_a_test_has_a_record_all_the_same(whole, tmp_path) -> None:
    made, told, _ = whole
    writer = LogWriter(tmp_path / "idle.hslog", names=told.log.names, dt=told.log.dt, about={}, bytes_reserved=1 << 20)
    writer.rows(0, told.log.rows[:3])
    writer.close()
    record = read_record(tmp_path / "idle.hslog", made.rig)
    assert record.begun is None and [each.state for each in record.states] == ["ESTOP", "IDLE", "CONFIGURED"]
    made_of = outcome(Ended("CONFIGURED", [], 0, 100, 0), record, made.rig, about(made))
    assert [picture.name for picture in made_of.pictures] == ["states"]
    assert made_of.title.endswith("not armed")
    made_of.pictures[0].draw()


# ---- pictures and words


def about(made) -> dict:
    return {"how": "virtual clock", "diagram": {"name": "virtual_rig"}}


WAKE = [0] * 512
WAKE[120], WAKE[140] = 100, 1


def test_every_axis_says_what_it_shows(whole) -> None:
    made, _, record = whole
    ended = Ended("FINISHED", [], 4097, 4097, 0, WAKE, WAKE, 1)
    found = outcome(ended, record, made.rig, about(made))
    assert [picture.name for picture in found.pictures] == [
        "positions", "tracking", "forces", "energy", "states", "timing"
    ]  # fmt: skip
    labels = {}
    for picture in found.pictures:
        figure = picture.draw()
        labels[picture.name] = [(area.get_xlabel(), area.get_ylabel()) for area in figure.axes]
        assert picture.title and (picture.explanation or picture.name == "forces")
        figure.draw_without_rendering()
        box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height, f"{picture.name} is clipped"
    time = "time in the laboratory [s]"
    assert labels["positions"] == [(time, "position [in]")] and labels["tracking"] == [(time, "error [in]")]
    assert labels["forces"] == [(time, "force_meas [kip]")] and labels["energy"] == [(time, "energy index [-]")]
    assert labels["states"][-1][0] == time
    assert labels["timing"] == [("waking up [µs]", "ticks"), ("working [µs]", "")]


def test_a_period_is_marked_and_states_are_shaded(whole, tmp_path) -> None:
    made, _, record = whole
    figure = pictures.timing([("loop", WAKE, WAKE)], 1.0 / 1024.0)
    for area in figure.axes:
        assert [line.get_xdata()[0] for line in area.lines] == [pytest.approx(976.5625)]
    (area,) = pictures.positions(record, made.rig).axes
    assert len([patch for patch in area.patches if patch.get_alpha() == 0.15]) == 2, "armed and ramp down"
    made, _, late = followed_late(tmp_path, "offset=0.5:disp_meas@1s+0.05s")
    (area,) = pictures.tracking(late, made.rig).axes
    assert {text.get_text() for text in area.get_legend().get_texts()} == {"allowed", "|disp_cmd - disp_meas|"}


def test_conclusions_say_how_it_ended(whole, tmp_path) -> None:
    made, _, record = whole
    well = conclusions(Ended("FINISHED", [], 4097, 4097, 0), record, made.rig)
    assert well[0] == "Finished: 4097 of 4097 ticks of the diagram were run."
    assert any("no row of the log is lost" in sentence for sentence in well)
    ill = conclusions(Ended("ESTOP", ["SENSOR_FROZEN"], 100, 4097, 3), record, made.rig)
    assert ill[0] == "Emergency stop (sensor frozen): 100 of 4097 ticks of the diagram were run."
    assert ill[1] == "Cause: a sensor did not change while its command moved."
    assert any("3 rows of the log are lost" in sentence for sentence in ill)
    asked = conclusions(Ended("FINISHED", [], 100, 4097, 0, interrupted=True), record, made.rig)
    assert asked[0].startswith("Ended early, at the home position:") and asked[1] == "The operator ended it."


@pytest.mark.parametrize(
    "ended, finished",
    [
        (Ended("FINISHED", [], 10, 10, 0), True),
        (Ended("FINISHED", [], 9, 10, 0), False),
        (Ended("FINISHED", ["TRACKING"], 10, 10, 0), False),
        (Ended("FINISHED", [], 10, 10, 1), False),
        (Ended("FINISHED", [], 10, 10, 0, interrupted=True), False),
        (Ended("ESTOP", [], 10, 10, 0), False),
    ],
)
def test_finished_is_said_of_nothing_else(ended, finished) -> None:
    assert ended.finished is finished


def test_every_right_that_is_lacking_has_its_sentence() -> None:
    assert lacking(0) == [] and len(lacking(7)) == 3
    assert "SCHED_FIFO" in lacking(2)[0] and "ulimit -r" in lacking(2)[0]


def test_a_rig_file_in_the_log_is_the_one_that_was_given(whole) -> None:
    made, _, _ = whole
    text = RIG.format(driver="sim", address="x") + ENERGY
    assert parse_rig(text).energy == made.rig.energy
