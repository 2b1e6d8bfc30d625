"""The look that the figures of the indicators share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hybsim.runtime.export import PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, ORANGE, GREEN, PURPLE, YELLOW, SKY, BLACK = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000",
)  # fmt: skip

STYLE: Any = {
    **PAPER, "font.size": 9.0, "axes.labelsize": 9.0, "axes.titlesize": 9.5, "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0, "legend.fontsize": 8.5, "lines.linewidth": 1.1, "mathtext.fontset": "stix",
    "hatch.linewidth": 0.4, "hatch.color": "0.75",
}  # fmt: skip

SIGNS = {"alpha": r"\alpha", "beta": r"\beta", "gamma": r"\gamma", "zeta": r"\zeta"}
SHARE_LABELS = {
    "alpha": r"$\alpha = M_n/M$ [-]",
    "beta": r"$\beta = C_n/C$ [-]",
    "gamma": r"$\gamma = K_n/K$ [-]",
}
DELAY_LABEL = r"$\Omega = \tau\omega_n$ [rad]"

UNSTABLE = "0.93"


def in_signs(words: str) -> str:
    """ "alpha = 0.8, zeta = 0.01" with Greek letters."""
    for name, sign in SIGNS.items():
        words = words.replace(name, f"${sign}$")
    return words


def letters(areas: Iterable[Axes]) -> None:
    for area, letter in zip(areas, "abcdefghi", strict=False):
        area.set_title(f"({letter})", loc="left")


def shade_neutral(area: Axes, low: float, high: float, *, words: str = "") -> None:
    """Between these shares, on the vertical axis, a test is unstable with any delay above 0."""
    area.axhspan(low, high, facecolor=UNSTABLE, edgecolor="0.75", hatch="////", linewidth=0.0, zorder=0.5)
    if words:
        area.text(
            0.5, 0.5 * (low + high), words, transform=area.get_yaxis_transform(), ha="center", va="center",
            fontsize=8.0, zorder=5, bbox=dict(facecolor="white", edgecolor="none", alpha=0.85, pad=2.0),
        )  # fmt: skip
