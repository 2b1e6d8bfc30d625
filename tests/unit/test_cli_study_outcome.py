"""What is said and drawn of a Study that brings no words of its own: lines, dots, stopped runs, digits."""

from __future__ import annotations

import numpy as np
import pytest

import hybsim as hs
from hybsim.studies.measures import bounded, delay, eps_max, final, measure, peak
from hybsim.studies.reporting.study_outcome import outcome
from hybsim.studies.study import Study


def pushed():
    bd = hs.BDSim().blockdiagram("pushed", dt=0.1)
    bd.units = {"spring.force": "kip"}
    pulse = bd.COSINEPULSE(name="pulse", amplitude=1.0, duration=1.0)
    bd.SPRING(name="spring", stiffness=10.0, inputs=[pulse])
    return bd


def growing():
    """x' = k x: beyond the largest float for k = 1000 within 1 s."""
    bd = hs.BDSim().blockdiagram("growing", dt=0.01)
    gain = bd.GAIN(1.0, name="gain")
    state = bd.INTEGRATOR(x0=1.0, name="state")
    bd.connect(state, gain)
    bd.connect(gain, state)
    return bd


def found(diagram, space, measures, **keywords):
    study = Study(diagram, space=space, duration=1.0, measures=measures, **keywords)
    return outcome(study, study.run(jobs=1), name="mine")


def whole(figure) -> bool:
    """Nothing is clipped."""
    figure.draw_without_rendering()
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    return box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height


def test_a_second_parameter_is_a_line_for_each_value() -> None:
    space = hs.grid({"spring.stiffness": [10.0, 20.0, 30.0], "pulse.amplitude": [1.0, 2.0]})
    shown = found(pushed(), space, {"force": peak("spring.force")})
    (picture,) = shown.pictures
    figure = picture.draw()
    (area,) = figure.axes
    assert area.get_xlabel() == "spring.stiffness" and area.get_ylabel() == "force [kip]" and whole(figure)
    assert [text.get_text() for text in area.get_legend().get_texts()] == ["pulse.amplitude = 1", "pulse.amplitude = 2"]
    assert [line.get_ydata().tolist() for line in area.lines] == [[10.0, 20.0, 30.0], [20.0, 40.0, 60.0]]
    assert "`spring.stiffness`: stiffness" in picture.explanation and "the largest magnitude" in picture.explanation


def test_points_in_no_order_are_dots_against_every_parameter() -> None:
    space = hs.sobol({"spring.stiffness": (10.0, 20.0), "pulse.amplitude": (1.0, 2.0)}, 64)
    shown = found(pushed(), space, {"force": peak("spring.force")})
    figure = shown.pictures[0].draw()
    assert [area.get_xlabel() for area in figure.axes] == ["spring.stiffness", "pulse.amplitude"] and whole(figure)
    assert [area.get_title("left") for area in figure.axes] == ["(a)", "(b)"]
    assert all(len(area.lines[0].get_xdata()) == 64 and area.get_yscale() == "linear" for area in figure.axes)
    assert len(shown.tables[0].rows) == 60 and shown.tables[0].explanation.startswith("The first 60 of 64")
    assert len(shown.data["mine"]) == 64


def test_values_of_very_different_size_have_a_logarithmic_axis() -> None:
    space = [{"spring.stiffness": k} for k in (1.0, 1e4, 10.0)]
    (area,) = found(pushed(), space, {"force": peak("spring.force")}).pictures[0].draw().axes
    assert area.get_yscale() == "log" and area.lines[0].get_linestyle() == "None", "in no order, so no line"


def test_many_lines_are_dots_and_words_stand_side_by_side() -> None:
    space = hs.grid({"spring.stiffness": [1.0, 2.0], "pulse.amplitude": [0.1 * i for i in range(1, 9)]})
    assert len(found(pushed(), space, {"force": peak("spring.force")}).pictures[0].draw().axes) == 2
    bd = hs.BDSim().blockdiagram("ground", dt=0.02)
    bd.GROUNDMOTION(name="record", record="elcentro", max_duration=50.0)
    records = found(bd, hs.grid({"record.record": ["elcentro", "tabas"]}), {"pga": peak("record.accel")})
    (area,) = records.pictures[0].draw().axes
    assert [label.get_text() for label in area.get_xticklabels()] == ["elcentro", "tabas"]


def test_one_point_has_no_picture() -> None:
    shown = found(pushed(), [{}], {"force": peak("spring.force")})
    assert shown.pictures == [] and shown.conclusions == ["`force` is 10 at every point."]
    assert shown.title == "Study of the diagram `pushed`: 1 point"


def test_runs_that_stop_are_counted_and_marked() -> None:
    space = hs.grid({"gain.K": [1.0, 2.0, 1e5]})
    measures = {"end": final("state"), "ok": bounded("state", 10.0)}
    shown = found(growing(), space, measures, reference={"gain.K": 1.0})
    assert shown.conclusions[-1] == (
        "1 of 3 runs stopped early, at 1 of 3 points: there the test would have been lost."
    )
    assert [row[-1] for row in shown.tables[0].rows] == ["0 of 1", "0 of 1", "1 of 1"]
    assert shown.tables[0].rows[2][2] == "–", "no number for what was not measured"
    figure = shown.pictures[0].draw()
    crosses = figure.axes[0].lines[-1]
    assert crosses.get_marker() == "x" and crosses.get_xdata().tolist() == [1e5] and whole(figure)
    assert "cross" in shown.pictures[0].explanation and shown.summary["stopped"] == 1


def test_units_are_those_of_the_measure() -> None:
    def own(runs, reference):
        return np.zeros(len(runs["spring.force"]))

    measures = {
        "peak": peak("spring.force"), "eps": eps_max("spring.force"), "late": delay("pulse", "spring.force"),
        "last": final("pulse"), "own": measure(own, "spring.force"),
    }  # fmt: skip
    space = hs.grid({"spring.stiffness": [10.0, 20.0]})
    shown = found(pushed(), space, measures, reference={"spring.stiffness": 10.0})
    labels = [picture.draw().axes[0].get_ylabel() for picture in shown.pictures]
    assert labels == ["peak [kip]", "eps [-]", "late [ms]", "last", "own"]
    assert shown.summary["measures"]["own"] == "own; of spring.force"
    assert "by least squares" in shown.summary["measures"]["late"]


@pytest.mark.parametrize(
    "mean, std, said",
    [
        (0.06674, 0.0027, "0.0667 ± 0.0027"),
        (12.3456, 1.2, "12.3 ± 1.2"),
        (123.4, 45.0, "123 ± 45"),
        (0.8914, 1e-16, "0.8914 ± 0"),
        (0.0, 0.0, "0 ± 0"),
        (1.5, float("nan"), "1.5"),
        (float("nan"), float("nan"), "–"),
        (1e-9, 1e-10, "1e-09 ± 1e-10"),
    ],
)
def test_a_mean_has_the_digits_that_its_deviation_leaves(mean, std, said) -> None:
    from hybsim.studies.reporting.study_outcome import _spread

    assert _spread(mean, std) == said
