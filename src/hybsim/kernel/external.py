"""A block that is computed outside the program: once a tick its inputs go out, its outputs come back.

    session = opener(parameters, dt, label)        before the first tick; refuses with a RunError
    y_k     = session.step(t_k, u_k)               once at each tick of the block, never inside an integration step
    session.close()                                after the run, however it ended

`u_k` and `y_k` are all inputs and all outputs of the block, one after the other. The session keeps its own state, so
every output follows every input within the tick. An ExternalFault ends the run at that tick with its sentence; what
was logged before is kept. A block that gets nan or inf does not pass it on: it answers nan, and the run is stopped in
the name of the block that it came from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any, ClassVar, Protocol

from ..errors import BlockError
from . import ir
from .block import Sampled
from .spec import BlockSpec, Translated
from .vocabulary import Prepared


class ExternalFault(Exception):
    """What is outside could not answer: the end of a sentence, such as "the model did not converge"."""


class Session(Protocol):
    """One run of something outside."""

    def step(self, t: float, inputs: Sequence[float]) -> Sequence[float]:
        """The outputs at one tick."""
        ...

    def close(self) -> None:
        """End it and give everything back; never fails."""
        ...


Opener = Callable[[SimpleNamespace, float, str], Session]
"""(parameters, dt, name of the block) -> Session."""


class External(Sampled):
    """A sampled block without kernels; `opener` is a function, or where to find one: "package.module:function".

    The name is looked up when a run begins: blocks are a layer below, or beside, the code that talks to hardware and
    processes.
    """

    opener: ClassVar[str | Opener]

    @classmethod
    def kernels(cls) -> dict[str, Callable[..., Any]]:
        if any(getattr(cls, role, None) is not None for role in ("outputs", "update", "derivative")):
            raise BlockError(f"{cls.__name__} is computed outside the program and can have no kernels.")
        return {}

    @classmethod
    def open(cls, q: SimpleNamespace, dt: float, label: str) -> Session:
        """A session for one run."""
        opener = cls.opener
        if isinstance(opener, str):
            module, _, name = opener.partition(":")
            opener = getattr(import_module(module), name)
        session: Session = opener(q, dt, label)
        return session

    @classmethod
    def translated(cls, prepared: Prepared) -> Translated:
        return outside(list(cls.ins), list(cls.outs))

    def spec(self) -> BlockSpec:
        cls, own = type(self), self._values

        def opened(values: Mapping[str, Any], dt: float, label: str) -> Session:
            changed = {n: cls.params.check(n, v, label) for n, v in values.items() if v is not own[n]}
            return cls.open(SimpleNamespace(**{**own, **changed}), dt, label)

        return replace(super().spec(), open=opened)

    def output(self, t: float, inputs: list[Any], x: Any) -> list[Any]:
        raise BlockError(f"Block {self._label} is computed outside the program; engines 'c' and 'python' run it.")


def outside(ins: Sequence[str], outs: Sequence[str]) -> Translated:
    """What stands for the kernels of an external block: nothing to compute, everything depends on everything."""
    return Translated({"outputs": ir.Function("outputs", "external", 0)}, {out: frozenset(ins) for out in outs})
