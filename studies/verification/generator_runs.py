"""Command generators in a diagram: targets that come a given number of ticks after they were asked for.

`delivered` runs an event-driven generator on the targets of a list, each sent as many ticks after the request for it
as a second list says; `commanded` runs COMMANDS on targets at whole steps. Both run in the compiled engine unless told
otherwise and give arrays over the ticks.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hybsim.kernel import Params, Ports, Prepared, Sampled, State, Vector, kernel
from hybsim.runtime.program import compile
from hybsim.runtime.result import Result
from hybsim.wiring import BDSim

DT = 0.001
K_MAX = 1200
OUTPUTS = ("command", "mode", "request", "counter", "steps")


class Messenger(Sampled):
    """Sends target n a given number of ticks after the request for it."""

    ins = Ports(request="1 at the tick at which the next target is asked for")
    outs = Ports(target="the target sent last", step="its number, 0 before the first")
    params = Params(targets=Vector("targets 1, 2, ..."), waits=Vector("ticks from the request to each of them"))
    state = State(sent=0.0, left=0.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(p=dict(targets=q.targets, waits=q.waits), x=cls.state)

    @kernel
    def outputs(u, x, p, y):
        y.step = x.sent
        y.target = p.targets[int(x.sent) - 1] if x.sent > 0.0 else 0.0

    @kernel
    def update(u, x, p):
        if u.request > 0.0 and int(x.sent) < len(p.waits):
            x.left = p.waits[int(x.sent)]
        if x.left > 0.0:
            x.left -= 1.0
            if x.left == 0.0:
                x.sent += 1.0


def delivered(
    factory: str,
    targets: ArrayLike,
    waits: ArrayLike,
    *,
    seconds: float,
    stiffness: float = 0.0,
    engine: str | None = None,
    **parameters: Any,
) -> SimpleNamespace:
    """The outputs of bd.<factory>(...) in front of a spring; when the waits are used up, no target comes any more."""
    bd = BDSim().blockdiagram(dt=DT)
    defaults = dict(step_time=0.01, mass=1.0, damping=0.1, ticks_per_step=K_MAX, hold_timeout=30.0)
    generator = getattr(bd, factory)(name="generator", **defaults | parameters)
    messenger = Messenger(bd=bd, name="messenger", targets=np.asarray(targets), waits=np.asarray(waits, dtype=float))
    spring = bd.SPRING(name="spring", stiffness=stiffness, inputs=[generator.command])
    bd.connect(generator.request, messenger.request)
    bd.connect(messenger.target, generator.target)
    bd.connect(messenger.step, generator.step)
    bd.connect(spring, generator.force_meas)
    result: Result = compile(bd).run(duration=seconds, engine=engine)
    return SimpleNamespace(**{name: np.array(result[f"generator.{name}"]) for name in OUTPUTS})


def landings(run: SimpleNamespace) -> np.ndarray:
    """The ticks at which a target was reached, the start included."""
    return np.flatnonzero(run.request)


def commanded(targets: np.ndarray, ticks_per_step: int, *, engine: str | None = None, **parameters: Any) -> np.ndarray:
    """The commands of COMMANDS, with a target at the start of every step, held until the next."""
    bd = BDSim().blockdiagram(dt=DT)
    source = bd.GROUNDMOTION(name="targets", record=np.repeat(targets, ticks_per_step), record_dt=DT)
    bd.COMMANDS(name="generator", ticks_per_step=ticks_per_step, inputs=[source], **parameters)
    result: Result = compile(bd).run(duration=(len(targets) * ticks_per_step - 1) * DT, engine=engine)
    return np.array(result["generator.command"])
