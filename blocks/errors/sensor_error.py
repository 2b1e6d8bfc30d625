"""Systematic errors of a sensor: gain, offset and drift.

    y_k = (1 + gain_error) u_k + offset + drift t_k,   t_k = k dt

The three errors are numbers for all channels or one for each. Time counts from the first tick of the run.
"""

from __future__ import annotations

from types import SimpleNamespace

from hybsim.blocks.errors.channels import per_channel
from hybsim.kernel import Integer, Params, Ports, Prepared, Sampled, State, Vector, kernel


class SensorError(Sampled):
    """Sensor with a gain error, an offset and a linear drift."""

    ins = Ports(signal="true quantity u")
    outs = Ports(measured="what the sensor says, y")
    params = Params(
        gain_error=Vector("error of the gain: 0.01 reads one percent too much; one number or one a channel", 0.0),
        offset=Vector("reading at zero, in the signal's unit; one number or one a channel", 0.0),
        drift=Vector("growth of the offset, in the signal's unit per s; one number or one a channel", 0.0),
        width=Integer("number of channels", 1, at_least=1),
    )
    state = State(tick=0.0)
    example = dict(gain_error=0.01, offset=0.05, drift=0.002)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        errors = {name: per_channel(name, getattr(q, name), q.width) for name in ("gain_error", "offset", "drift")}
        return Prepared(
            p=dict(gain=1.0 + errors["gain_error"], offset=errors["offset"], drift=errors["drift"], dt=dt),
            x=cls.state,
            widths=dict(signal=q.width, measured=q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(u.signal)):
            y.measured[i] = p.gain[i] * u.signal[i] + p.offset[i] + p.drift[i] * (x.tick * p.dt)

    @kernel
    def update(u, x, p):
        x.tick += 1.0
