"""A figure that can be printed: every panel lettered, units on its axes, nothing beyond its edge."""

from __future__ import annotations


def assert_labelled_and_whole(figure, units: tuple[str, str]) -> None:
    """`units` end the label of the last x axis and of the first y axis."""
    figure.draw_without_rendering()
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height
    panels = [area for area in figure.axes if area.get_label() != "<colorbar>"]
    assert [area.get_title(loc="left") for area in panels] == [f"({x})" for x in "abcd"[: len(panels)]]
    assert panels[-1].get_xlabel().endswith(units[0]) and panels[0].get_ylabel().endswith(units[1])
