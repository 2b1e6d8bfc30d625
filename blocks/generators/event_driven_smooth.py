"""Event-driven command generator that slows down and speeds up gradually: EVENTDRIVEN with another counter.

    v_{j+1} = min(1, v_j + 1/recovery, (hold - k_j) / (hold - slow)),   k_{j+1} = k_j + v_{j+1}       modes 0, 2, 3
    v_{j+1} = min(1, v_j + 1/recovery),                                 k_{j+1} = k_j + f v_{j+1}     mode 1

    slow = slow_at k_max,   hold = hold_at k_max;   with 0.6 and 0.8: v = 4 - k / (0.2 k_max) between them

The counter grows by v a tick: by 1 as long as the target comes before `slow`, then less and less, so that `hold` is
neared but not reached; after the update v rises by at most 1/recovery a tick, into the next step if need be. From 0 to
full speed it takes `recovery` ticks. f = R / (v_{j+1} + ... + v_{j+n}), where R is what is left to k_max at the update
and n the least number of ticks for which the sum of the growths reaches R: the counter comes to k_max at a tick,
without a remainder for the last one. 1 - f is less than 1/R; f = 1 in a step without delay.

With W = hold - slow, the counter's growth changes in a tick by at most 1/W on slowing down and 1/recovery + 1/R later,
R >= k_max - hold. At D_update the command still steps from one polynomial to the other, as that of EVENTDRIVEN.

Ports, events, polynomials and free vibration are those of EVENTDRIVEN. Mode 2 ends, and 3 (hold) begins, when v has
come down to 0.01; hold_timeout counts from there. A step of which the target comes a ticks after the D_target before
it lasts, if v was 1 there and comes back to 1 before the end,

    k_max                                                                   if a <= slow
    a + k_max - hold + W e + recovery/2 (1 - e)^2,   e = exp(-(a - slow)/W)      if not, within a tick

The slowing down of later practice with the chart of EERC Fig. 6-4; the landing and the recovery are ours.
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

from hybsim.blocks.generators.event_driven import EventDriven
from hybsim.errors import ParameterError
from hybsim.kernel import Integer, Params, Prepared


class EventDrivenSmooth(EventDriven):
    """Event-driven command generator that slows down and recovers without steps of velocity."""

    params = Params(
        **EventDriven.params,
        recovery=Integer(
            "ticks from standstill to full speed after an update; None for as many as lie between slow and hold",
            None,
            at_least=1,
            optional=True,
        ),
    )
    example = dict(step_time=0.01, mass=0.1, damping=0.3, ticks_per_step=50, hold_timeout=0.5, recovery=20)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        stepped = super().prepare(q, dt)
        recovery = q.recovery
        if recovery is None:
            recovery = stepped.p["hold"] - stepped.p["slow"]
        if recovery > q.ticks_per_step:
            raise ParameterError(
                f"{cls.__name__} cannot take {recovery} ticks to recover in a step of {q.ticks_per_step};"
                " give recovery= up to ticks_per_step."
            )
        return replace(
            stepped,
            p={**stepped.p, "recovery_rate": 1.0 / recovery},
            x={**stepped.x, "speed": 1.0, "factor": 1.0},
            structure={**stepped.structure, "smooth": 1},
        )
