"""Commands at the fast tick from targets that come once a step: extrapolation, then interpolation.

    t_k = (k + k_comp) / k_max,   k_comp = lead / dt,   k = 0, 1, ... k_max - 1 in each step                     (6.7)

    k <  compute_ticks:  u_k = d_i/6 (1+t) (2+t) (3+t) - d_{i-1}/2 t (2+t) (3+t)
                             + d_{i-2}/2 t (1+t) (3+t) - d_{i-3}/6 t (1+t) (2+t)                                 (6.5)
    k >= compute_ticks:  u_k = d_{i+1}/6 t (1+t) (2+t) - d_i/2 (t-1) (1+t) (2+t)
                             + d_{i-1}/2 t (t-1) (2+t) - d_{i-2}/6 t (t-1) (1+t)                                 (6.6)

A step has k_max = `ticks_per_step` ticks, the first one tick 0. The input holds d_{i+1}, the target of the step under
way, from tick `compute_ticks` of the step on (until then the integrator computes, and the input is not looked at) and
is taken as it stands at each tick; what it is at the last one counts as reached. Without a lead the command is d_i
at k = 0, then, and d_{i+1} one step later. Before the first step all targets are the first one: at rest there.

`method="quadratic"` puts parabolas in place of the cubics: FHT's interpolation through d_{i-1}, d_i and d_{i+1}, which
may be renewed within the step, and its extension from d_{i-2}, d_{i-1} and d_i.

Cubic motion (quadratic motion) is followed exactly, once four (three) of its targets are known. Otherwise the command
steps at k = compute_ticks by t (1+t) (2+t) / 6 nabla^4 d_{i+1} (t (1+t) / 2 nabla^3 d_{i+1}), and nowhere else; without
a lead and without compute_ticks there is no step at all.

An integrator on a slower clock publishes d_{i+1} at the tick at which it also takes the force of d_{i+1}. A lead of one
step (ticks_per_step dt, plus the actuator's lag) has the command there at that tick; all of the way is then
extrapolated. With less, the loop has a delay: one step less the lead.

Nakashima & Masaoka (1999), EERC Eqs. 2.32-2.33 and 6.5-6.7; FHT Fig. 2.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.generators.lead import lead_in_ticks, lead_parameter
from hybsim.blocks.generators.polynomials import cubic, parabola
from hybsim.errors import ParameterError
from hybsim.kernel import Choice, Integer, Params, Ports, Prepared, Sampled, State, kernel

MOST_STEPS_AHEAD = 2
"""A step of an integrator's own and another one of the actuator's lag."""


class CommandInterpolation(Sampled):
    """Command generator: extrapolates while the next target is computed, then interpolates to it."""

    ins = Ports(target="target displacement of the step under way d_{i+1}")
    outs = Ports(command="command displacement of the tick")
    params = Params(
        ticks_per_step=Integer("ticks in a step k_max: a target comes every so many ticks", at_least=1),
        compute_ticks=Integer("ticks of a step that pass before its target is known", 0, at_least=0),
        lead=lead_parameter(),
        method=Choice("order of the polynomials", "cubic", among=("cubic", "quadratic")),
        width=Integer("number of channels", 1, at_least=1),
    )
    state = State(k=0.0, started=0.0)
    example = dict(ticks_per_step=10, compute_ticks=4)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        if q.compute_ticks > q.ticks_per_step:
            raise ParameterError(
                f"{cls.__name__} cannot wait {q.compute_ticks} ticks for a target in a step of {q.ticks_per_step};"
                " give compute_ticks= up to ticks_per_step."
            )
        return Prepared(
            p=dict(
                k_max=float(q.ticks_per_step),
                compute=float(q.compute_ticks),
                lead=lead_in_ticks(q.lead, q.width, dt, q.ticks_per_step, MOST_STEPS_AHEAD),
            ),
            x=dict(past=np.zeros(4 * q.width), **cls.state),
            widths=dict(target=q.width, command=q.width),
            structure=dict(width=q.width, cubic=int(q.method == "cubic")),
        )

    @kernel
    def outputs(u, x, p, y):
        n = p.width
        for i in range(n):
            t = (x.k + p.lead[i]) / p.k_max
            if x.started == 0.0:
                y.command[i] = u.target[i]
            elif p.cubic == 1:
                if x.k < p.compute:
                    y.command[i] = cubic(1.0 + t, x.past[3 * n + i], x.past[2 * n + i], x.past[n + i], x.past[i])
                else:
                    y.command[i] = cubic(t, x.past[2 * n + i], x.past[n + i], x.past[i], u.target[i])
            else:
                if x.k < p.compute:
                    y.command[i] = parabola(1.0 + t, x.past[2 * n + i], x.past[n + i], x.past[i])
                else:
                    y.command[i] = parabola(t, x.past[n + i], x.past[i], u.target[i])

    @kernel
    def update(u, x, p):
        if x.started == 0.0:
            for j in range(4):
                for i in range(p.width):
                    x.past[j * p.width + i] = u.target[i]
            x.started = 1.0
        x.k += 1.0
        if x.k == p.k_max:
            x.k = 0.0
            renew(x.past, u.target)


@kernel
def renew(past, target):
    """Put a target in front of the last ones, newest first; the oldest is forgotten."""
    width = len(target)
    for j in range(len(past) - 1, width - 1, -1):
        past[j] = past[j - width]
    for i in range(width):
        past[i] = target[i]
