"""All timings, as a table and as JSON: every figure is a ratio or a duration, its parts measured by turns.

    python benchmarks/run.py [--quick] [--json FILE] [--only WORD]

A few minutes; --quick takes fewer and smaller samples, to see that everything works.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from pathlib import Path

import buildings
import chapter8
import cold_studies
import deployment
import indicators
import monte_carlo
import numpy as np
import opensees
import per_step
import start_up
import sweeps
from figures import table
from rich.console import Console
from rich.progress import Progress

from hybsim.runtime.compilers import find_compiler, flags

SECTIONS = {
    "fig_3_5": per_step.fig_3_5_figures,
    "bdsim": per_step.bdsim_figures,
    "bouc_wen": per_step.bouc_wen_figures,
    "chains": start_up.chain_figures,
    "cache": start_up.cache_figures,
    "import": start_up.import_figures,
    "sweep": sweeps.sweep_figures,
    "monte_carlo": monte_carlo.monte_carlo_figures,
    "chapter8": chapter8.chapter8_figures,
    "studies": cold_studies.cold_study_figures,
    "indicators": indicators.indicator_figures,
    "buildings": buildings.building_figures,
    "opensees": opensees.opensees_figures,
    "deployment": deployment.deployment_figures,
}


def machine() -> dict[str, object]:
    """Where and when: the compiler, and how busy the machine was."""
    compiler = find_compiler()
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
        "system": platform.system(),
        "cores": os.cpu_count(),
        "compiler": None if compiler is None else compiler.version,
        "flags": flags(checked=False),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Timings of hybsim, side by side.")
    parser.add_argument("--quick", action="store_true", help="fewer and smaller samples")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples to FILE")
    parser.add_argument("--only", choices=SECTIONS, action="append", help="one section; may be repeated")
    options = parser.parse_args()
    chosen = {name: SECTIONS[name] for name in options.only or SECTIONS}
    figures, loads = [], {}
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(chosen))
        for name, section in chosen.items():
            progress.update(task, description=name)
            figures += section(options.quick)
            loads[name] = os.getloadavg()[0]
            progress.advance(task)
    # In a pipe a console is 80 columns wide, too few for the figures' names.
    Console(width=max(120, Console().width)).print(table(figures))
    if options.json:
        report = {
            "machine": machine(),
            "load_average_after": loads,
            "quick": options.quick,
            "figures": [figure.as_json() for figure in figures],
        }
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    missed = [figure.what for figure in figures if figure.reached is False]
    if missed:
        print(f"{len(missed)} aim(s) not reached in this run.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
