"""Python code in a process of its own, in which hybsim is a bare package.

Its `__init__` imports bdsim, and with it matplotlib and scipy: without them a process starts soon, and what a module
imports by itself can be seen.
"""

from __future__ import annotations

import os
import subprocess
import sys

ALONE = """
import importlib.util, sys, types
package = types.ModuleType("hybsim")
package.__path__ = list(importlib.util.find_spec("hybsim").submodule_search_locations)
sys.modules["hybsim"] = package
"""


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the code, with these variables beside those of the environment."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    return subprocess.run([sys.executable, "-c", ALONE + code], capture_output=True, text=True, env=env, check=False)
