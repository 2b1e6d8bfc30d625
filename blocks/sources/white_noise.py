"""Band-limited white noise: a flat spectrum up to half the noise's own sampling rate.

    y(t) = sqrt(power / T) z_j,   j = floor(t / T),   z_j ~ N(0, 1)

    power  height of the two-sided power spectral density per Hz: variance x T
    T      sample_time, after which a new number is drawn; 0 to 1/(2T) Hz is the band

This is the definition of Simulink's Band-Limited White Noise. The 0 to 50 Hz noise of EERC
Sec. 3.4.1 has T = 0.01 s.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

from hybsim.blocks.sources.random_numbers import normal, seed_parameter, seeded_normals
from hybsim.blocks.ticks import whole_ticks
from hybsim.kernel import Integer, Params, Ports, Positive, Prepared, Real, Sampled, kernel


class WhiteNoise(Sampled):
    """Band-limited white noise of a given spectral density, held between its samples."""

    outs = Ports(value="the noise")
    params = Params(
        power=Real("two-sided power spectral density, unit^2/Hz", at_least=0.0),
        sample_time=Positive(
            "seconds between new numbers, a whole number of ticks; None for one tick", None, optional=True
        ),
        seed=seed_parameter(),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(power=0.01, seed=1)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        period = 1 if q.sample_time is None else whole_ticks("sample_time", q.sample_time, dt)
        rng, z = seeded_normals(q.seed, q.width)
        return Prepared(
            p=dict(std=math.sqrt(q.power / (period * dt)), period=period),
            x=dict(rng=rng, z=z, age=0.0),
            widths=dict(value=q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(y.value)):
            y.value[i] = p.std * x.z[i]

    @kernel
    def update(u, x, p):
        x.age += 1.0
        if x.age >= p.period:
            x.age = 0.0
            for i in range(len(x.z)):
                x.z[i] = normal(x.rng)
