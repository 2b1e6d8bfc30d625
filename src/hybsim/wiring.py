"""Wiring diagrams: bdsim with hybsim's blocks, a base tick, and subsystems that share their parent's clocks."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from types import MethodType
from typing import Any, TypeAlias

import bdsim
from bdsim.block import Block, SubsystemBlock
from bdsim.blockdiagram import BlockDiagram
from bdsim.connect import Plug

from .blocks import CATALOGUE
from .errors import BlockError, DiagramError

Wirable: TypeAlias = Block | Plug


class BDSim(bdsim.BDSim):
    """bdsim's simulator with hybsim's blocks registered: ``bd.BOUCWEN(...)``, ``bd.DELAY(...)``.

    >>> sim = BDSim()
    >>> bd = sim.blockdiagram(dt=0.01)
    >>> spring = bd.SPRING(stiffness=10.0, name="spring")
    """

    def __init__(self, **options: Any) -> None:
        quiet = {
            "sysargs": False,
            "graphics": False,
            "progress": False,
            "banner": False,
            "quiet": True,
            "toolboxes": False,
        }
        super().__init__(**(quiet | options))

    def blockdiagram(self, name: str = "main", *, dt: float | None = None) -> BlockDiagram:
        """A new diagram; `dt` is its base tick in seconds, at which sampled blocks act."""
        if dt is not None and not (isinstance(dt, int | float) and math.isfinite(dt) and dt > 0):
            raise DiagramError(f"The base tick dt must be a positive number of seconds, got {dt!r}.")
        bd = super().blockdiagram(name=name)
        bd.dt = dt
        bd.base_clock = bd.clock(dt, name="base") if dt is not None else None
        _register(bd)
        return bd


def _register(bd: BlockDiagram) -> None:
    """Give the diagram one factory a block, upper case as in bdsim; our errors pass through unchanged."""
    for name, cls in CATALOGUE.items():
        setattr(bd, name, MethodType(_factory(cls), bd))


def _factory(cls: Any) -> Callable[..., Block]:
    def make(bd: BlockDiagram, *args: Any, **kwargs: Any) -> Block:
        if args:
            raise BlockError(f"{cls.__name__} takes keyword arguments only, such as {', '.join(cls.params) or 'name'}.")
        name = kwargs.get("name")
        if name is not None and name in bd.blocknames:
            raise DiagramError(f"The diagram already has a block named {name!r}; choose another name.")
        for source in kwargs.get("inputs") or ():
            if isinstance(source, Block) and source.nout > 1:
                ports = ", ".join(f"{source.name}.{port}" for port in source.outlabels or ()) or f"{source.name}[0]"
                raise DiagramError(
                    f"Block {source.name!r} has {source.nout} outputs and cannot be an input as a whole; name one of"
                    f" them: {ports}."
                )
        return cls(bd=bd, **kwargs)

    make.__doc__ = cls.__doc__
    return make


def subsystem(
    bd: BlockDiagram,
    wire: Callable[..., Mapping[str, Wirable]],
    *,
    name: str | None = None,
    inputs: Sequence[Wirable] = (),
) -> SubsystemBlock:
    """A part of a diagram as one block: cut there to deploy, or just to keep a large diagram readable.

    `wire(sub, first, second, ...)` wires the part in the diagram `sub`; its arguments after the first
    are the input ports, by name, and the mapping it returns gives the output ports::

        def rig(sub, disp_cmd):
            specimen = sub.SPRING(stiffness=10.0, name="specimen", inputs=[disp_cmd])
            return {"force_meas": specimen}

        block = subsystem(bd, rig, inputs=[integrator])

    Blocks inside are named ``rig/specimen``, and share the clocks of `bd`.
    """
    label = name or wire.__name__
    if label in bd.blocknames:
        raise DiagramError(f"The diagram already has a block named {label!r}; choose another name.")
    ports = list(inspect.signature(wire).parameters)[1:]
    sub = bd.runtime.blockdiagram(name=label)
    sub.dt, sub.base_clock = bd.dt, bd.base_clock
    sub.clock = bd.clock
    if not ports:
        raise DiagramError(f"Subsystem {label!r} has no inputs; give {wire.__name__} an argument after the diagram.")
    inport = sub.INPORT(len(ports), name="inport")
    outs = wire(sub, *(inport[i] for i in range(len(ports))))
    if not isinstance(outs, Mapping) or not outs:
        raise DiagramError(f"Subsystem {label!r}: {wire.__name__} must return a mapping of output names to blocks.")
    outport = sub.OUTPORT(len(outs), name="outport", inames=list(outs))
    for i, source in enumerate(outs.values()):
        sub.connect(source, outport[i])
    return SubsystemBlock(
        sub, name=label, bd=bd, nin=len(ports), nout=len(outs), inames=ports, onames=list(outs), inputs=inputs
    )
