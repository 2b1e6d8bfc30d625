"""Blocks small enough to see through: a sum, a memory of one tick, and a vector."""

from __future__ import annotations

from hybsim.kernel import Function, Integer, Params, Ports, Prepared, Real, Sampled, State, kernel


class Accumulator(Sampled):
    """Counts its own ticks and sums its input."""

    ins = Ports(value="number to add")
    outs = Ports(total="sum before this tick", ticks="ticks so far")
    state = State(total=0.0, ticks=0.0)

    @kernel
    def outputs(u, x, p, y):
        y.total = x.total
        y.ticks = x.ticks

    @kernel
    def update(u, x, p):
        x.total = x.total + u.value
        x.ticks = x.ticks + 1.0


class Through(Sampled):
    """One output follows its input at once, the other is the input of the tick before."""

    ins = Ports(value="number")
    outs = Ports(now="the number", before="the number of the tick before")
    params = Params(gain=Real("factor", 2.0))
    state = State(last=1.0)

    @kernel
    def outputs(u, x, p, y):
        y.now = p.gain * u.value
        y.before = x.last

    @kernel
    def update(u, x, p):
        x.last = u.value


class Copies(Function):
    """The same number on several channels."""

    ins = Ports(value="number")
    outs = Ports(many="channels")
    params = Params(width=Integer("number of channels", 3, at_least=1))

    @classmethod
    def prepare(cls, q, dt):
        return Prepared(widths={"many": q.width})

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(y.many)):
            y.many[i] = u.value * (i + 1)
