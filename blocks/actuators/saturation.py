"""Saturation: a signal kept within limits, with a flag that says when a limit acts.

    within = min(max(signal, lower), upper)
    limited = 1 while signal < lower or signal > upper, else 0

Each channel has its own flag. Both outputs follow the signal within the tick. bdsim's CLIP is the same without the
flag.
"""

from __future__ import annotations

from types import SimpleNamespace

from hybsim.errors import ParameterError
from hybsim.kernel import Function, Integer, Params, Ports, Prepared, Real, kernel


class Saturation(Function):
    """Limits of a signal, with a flag."""

    ins = Ports(signal="what to limit")
    outs = Ports(within="the signal within the limits", limited="1 while a limit acts, else 0")
    params = Params(
        lower=Real("lower limit"),
        upper=Real("upper limit"),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(lower=-1.0, upper=1.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        if q.lower >= q.upper:
            raise ParameterError(
                f"Saturation needs a lower limit below the upper one, got lower={q.lower:g} and upper={q.upper:g};"
                " exchange them or widen the range."
            )
        return Prepared(p=dict(lower=q.lower, upper=q.upper), widths=dict.fromkeys((*cls.ins, *cls.outs), q.width))

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(u.signal)):
            y.within[i] = min(max(u.signal[i], p.lower), p.upper)
            y.limited[i] = 1.0 if u.signal[i] < p.lower or u.signal[i] > p.upper else 0.0
