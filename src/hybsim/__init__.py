"""hybsim: block diagrams for hybrid simulation of structures, simulated in C and deployed to the rig.

import hybsim as hs

bd = hs.BDSim().blockdiagram(dt=0.01)
...
result = hs.compile(bd).run(duration=40.0)
"""

from importlib.metadata import version as _version

from .errors import HybsimError
from .kernel import (
    Choice,
    Continuous,
    Function,
    Integer,
    Matrix,
    Params,
    Ports,
    Positive,
    Prepared,
    Real,
    Sampled,
    State,
    Vector,
    kernel,
    zeros,
)
from .runtime.program import Program, compile
from .runtime.result import Result
from .runtime.sweep import Batch
from .wiring import BDSim, subsystem

__version__ = _version("hybsim")

__all__ = [
    "BDSim", "subsystem", "compile", "Program", "Result", "Batch", "HybsimError",
    "Sampled", "Continuous", "Function", "Ports", "State", "Params", "Prepared", "kernel", "zeros",
    "Choice", "Integer", "Matrix", "Positive", "Real", "Vector", "__version__",
]  # fmt: skip
