"""What happens once in a process, measured in new ones: imports, lowering, compiling, loading.

    python fresh.py import MODULE...      seconds until the modules' names are there
    python fresh.py chain BLOCKS          a chain: wiring, hs.compile, one step
    python fresh.py fig_3_5               the same for the Fig. 3-5 diagram

Run as a program it prints one line of JSON; `measure` does that and reads it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def measure(*words: str, cache: Path | None = None) -> dict[str, Any]:
    """The report of a new process; with `cache` as the folder of compiled programs."""
    environment = {**os.environ, **({} if cache is None else {"HYBSIM_CACHE": str(cache)})}
    done = subprocess.run(
        [sys.executable, __file__, *words], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"fresh.py {' '.join(words)} failed:\n{done.stderr}")
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report


def imported(statement: str) -> dict[str, float]:
    start = time.perf_counter()
    exec(statement, {})
    return {"seconds": time.perf_counter() - start}


def compiled(make: str, *arguments: str) -> dict[str, float]:
    """A diagram from wiring to the first runs."""
    import numpy as np
    from chains import chain
    from fig_3_5 import DURATION, diagram
    from timing import duration, spread

    from hybsim import compile

    start = time.perf_counter()
    if make == "chain":
        bd, length = chain(int(arguments[0])), 2.0
    else:
        bd, length = diagram("linear"), DURATION
    wired = time.perf_counter()
    program = compile(bd)
    ready = time.perf_counter()
    begun = time.perf_counter()
    rows = np.zeros((program.run(length, engine="c").t.size, program.graph.columns))
    first = time.perf_counter() - begun
    p, x = program.vectors({})
    steps = [duration(lambda: program.engine_c.run(p, x.copy(), rows)) / len(rows) for _ in range(7)]
    return {
        "wire": wired - start,
        "compile": ready - wired,
        "first_run": first,
        "step": spread(steps).median,
    }


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    print(json.dumps(imported(rest[0]) if what == "import" else compiled(what, *rest)))
