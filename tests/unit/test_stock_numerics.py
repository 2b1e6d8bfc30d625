"""bdsim's blocks and our kernels for them give the same numbers, block by block, with any `params=`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hybsim.blocks import stock
from hybsim.kernel.spec import blank, fresh, translate
from hybsim.wiring import BDSim

DT = 0.01
SAMPLES = 40
RNG = np.random.default_rng(20240229)
A = RNG.normal(size=(3, 3))
TABLE_X, TABLE_Y = [0.0, 0.3, 0.7, 1.0, 1.0, 2.5], [1.0, -2.0, 0.1, 0.3, 4.1, 1e-3]


def damped(speed, disp, c, k=3.0):
    force = c * speed
    if disp > 0.0:
        force += k * disp
    return force


def polar(a, b):
    return [math.sqrt(a * a + b * b), math.atan2(b, a)]


def scaled_sum(v, scale):
    total = 0.0
    for i in range(len(v)):
        total += scale * v[i] ** 2
    return total


CLOCK = object()
"""Stands for the base clock of the diagram a block is made in."""


class Later:
    """`MAKE.GAIN(3)` is what makes a block in a diagram: a function of that diagram."""

    def __getattr__(self, factory: str) -> Callable[..., Callable[[Any], Any]]:
        def keep(*args: Any, **kwargs: Any) -> Callable[[Any], Any]:
            return lambda bd: getattr(bd, factory)(*(bd.base_clock if a is CLOCK else a for a in args), **kwargs)

        return keep


MAKE = Later()


def part(subsystem: Callable[[Any], Any], name: str) -> Callable[[Any], Any]:
    """A block inside a subsystem, by its class."""
    return lambda bd: next(b for b in subsystem(bd).subsystem.blocklist if type(b).__name__ == name)


@dataclass
class Case:
    """`exact` is false where numpy sums or powers in its own order: then the last bits may differ."""

    make: Callable[[Any], Any]
    widths: tuple[int, ...]
    params: dict[str, Any]
    exact: bool = True
    inputs: tuple[float, float] = (-4.0, 4.0)


def case(make: Callable[[Any], Any], *widths: int, params: dict[str, Any] | None = None, **rest: Any) -> Case:
    return Case(make, widths, params or {}, **rest)


WAVE = {"freq": 1.7, "phase": 0.2, "amplitude": 2, "offset": -0.3, "duty": 0.3}
OTHER_WAVE = {"freq": 0.9, "phase": 0.7, "amplitude": 1.1, "offset": 0.2, "duty": 0.6}
LIMITED = {"gain": 70.0, "min": -1.0, "max": 2.0}
OTHER_LIMITED = {"gain": 30.0, "x0": 0.2, "min": -2.0, "max": 1.0}
PAIRS, OTHER_PAIRS = [(0.5, 1), (1.0, -2.5), (2, 4)], [(0, 3), (0.1, 4), (2.5, 5)]
VECTORS = [(0, np.r_[1.0, 2.0]), (1.5, np.r_[3.0, 4.0])]
COLUMNS = np.c_[[2.5, 0.0, 1.0, 1.5, 0.5], RNG.normal(size=(5, 2))]
PAIR = [lambda a, b: a - b, lambda a, b: max(a, b)]  # as bdsim documents it: several on one line
PI_D = {"P": 1.0, "I": 2.0, "D": 3.0}
ON_TABLE = {"inputs": (0.0, 2.5)}
ROUNDED = {"exact": False}

# fmt: off
CASES = {
    "constant": case(MAKE.CONSTANT(3), params={"value": -1.5}),
    "constant vector": case(MAKE.CONSTANT([1, 2.5]), params={"value": [0.1, 0.2]}),
    "time": case(MAKE.TIME()),
    "sine": case(MAKE.WAVEFORM("sine", **WAVE), params=OTHER_WAVE),
    "square": case(MAKE.WAVEFORM("square", **WAVE), params=OTHER_WAVE),
    "square at its edges": case(MAKE.WAVEFORM("square", freq=1, duty=0.5)),
    "triangle": case(MAKE.WAVEFORM("triangle", **WAVE), params=OTHER_WAVE),
    "wave in rad/s": case(MAKE.WAVEFORM("sine", freq=3, unit="rad/s", min=1, max=4)),
    "piecewise": case(MAKE.PIECEWISE(*PAIRS), params={"seq": OTHER_PAIRS}),
    "piecewise vector": case(MAKE.PIECEWISE(seq=VECTORS)),
    "step": case(MAKE.STEP(1.5, off=-1, on=2), params={"T": 0.25, "off": 4.0, "on": 5.5}),
    "ramp": case(MAKE.RAMP(0.7, off=0.1, slope=-0.3), params={"T": 1.3, "off": 1.0, "slope": 0.7}),
    "sum": case(MAKE.SUM("-+-+"), 1, 1, 1, 1),
    "sum of vectors": case(MAKE.SUM("+--"), 3, 1, 3),
    "sum of a number and vectors": case(MAKE.SUM("-++"), 1, 3, 1),
    "sum of angles": case(MAKE.SUM("+-", mode="rcCL"), 4, 4, inputs=(-30.0, 30.0)),
    "sum to an angle": case(MAKE.SUM("++", mode="c"), 1, 1, inputs=(-30.0, 30.0)),
    "prod": case(MAKE.PROD("/**/"), 1, 1, 1, 1),
    "prod of a vector": case(MAKE.PROD("*/*"), 3, 1, 1),
    "prod of vectors": case(MAKE.PROD("***/"), 3, 1, 3, 1, **ROUNDED),
    "gain": case(MAKE.GAIN(3), 1, params={"K": 0.1}),
    "gain of a vector": case(MAKE.GAIN(0.3), 4, params={"K": -2.0}),
    "vector gain of a number": case(MAKE.GAIN(np.r_[1.5, 2.5]), 1, params={"K": [3.0, 0.7]}),
    "vector gain of a vector": case(MAKE.GAIN(np.r_[1.5, 2.5]), 2, params={"K": [3.0, 0.7]}, **ROUNDED),
    "matrix gain": case(MAKE.GAIN(A[:, :2]), 3, params={"K": A[:, 1:]}, **ROUNDED),
    "matrix gain before": case(MAKE.GAIN(A[:2], premul=True), 3, params={"K": A[1:]}, **ROUNDED),
    "row gain before": case(MAKE.GAIN(A[:1], premul=True), 3, **ROUNDED),
    "column gain of a number": case(MAKE.GAIN(A[:, :1], premul=True), 1),
    "pow": case(MAKE.POW(3), 1, params={"p": 2.0}),
    "pow of a positive number": case(MAKE.POW(0.5), 1, inputs=(0.01, 9.0), params={"p": -1.7}),
    "square of a vector": case(MAKE.POW(2), 3, params={"p": -1.0}),
    "root of a vector": case(MAKE.POW(0.5), 3, inputs=(0.0, 9.0)),
    "pow of a vector": case(MAKE.POW(3), 3, params={"p": 5}, **ROUNDED),
    "clip": case(MAKE.CLIP(-1, 2), 1, params={"min": -3.0, "max": 0.5}),
    "clip below": case(MAKE.CLIP(min=0.5), 1, params={"max": 1.0}),
    "clip a vector": case(MAKE.CLIP([-1, -2], 1.5), 2, params={"min": [0.1, -3.0], "max": 1.0}),
    "table": case(MAKE.INTERPOLATE(TABLE_X, TABLE_Y), 1, params={"y": TABLE_Y[::-1]}, **ON_TABLE),
    "table of a vector": case(MAKE.INTERPOLATE(TABLE_X, TABLE_Y), 3, **ON_TABLE),
    "table of columns": case(MAKE.INTERPOLATE(xy=COLUMNS), 1, params={"x": [0, 2.5, 2, 1, 1.5]}, **ON_TABLE),
    "table of one column": case(MAKE.INTERPOLATE(xy=COLUMNS[:, :2]), 1, **ON_TABLE),
    "table of time": case(MAKE.INTERPOLATE([0, 1, 4], [0.3, 0.1, 0.5], time=True)),
    "function": case(MAKE.FUNCTION(damped, nin=2, fargs=[0.3], fkwargs={"k": 4}), 1, 1, params={"c": 1.5, "k": 7}),
    "function with a default": case(MAKE.FUNCTION(damped, nin=2, fkwargs={"c": 0.3}), 1, 1, params={"c": 2.0}),
    "function of a vector": case(MAKE.FUNCTION(scaled_sum, fargs=[0.7]), 3, params={"scale": 2.0}),
    "function with a list": case(MAKE.FUNCTION(polar, nin=2, nout=2), 1, 1),
    "lambda": case(MAKE.FUNCTION(lambda a: 3 * a**3 - abs(a) / 7), 1),
    "lambdas": case(MAKE.FUNCTION(PAIR, nin=2, nout=2), 1, 1),
    "function of math": case(MAKE.FUNCTION(math.tanh), 1),
    "builtin function": case(MAKE.FUNCTION(abs), 1),
    "integrator": case(MAKE.INTEGRATOR(0.5, **LIMITED), 1, params=OTHER_LIMITED),
    "integrator without limits": case(MAKE.INTEGRATOR(), 1, params={"max": 0.3}),
    "integrator of a vector": case(MAKE.INTEGRATOR([1.0, 2.0], min=[-1, -2]), 2, params={"x0": [3, 4], "min": [0, 1]}),
    "lti_ss": case(MAKE.LTI_SS(A, A[:, :2], A[0], x0=[1, 2, 3]), 1, 1, params={"A": -A, "x0": [0, 1, 2]}, **ROUNDED),
    "lti_ss with D": case(MAKE.LTI_SS(A, A[:, 0], A[0], D=np.r_[2.0]), 1, params={"C": A[1], "D": [[0.5]]}, **ROUNDED),
    "lti_siso": case(MAKE.LTI_SISO([1, 2], [2, 3, -4, 1]), 1, params={"x0": [1, 2, 3]}, **ROUNDED),
    "lti_siso with D": case(MAKE.LTI_SISO([3, 1, 2], [2, 3, -4], form="ocf"), 1, **ROUNDED),
    "lti_siso of order 1": case(MAKE.LTI_SISO(2, [0.5, 1]), 1),
    "deriv2": case(MAKE.DERIV2(3.0, zeta=0.7), 1, **ROUNDED),
    "zoh": case(MAKE.ZOH(CLOCK, 0.3), 1, params={"x0": 0.7}),
    "zoh of a vector": case(MAKE.ZOH(CLOCK, [1, 2]), 2),
    "integrator_s": case(MAKE.INTEGRATOR_S(CLOCK, **LIMITED), 1, params=OTHER_LIMITED),
    "integrator_s of a vector": case(MAKE.INTEGRATOR_S(CLOCK, [1, 2], gain=3), 2, params={"max": [0.5, 1.0]}),
    "integrator_s of a number": case(MAKE.INTEGRATOR_S(CLOCK, [1, 2]), 1),
    "deriv_s": case(MAKE.DERIV_S(CLOCK, 0.3, gain=1.7), 1, params={"gain": 0.3, "x0": 1.0}),
    "deriv_s of a vector": case(MAKE.DERIV_S(CLOCK, [1, 2]), 2),
    "lti_ss_s": case(MAKE.LTI_SS_S(CLOCK, A, A[:, :2], A[0]), 1, 1, params={"C": A[1], "x0": [0, 1, 2]}, **ROUNDED),
    "lti_siso_s": case(MAKE.LTI_SISO_S(CLOCK, [3, 1, 2], [2, 3, -4], order="forward"), 1, **ROUNDED),
    "mux": case(MAKE.MUX(3), 1, 2, 1),
    "mux of one": case(MAKE.MUX(1), 1),
    "demux": case(MAKE.DEMUX(3), 3),
    "index": case(MAKE.INDEX([2, 0, -1]), 4),
    "index of one": case(MAKE.INDEX([-2]), 3),
    "integral in pid": case(part(MAKE.PID(**PI_D, I_limit=0.5), "Integrator"), 1),
    "integral in pid_s": case(part(MAKE.PID_S(CLOCK, **PI_D, I_band=2.0), "Integrator_S"), 1),
    "difference in pid_s": case(part(MAKE.PID_S(CLOCK, **PI_D), "Deriv_S"), 1),
}
# fmt: on


def made(wanted: Case) -> Any:
    return wanted.make(BDSim().blockdiagram(dt=DT))


def by_kernels(spec: Any, values: dict[str, Any], t: float, inputs: list[Any], x: np.ndarray) -> dict[str, np.ndarray]:
    """Outputs, next state and derivative from the kernels."""
    prepared = spec.prepare(values, DT)
    kernels = translate(spec.kernels, spec.ins, spec.outs, prepared)
    u = SimpleNamespace(**{n: v.tolist() if np.ndim(v) else float(v) for n, v in zip(spec.ins, inputs, strict=True)})
    p, y = fresh({**prepared.p, **prepared.structure}), blank(spec.outs, prepared.widths)
    state, dx = SimpleNamespace(), SimpleNamespace()
    for name, start in prepared.x.items():
        setattr(state, name, x.tolist() if np.ndim(start) else float(x[0]))
        setattr(dx, name, [0.0] * x.size if np.ndim(start) else 0.0)
    kernels.python("outputs")(u, state, p, y, t)
    result = {"output": np.concatenate([np.ravel(getattr(y, name)) for name in spec.outs])}
    if spec.kind == "sampled":
        kernels.python("update")(u, state, p, t)
        result["next"] = np.ravel(state.x)
    elif spec.kind == "continuous":
        kernels.python("derivative")(u, state, p, dx, t)
        result["deriv"] = np.ravel(dx.x)
    return result


def by_bdsim(block: Any, t: float, inputs: list[Any], x: np.ndarray) -> dict[str, np.ndarray]:
    roles = {"continuous": ["output", "deriv"], "sampled": ["output", "next"]}.get(block.blockclass, ["output"])
    given = [v.copy() if np.ndim(v) else float(v) for v in inputs]
    values = {role: getattr(block, role)(t, given, x.copy()) for role in roles}
    return {role: np.concatenate([np.ravel(v) for v in value]) if role == "output" else np.ravel(value)
            for role, value in values.items()}  # fmt: skip


def compare(wanted: Case, block: Any, spec: Any, values: dict[str, Any], seed: int) -> None:
    rng = np.random.default_rng(seed)
    states = block.getstate0().size if spec.kind != "function" else 0
    for k in range(SAMPLES):
        t = float(rng.choice([rng.uniform(0.0, 3.0), round(rng.uniform(0.0, 3.0), 1)]))
        inputs = [rng.uniform(*wanted.inputs, size=w if w > 1 else None) for w in wanted.widths]
        if k % 4 == 0 and wanted.inputs[0] >= 0.0:  # tables are met at their points too
            inputs = [np.round(2.0 * v) / 2.0 for v in inputs]
        x = rng.uniform(-3.0, 3.0, size=states)
        expected, got = by_bdsim(block, t, inputs, x), by_kernels(spec, values, t, inputs, x)
        assert expected.keys() == got.keys()
        for role, numbers in expected.items():
            if wanted.exact:
                assert np.array_equal(numbers, got[role], equal_nan=True), (role, t, inputs, x, numbers, got[role])
            else:
                np.testing.assert_allclose(got[role], numbers, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("wanted", CASES.values(), ids=CASES)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_kernels_equal_bdsim(wanted: Case) -> None:
    block = made(wanted)
    spec = stock.spec(block, list(wanted.widths))
    widths = stock.out_widths(block, list(wanted.widths))
    assert [spec.prepare(spec.parameters, DT).widths.get(name, 1) for name in spec.outs] == widths
    if spec.kind != "function":
        start = spec.prepare(spec.parameters, DT).x["x"]
        assert np.array_equal(np.ravel(start), block.getstate0())
    compare(wanted, block, spec, dict(spec.parameters), 1)


@pytest.mark.parametrize("wanted", [pytest.param(c, id=name) for name, c in CASES.items() if c.params])
def test_parameters_mean_the_same_to_both(wanted: Case) -> None:
    block, untouched = made(wanted), made(wanted)
    spec = stock.spec(block, list(wanted.widths))
    undo = [stock.set_parameter(block, name, value) for name, value in wanted.params.items()]
    compare(wanted, block, spec, {**spec.parameters, **wanted.params}, 2)
    if "x0" in wanted.params:
        assert np.array_equal(block.getstate0(), np.ravel(wanted.params["x0"]))
    for step in reversed(undo):
        step()
    compare(wanted, block, spec, dict(spec.parameters), 3)
    compare(wanted, untouched, spec, dict(spec.parameters), 4)


def test_every_block_of_the_table_is_compared() -> None:
    met = {type(made(c)).__name__ for c in CASES.values()}
    lowered = {name for name, entry in stock.STOCK.items() if entry.kind in ("function", "continuous", "sampled")}
    assert lowered - met == {"InPort", "OutPort", "DIntegrator"}


def test_an_input_off_the_table_gives_nan_where_bdsim_raises() -> None:
    block = BDSim().blockdiagram(dt=DT).INTERPOLATE([0, 1], [2, 3])
    spec = stock.spec(block, [1])
    for v in (-0.1, 1.1, math.nan):
        assert math.isnan(by_kernels(spec, dict(spec.parameters), 0.0, [v], np.zeros(0))["output"][0])
    with pytest.raises(ValueError, match="interpolation range"):
        block.output(0.0, [1.1], None)


def test_a_nan_goes_through_clip_as_in_bdsim() -> None:
    block = BDSim().blockdiagram(dt=DT).CLIP(-1, 2)
    for inputs in ([math.nan], [np.array([math.nan, 0.5])]):
        spec = stock.spec(block, [np.size(inputs[0])])
        expected = by_bdsim(block, 0.0, inputs, np.zeros(0))["output"]
        got = by_kernels(spec, dict(spec.parameters), 0.0, inputs, np.zeros(0))["output"]
        assert np.array_equal(got, expected, equal_nan=True)


def test_a_nan_stays_in_the_sampled_integrator() -> None:
    bd = BDSim().blockdiagram(dt=DT)
    block = bd.INTEGRATOR_S(bd.base_clock)
    spec = stock.spec(block, [1])
    assert math.isnan(by_kernels(spec, dict(spec.parameters), 0.0, [math.nan], np.zeros(1))["next"][0])


def test_slices_choose_what_python_chooses() -> None:
    bd, u = BDSim().blockdiagram(dt=DT), np.arange(5.0)
    for index in ("::-1", "1:4:2", slice(None, -3), ":2"):
        block = bd.INDEX(index)
        spec = stock.spec(block, [5])
        expected = u[block.index]
        assert np.array_equal(by_kernels(spec, {}, 0.0, [u], np.zeros(0))["output"], expected)


def test_ports_of_a_flattened_subsystem_pass_what_they_get() -> None:
    bd = BDSim().blockdiagram(dt=DT)
    for block in (bd.INPORT(2), bd.OUTPORT(2)):
        spec = stock.spec(block, [1, 3])
        assert stock.out_widths(block, [1, 3]) == [1, 3]
        got = by_kernels(spec, {}, 0.0, [0.5, np.r_[1.0, 2.0, 3.0]], np.zeros(0))
        assert got["output"].tolist() == [0.5, 1.0, 2.0, 3.0]
