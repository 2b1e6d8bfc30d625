"""The kernel vocabulary: what blocks are declared with, and the translator's front end."""

from .block import Continuous, Function, KernelBlock, Sampled
from .external import External, ExternalFault, Session
from .parameters import Choice, Integer, Matrix, Param, Params, Positive, Real, Switch, Vector
from .spec import BlockSpec
from .vocabulary import Ports, Prepared, State, kernel, zeros

__all__ = [
    "BlockSpec", "Choice", "Continuous", "External", "ExternalFault", "Function",
    "Integer", "KernelBlock", "Matrix", "Param", "Params",
    "Ports", "Positive", "Prepared", "Real", "Sampled", "Session", "State", "Switch", "Vector", "kernel", "zeros",
]  # fmt: skip
