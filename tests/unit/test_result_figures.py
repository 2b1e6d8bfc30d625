"""Figures of a result: what is drawn, over what, with which labels, and where it is saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bare_package import python
from sample_results import bits

from hybsim.errors import ParameterError, RunError
from hybsim.runtime.result import Result, UnknownSignal


def test_plot_stacks_quantities_over_a_shared_time(result: Result) -> None:
    figure = result.plot("model.disp_target", "rig/sensor", "specimen.force", title="Run 1")
    upper, lower = figure.axes
    assert [line.get_label() for line in upper.lines] == ["model.disp_target", "rig/sensor.disp_meas"]
    assert [text.get_text() for text in upper.get_legend().get_texts()] == [
        "model.disp_target",
        "rig/sensor.disp_meas",
    ]
    assert upper.get_ylabel() == "disp [mm]"
    assert lower.get_ylabel() == "specimen.force [kN]" and lower.get_legend() is None
    assert lower.get_xlabel() == "time [s]" and upper.get_xlabel() == ""
    assert upper.get_shared_x_axes().joined(upper, lower)
    assert figure.get_suptitle() == "Run 1"
    assert bits(lower.lines[0].get_xdata()) == bits(result.t)
    assert bits(lower.lines[0].get_ydata()) == bits(result["specimen.force"])


def test_plot_over_another_signal_draws_loops(result: Result) -> None:
    (area,) = result.plot("specimen.force", x="rig/sensor").axes
    assert area.get_xlabel() == "rig/sensor.disp_meas [mm]" and area.get_ylabel() == "specimen.force [kN]"
    assert bits(area.lines[0].get_xdata()) == bits(result["rig/sensor"])
    with pytest.raises(ParameterError, match=r"name one component, as in 'modes.disp\[0\]'"):
        result.plot("specimen.force", x="modes")


def test_plot_draws_every_component_of_a_vector(result: Result) -> None:
    (area,) = result.plot("modes").axes
    assert [line.get_label() for line in area.lines] == ["modes.disp[0]", "modes.disp[1]", "modes.disp[2]"]


def test_plot_without_names_draws_everything(result: Result) -> None:
    assert sum(len(area.lines) for area in result.plot().axes) == 7


def test_plot_draws_into_an_axes_that_is_given(result: Result) -> None:
    from matplotlib.figure import Figure

    own = Figure()
    ax = own.subplots()
    assert result.plot("specimen.force", "rig/sensor", ax=ax, title="both") is own
    assert ax.get_title() == "both" and ax.get_ylabel() == "disp, force" and len(ax.lines) == 2


def test_plot_says_that_a_run_stopped(stopped: Result) -> None:
    assert stopped.plot("specimen").get_supxlabel() == str(stopped.stopped)


def test_plot_names_the_signal_it_does_not_know(result: Result) -> None:
    with pytest.raises(UnknownSignal, match=r"Did you mean 'specimen\.force'"):
        result.plot("specimen.forces")
    with pytest.raises(RunError, match="nothing to plot"):
        Result(np.zeros(1), {}, engine="c", manifest={}).plot()


def test_plot_draws_a_run_that_diverged(tmp_path: Path) -> None:
    values = np.array([1.0, -1e150, 1.7e308, -1.7e308, np.inf, np.nan])
    result = Result(np.arange(6.0), {"a.y": values, "b.y": values}, engine="c", manifest={})
    figure = result.plot("a", save=tmp_path / "diverged.png")
    assert figure.axes[0].lines[0].get_ydata()[1] == -1e150
    result.plot("a", x="b", save=tmp_path / "loop.png")


def inside(figure: Any) -> bool:
    """Whether all that is drawn, labels included, lies on the page."""
    figure.draw_without_rendering()
    drawn = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    return bool(drawn.x0 >= 0 and drawn.y0 >= 0 and drawn.x1 <= width and drawn.y1 <= height)


def test_nothing_of_a_plot_is_cut_off(result: Result) -> None:
    long = "building/third_storey/actuator.disp_measured"
    columns = {long: result["rig/sensor"], "specimen.force": 1e9 * result["specimen.force"]}
    wide = Result(result.t, columns, engine="c", manifest={"units": {"specimen.force": "kN"}})
    assert inside(wide.plot(title="A run"))
    assert inside(wide.plot("specimen.force", x=long))
    assert inside(result.plot())


def test_a_figure_is_saved_by_its_ending_and_shown_by_a_notebook(result: Result, tmp_path: Path) -> None:
    figure = result.plot("specimen.force", save=tmp_path / "force.png")
    result.plot("specimen.force", save=tmp_path / "force.pdf")
    assert (tmp_path / "force.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "force.pdf").read_bytes().startswith(b"%PDF")
    assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
    with pytest.raises(RunError, match="must end in one of"):
        result.plot("specimen.force", save=tmp_path / "force.txt")
    with pytest.raises(RunError, match="does not exist"):
        result.plot("specimen.force", save=tmp_path / "nowhere" / "force.png")


def test_plotting_leaves_the_readers_style_and_pyplot_alone(result: Result) -> None:
    code = (
        "import numpy as np, matplotlib; before = dict(matplotlib.rcParams)\n"
        "from hybsim.runtime.result import Result\n"
        "Result(np.zeros(2), {'a.y': np.ones(2)}, engine='c', manifest={}).plot('a')._repr_png_()\n"
        "print('matplotlib.pyplot' in sys.modules, dict(matplotlib.rcParams) == before)"
    )
    done = python(code, MPLBACKEND="agg")
    assert done.stdout.split() == ["False", "True"], done.stderr
