"""hybsim: block diagrams for hybrid simulation of structures, simulated in C and deployed to the rig.

    import hybsim as hs

    bd = hs.BDSim().blockdiagram(dt=0.01)
    ...
    result = hs.compile(bd).run(duration=40.0)

What blocks are written with is in `hybsim.kernel`. The names below are loaded when first used, so that
`hybsim --help` does not wait for bdsim and matplotlib.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import HybsimError
    from .hw.rig_file import read_rig
    from .runtime.deployment import Deployment
    from .runtime.program import Program, compile
    from .runtime.result import Result
    from .runtime.sweep import Batch
    from .studies.spaces import grid, random, sobol
    from .studies.study import Study
    from .wiring import BDSim, subsystem

__version__ = _version("hybsim")

_HOME = {
    "BDSim": "wiring",
    "subsystem": "wiring",
    "compile": "runtime.program",
    "Program": "runtime.program",
    "Result": "runtime.result",
    "Batch": "runtime.sweep",
    "Deployment": "runtime.deployment",
    "read_rig": "hw.rig_file",
    "Study": "studies.study",
    "grid": "studies.spaces",
    "random": "studies.spaces",
    "sobol": "studies.spaces",
    "HybsimError": "errors",
}

__all__ = [
    "BDSim",
    "subsystem",
    "compile",
    "Program",
    "Result",
    "Batch",
    "Deployment",
    "read_rig",
    "Study",
    "grid",
    "random",
    "sobol",
    "HybsimError",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'hybsim' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    value = getattr(import_module(f"hybsim.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
