"""The look that the figures of the laboratories' studies share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.runtime.export import PAPER, paper_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, PINK, YELLOW, SKY, BLACK = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"
)  # fmt: skip

STYLE: Any = {
    **PAPER, "font.size": 9.0, "axes.labelsize": 9.0, "axes.titlesize": 9.5, "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0, "legend.fontsize": 8.5, "lines.linewidth": 0.9, "mathtext.fontset": "stix",
}  # fmt: skip

WIDTH = 7.2
"""Inches: that of a page between its margins."""


def figure_of(height: float, width: float = WIDTH) -> Figure:
    return paper_figure()(figsize=(width, height), layout="constrained")


def letters(areas: Any) -> None:
    """(a), (b), ... from left to right and from top to bottom."""
    for area, letter in zip(np.ravel(areas), "abcdefghijkl", strict=False):
        area.set_title(f"({letter})", loc="left")
