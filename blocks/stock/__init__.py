"""Kernels for bdsim's own blocks: the one table, and what the runtime asks of it.

STOCK       the blocks that can be lowered, by the name of their class in bdsim
out_widths  how wide a block's outputs are, for inputs of given widths
spec        a block as the engines see it
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from hybsim.blocks.stock import callables, connections, continuous, functions, interpolation, sampled, sources
from hybsim.blocks.stock.entry import StockEntry, factory_name, label, port_names, refuse
from hybsim.blocks.stock.sampled import clock_period
from hybsim.blocks.stock.text import written
from hybsim.errors import DiagramError, KernelError, ParameterError, near
from hybsim.kernel import BlockSpec, Params, Prepared
from hybsim.kernel.spec import translate

STOCK: dict[str, StockEntry] = {
    "Constant": sources.Constant(),
    "Time": sources.Time(),
    "WaveForm": sources.WaveForm(),
    "Piecewise": sources.Piecewise(),
    "Step": sources.Step(),
    "Ramp": sources.Ramp(),
    "Sum": functions.Sum(),
    "Prod": functions.Prod(),
    "Gain": functions.Gain(),
    "Pow": functions.Pow(),
    "Clip": functions.Clip(),
    "Interpolate": interpolation.Interpolate(),
    "Function": callables.Function(),
    "Integrator": continuous.Integrator(),
    "LTI_SS": continuous.LTI_SS,
    "LTI_SISO": continuous.LTI_SISO,
    "Deriv2": continuous.LTI_SISO,
    "ZOH": sampled.ZOH(),
    "Integrator_S": sampled.IntegratorS(),
    "DIntegrator": sampled.IntegratorS(),
    "Deriv_S": sampled.DerivS(),
    "LTI_SS_S": sampled.LTI_SS_S,
    "LTI_SISO_S": sampled.LTI_SISO_S,
    "Mux": connections.Mux(),
    "DeMux": connections.DeMux(),
    "Index": connections.Index(),
    "InPort": connections.Passage(),
    "OutPort": connections.Passage(),
    **{name: connections.Frame() for name in ("SubSystem", "SubsystemBlock", "Deriv", "PID", "PID_S")},
    **{name: connections.Sink() for name in "Scope ScopeXY ScopeXY1 Animation Print Null Watch".split()},
}

REASONS: dict[str, tuple[str, str]] = {
    "Stop": ("a run has a fixed duration", "look for the condition in the result"),
    "Event": (
        "zero crossings are not detected with a fixed step",
        "act on the sign of the signal in a FUNCTION",
    ),
    "Item": ("signals are numbers and vectors, not dictionaries", "use DEMUX or INDEX"),
    "Dict": ("signals are numbers and vectors, not dictionaries", "use MUX"),
    "Slice1": ("it is not in the table of stock blocks", "use INDEX"),
    **dict.fromkeys(
        "Inverse Transpose Flatten Slice2 Det Cond".split(),
        ("signals are numbers and vectors, not matrices", "write it as a hybsim block or a FUNCTION"),
    ),
}


def entry_of(block: Any) -> StockEntry | None:
    """The row of a block; a class of the same name from elsewhere has none, nor has a subclass."""
    cls = type(block)
    return STOCK.get(cls.__name__) if cls.__module__.split(".")[0] == "bdsim" else None


def is_supported(block: Any) -> bool:
    return entry_of(block) is not None


def is_sink(block: Any) -> bool:
    """Whether a block only shows, prints or discards its inputs."""
    entry = entry_of(block)
    return entry is not None and entry.kind == "sink"


def supported() -> list[str]:
    """The names the blocks are made with, as in bd.GAIN."""
    return sorted(name.upper() for name in STOCK if name != "SubsystemBlock")


def refusal(block: Any) -> str:
    """One sentence on a block that is not in the table: what, why, and what to use instead."""
    ours = type(block).__module__.split(".")[0] == "bdsim"
    default = ("its numerics are not written as kernels", "write it as a hybsim block or a FUNCTION")
    reason, instead = REASONS.get(type(block).__name__, default) if ours else default
    return f"{label(block)} cannot be lowered: {reason}; {instead}."


def _entry(block: Any) -> StockEntry:
    entry = entry_of(block)
    if entry is None:
        raise DiagramError(refusal(block))
    return entry


def out_widths(block: Any, in_widths: Sequence[int | None]) -> list[int | None]:
    """The number of elements on each output; None where that depends on an input not known yet."""
    return _entry(block).out_widths(block, list(in_widths))


def spec(block: Any, in_widths: Sequence[int]) -> BlockSpec:
    """A stock block as the engines see it, wired to inputs of these widths."""
    entry, widths = _entry(block), list(in_widths)
    if entry.kind not in ("function", "continuous", "sampled"):
        refuse(
            block,
            f"it is a {entry.kind} and has no kernels of its own",
            "leave it out, or lower the blocks inside",
        )
    ins, outs = port_names(block, *entry.ports(block))
    if len(widths) != len(ins):
        raise DiagramError(f"{label(block)} has {len(ins)} input(s), {len(widths)} of them connected; wire them all.")
    given = zip((*ins, *outs), (*widths, *entry.out_widths(block, widths)), strict=True)
    vectors = {port: width for port, width in given if width is not None and width > 1}
    settings = entry.settings(block)
    declared = Params(**{name: s.declaration for name, s in settings.items()})
    values = declared.resolve({name: s.value for name, s in settings.items()}, repr(block.name))

    def prepare(parameters: Mapping[str, Any], dt: float) -> Prepared:
        checked = declared.resolve({**values, **parameters}, repr(block.name))
        prepared = entry.prepare(block, SimpleNamespace(**checked))
        return Prepared(p=prepared.p, x=prepared.x, widths=vectors)

    bodies, helpers, type_name = entry.bodies(block, widths), entry.names_for(block), factory_name(block)
    made = BlockSpec(
        name=str(block.name), type=type_name, kind=entry.kind, ins=ins, outs=outs,
        parameters=values, prepare=prepare,
        kernels={role: written(type_name, role, body, ins, outs, helpers) for role, body in bodies.items()},
        period=clock_period(block) if entry.kind == "sampled" else None,
        check_run=lambda parameters, dt, duration: entry.check_run(block, parameters, duration),
    )  # fmt: skip
    if isinstance(entry, callables.Function):
        _translate_now(block, made)
    return made


def _translate_now(block: Any, made: BlockSpec) -> None:
    """A user's function may lie outside the kernel subset: say so with the block's name."""
    try:
        translate(made.kernels, made.ins, made.outs, made.prepare(made.parameters, 0.0))
    except KernelError as error:
        raise DiagramError(f"{label(block)} cannot be lowered: {error}") from None


def set_parameter(block: Any, name: str, value: Any) -> Callable[[], None]:
    """Give a bdsim block a parameter's value for its own engine; returns what undoes it, last one first."""
    settings = _entry(block).settings(block)
    if name not in settings:
        raise ParameterError(f"Block {block.name!r} has no parameter {name!r}.{near(name, settings)}")
    chosen = settings[name]
    checked = Params(**{name: chosen.declaration}).resolve({name: value}, repr(block.name))
    changes = chosen.attributes(checked[name])
    before = {attribute: vars(block)[attribute] for attribute in changes}
    vars(block).update(changes)

    def undo() -> None:
        vars(block).update(before)

    return undo
