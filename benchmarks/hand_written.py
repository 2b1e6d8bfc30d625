"""The hand-written C loops, built by hybsim's own builder: the same compiler and flags as emitted programs."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np

from hybsim.runtime.build import load

FOLDER = Path(__file__).parent / "c"


class Loop:
    """One C function `(parameters, ticks, rows)`; a call fills rows with the run from its beginning."""

    def __init__(
        self,
        file: str,
        function: str,
        parameters: ctypes.Structure,
        *,
        columns: int,
        table: np.ndarray | None = None,
    ) -> None:
        library = load((FOLDER / file).read_text(encoding="utf-8"), name=Path(file).stem)
        self.function = library[function]
        self.function.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p]
        self.function.restype = None
        self.parameters = parameters
        self.columns = columns
        self.table = table  # the parameters hold no more than its address

    def __call__(self, rows: np.ndarray) -> None:
        if rows.shape[1] != self.columns or rows.dtype != np.float64 or not rows.flags.c_contiguous:
            raise ValueError(f"rows must be contiguous float64 with {self.columns} columns, got {rows.shape}")
        self.function(ctypes.addressof(self.parameters), len(rows), rows.ctypes.data)
