"""The modules in `support` are importable by the tests of whole diagrams."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent / "support"), str(Path(__file__).parents[1] / "support")]
