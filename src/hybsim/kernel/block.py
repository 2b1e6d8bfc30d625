"""The base classes of hybsim's blocks: a bdsim block whose numerics are its kernels.

A leaf class declares `ins`, `outs`, `params`, `state`, its kernels and `example`, the keywords of a constructor
call that works as it stands; where parameters need conversion it adds ``prepare(q, dt) -> Prepared``. bdsim's own
`output`, `next` and `deriv` are supplied here by running those kernels.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
from bdsim.block import ContinuousBlock, FunctionBlock, SampledBlock

from ..errors import BlockError, ParameterError
from .parameters import REQUIRED, Params
from .spec import BlockSpec, Translated, blank, fresh, nothing, state_vector, translate
from .vocabulary import Ports, Prepared, State, is_kernel

BLOCK_ARGUMENTS = ("name", "inputs", "bd", "clock", "pos", "onames", "inames")


class _naming:
    """Say in which block a parameter is refused; a class, since it stands around every preparation of a sweep."""

    def __init__(self, label: str) -> None:
        self.label = label

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, ParameterError):
            text = str(error)
            raise ParameterError(text if self.label in text else f"Block {self.label}: {text}") from None


class KernelBlock:
    """What all hybsim blocks share; combined with one of bdsim's block classes below."""

    ins: ClassVar[Ports] = Ports()
    outs: ClassVar[Ports] = Ports()
    params: ClassVar[Params] = Params()
    state: ClassVar[State] = State()
    example: ClassVar[Mapping[str, Any]] = {}
    kind: ClassVar[str]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.nin, cls.nout = len(cls.ins), len(cls.outs)  # type: ignore[attr-defined]
        cls.inlabels = list(cls.ins) or None  # type: ignore[attr-defined]
        cls.outlabels = list(cls.outs) or None  # type: ignore[attr-defined]
        for port in (*cls.ins, *cls.outs):
            if hasattr(cls, port) or (port in cls.ins and port in cls.outs):
                raise BlockError(
                    f"Port {port!r} of {cls.__name__} is already an attribute or a port; choose another name."
                )
        keywords = [
            inspect.Parameter(
                n, inspect.Parameter.KEYWORD_ONLY, default=inspect._empty if p.default is REQUIRED else p.default
            )
            for n, p in cls.params.items()
        ]
        rest = inspect.Parameter("blockargs", inspect.Parameter.VAR_KEYWORD)
        cls.__signature__ = inspect.Signature([*keywords, rest])  # type: ignore[attr-defined]

    @classmethod
    def kernels(cls) -> dict[str, Callable[..., Any]]:
        found = {role: getattr(cls, role, None) for role in ("outputs", "update", "derivative")}
        for role, function in found.items():
            if function is not None and not is_kernel(function):
                raise BlockError(f"{cls.__name__}.{role} must be marked with @kernel.")
        return {role: function for role, function in found.items() if function is not None}

    @classmethod
    def translated(cls, prepared: Prepared) -> Translated:
        """The kernels for the types the parameters gave."""
        return translate(cls.kernels(), list(cls.ins), list(cls.outs), prepared)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        """Kernel parameters are the parameters themselves; blocks that need more override this."""
        return Prepared(p=vars(q), x=cls.state)

    @classmethod
    def settle(cls, q: SimpleNamespace, dt: float) -> Mapping[str, Any]:
        """Parameters fixed once the block is made, such as a maximum that was not given."""
        return {}

    @classmethod
    def check_run(cls, q: SimpleNamespace, dt: float, duration: float) -> None:
        """Refuse a run whose length makes no sense for the parameters."""

    @classmethod
    def _checks_runs(cls) -> bool:
        declaring = next(base for base in cls.__mro__ if "check_run" in vars(base))
        return declaring is not KernelBlock

    @classmethod
    def describe(cls, q: SimpleNamespace) -> Mapping[str, Any]:
        """What a result publishes about this block."""
        return vars(q)

    # construction -------------------------------------------------------------------------

    def _take(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Keep the parameters; give back what belongs to bdsim."""
        known = {k: v for k, v in arguments.items() if k in BLOCK_ARGUMENTS}
        self._label = repr(known.get("name") or type(self).__name__)
        if known.get("clock") is not None and self.kind != "sampled":
            raise BlockError(f"Block {self._label} takes no clock: it is a {self.kind} block and acts at all times.")
        self._values = self.params.resolve({k: v for k, v in arguments.items() if k not in known}, self._label)
        return known

    def _prepare_for(self, dt: float) -> None:
        self._dt = dt
        with _naming(self._label):
            self._values |= type(self).settle(SimpleNamespace(**self._values), dt)
            self.use(type(self).prepare(SimpleNamespace(**self._values), dt))
        self._kernels = self.translated(self._prepared)

    def use(self, prepared: Prepared) -> None:
        """Compute with these numbers, of the same shape, from now on."""
        self._prepared = prepared
        self._p = fresh({**prepared.p, **prepared.structure})
        x0 = state_vector(prepared.x)
        self._x0 = x0 if x0.size else np.zeros(1)  # bdsim wants a state in every sampled block

    @property
    def widths(self) -> Mapping[str, int]:
        """Ports that carry vectors, with their length."""
        return self._prepared.widths

    @property
    def _direct(self) -> bool:
        return any(self._kernels.feedthrough.values())

    def spec(self) -> BlockSpec:
        """This block, for the runtime."""
        cls = type(self)

        label = repr(self.name)  # type: ignore[attr-defined]

        own = self._values

        def resolved(values: Mapping[str, Any]) -> SimpleNamespace:
            # Those that are as built were checked when the block was made.
            changed = {n: cls.params.check(n, v, label) for n, v in values.items() if v is not own[n]}
            return SimpleNamespace(**{**own, **changed})

        def prepare(values: Mapping[str, Any], dt: float) -> Prepared:
            with _naming(label):
                return cls.prepare(resolved(values), dt)

        def check_run(values: Mapping[str, Any], dt: float, duration: float) -> None:
            with _naming(label):
                cls.check_run(resolved(values), dt, duration)

        clock = getattr(self, "_clock", None)
        return BlockSpec(
            name=str(self.name), type=cls.__name__, kind=cls.kind,  # type: ignore[attr-defined]
            ins=tuple(self.ins), outs=tuple(self.outs), parameters=dict(self._values), prepare=prepare,
            kernels=self.kernels(), period=clock.T if clock is not None else None,
            check_run=check_run if cls._checks_runs() else nothing,
            describe=lambda values: cls.describe(resolved(values)),
            prose={**self.ins, **self.outs},
        )  # fmt: skip

    # bdsim's interface --------------------------------------------------------------------

    def _inputs(self, values: list[Any]) -> SimpleNamespace:
        u = blank(list(self.ins), self._prepared.widths)
        for name, value in zip(self.ins, values, strict=True):
            flat = np.ravel(np.asarray(value, dtype=float)).tolist()
            setattr(u, name, flat if name in self._prepared.widths else flat[0])
        return u

    def _state(self, vector: Any) -> SimpleNamespace:
        x, offset = SimpleNamespace(), 0
        for name, initial in self._prepared.x.items():
            size = np.size(initial)
            part = [float(v) for v in vector[offset : offset + size]]
            setattr(x, name, part if isinstance(initial, np.ndarray) else part[0])
            offset += size
        return x

    def _vector(self, x: SimpleNamespace, length: int) -> np.ndarray:
        flat = state_vector({name: np.asarray(getattr(x, name)) for name in self._prepared.x})
        return flat if flat.size == length else np.zeros(length)

    def output(self, t: float, inputs: list[Any], x: Any) -> list[Any]:
        y = blank(list(self.outs), self._prepared.widths)
        if "outputs" in self._kernels.functions:
            self._kernels.python("outputs")(self._inputs(inputs), self._state(x), self._p, y, t)
        return [np.array(v) if isinstance(v, list) and len(v) > 1 else (v[0] if isinstance(v, list) else v)
                for v in (getattr(y, name) for name in self.outs)]  # fmt: skip


class Sampled(KernelBlock, SampledBlock):
    """A block that acts at the ticks of a clock; without one, at the diagram's base tick."""

    kind = "sampled"

    def __init__(self, **arguments: Any) -> None:
        known = self._take(arguments)
        clock = known.pop("clock", None) or getattr(known.get("bd"), "base_clock", None)
        if clock is None:
            raise BlockError(
                f"Sampled block {known.get('name') or type(self).__name__!r} has no clock;"
                " make the diagram with sim.blockdiagram(dt=...) or pass clock=."
            )
        self._prepare_for(clock.T)
        SampledBlock.__init__(self, clock, x0=self._x0, feedthrough=self._direct, **known)

    def next(self, t: float, inputs: list[Any], x: Any) -> np.ndarray:
        state = self._state(x)
        if "update" in self._kernels.functions:
            self._kernels.python("update")(self._inputs(inputs), state, self._p, t)
        return self._vector(state, len(x))


class Continuous(KernelBlock, ContinuousBlock):
    """A block with a derivative, integrated between ticks."""

    kind = "continuous"

    def __init__(self, **arguments: Any) -> None:
        known = self._take(arguments)
        self._prepare_for(getattr(known.get("bd"), "dt", None) or 0.0)
        ContinuousBlock.__init__(self, x0=self._x0, feedthrough=self._direct, **known)

    def deriv(self, t: float, inputs: list[Any], x: Any) -> np.ndarray:
        state = self._state(x)
        dx = self._state(np.zeros(len(x)))
        self._kernels.python("derivative")(self._inputs(inputs), state, self._p, dx, t)
        return self._vector(dx, len(x))


class Function(KernelBlock, FunctionBlock):
    """A block without state: its outputs follow its inputs at any time."""

    kind = "function"

    def __init__(self, **arguments: Any) -> None:
        known = self._take(arguments)
        self._prepare_for(getattr(known.get("bd"), "dt", None) or 0.0)
        FunctionBlock.__init__(self, **known)
