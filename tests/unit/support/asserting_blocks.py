"""Blocks that stop a run with assert; not in a test module, where pytest rewrites every assert."""

from __future__ import annotations

from hybsim.kernel import Continuous, Ports, Sampled, State, kernel


@kernel
def doubled(level):
    assert level < 40.0, "the level is 40 or more"
    return 2.0 * level


class Tank(Sampled):
    """Adds up what flows in; it holds 0 to 5."""

    ins = Ports(flow="what comes in at a tick")
    outs = Ports(level="what is in it")
    state = State(level=0.0, twice=0.0)

    @kernel
    def outputs(u, x, p, y):
        y.level = x.level

    @kernel
    def update(u, x, p):
        x.twice = doubled(x.level + u.flow)
        assert 0.0 <= x.level + u.flow <= 5.0, "the tank holds 0 to 5"
        x.level = x.level + u.flow


class Growth(Continuous):
    """x' = x, up to 2."""

    outs = Ports(level="x")
    state = State(level=1.0)

    @kernel
    def outputs(u, x, p, y):
        y.level = x.level

    @kernel
    def derivative(u, x, p, dx):
        assert x.level < 2.0, "the level has doubled"
        dx.level = x.level
