"""One number of a specimen, measured and in theory."""

from __future__ import annotations

Row = dict[str, str | float]
"""specimen, quantity, measured, theory, error, source, tolerance."""

ROUNDING = 1e-9


def row(specimen: str, quantity: str, measured: float, theory: float, source: str, tolerance: float = ROUNDING) -> Row:
    """The error is over the theory, or as it is where that is 0."""
    error = abs(measured - theory) / (abs(theory) or 1.0)
    return dict(
        specimen=specimen, quantity=quantity, measured=float(measured), theory=float(theory), error=float(error),
        source=source, tolerance=tolerance,
    )  # fmt: skip
