"""The README's example runs as printed, and its numbers mean what it says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def example() -> str:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    return code


def lagged_peak(mean: float) -> float:
    """Peak displacement of the example with a deterministic lag, by central differences."""
    record = np.loadtxt(ROOT / "blocks/data/elcentro_1940_ns.csv", delimiter=",", skiprows=1)
    dt, m, c, k = 0.01, 0.2533, 0.159, 10.0
    t = np.arange(3001) * dt
    load = -m * 0.2 * 386.1 * np.interp(t, record[:, 0], record[:, 1])
    u = np.zeros(3002)
    for i in range(1, 3001):
        applied = u[i] - mean * (u[i] - u[i - 1])
        u[i + 1] = (load[i] - k * applied + 2 * m / dt**2 * u[i] - (m / dt**2 - c / (2 * dt)) * u[i - 1]) / (
            m / dt**2 + c / (2 * dt)
        )
    return float(np.abs(u[:3001]).max())


def test_the_example_is_about_twenty_lines_and_runs(capsys):
    code = example()
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    result, late, batch = names["result"], names["late"], names["batch"]
    assert sum(1 for line in code.splitlines() if line.strip()) <= 24
    # The random part of the lag (standard deviation 0.1 tick) changes the peak by well under 2 %.
    assert abs(result.peak("structure.disp_target") / lagged_peak(0.2) - 1) < 0.02
    assert abs(late.peak("structure.disp_target") / lagged_peak(1.0) - 1) < 0.02
    assert batch.shape == (3, 20) and len(capsys.readouterr().out.splitlines()) >= 2


def test_every_file_the_readme_names_exists():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert link.startswith("http") or (ROOT / link).exists(), link
