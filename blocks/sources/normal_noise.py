"""Normal noise: a new, independent number at every tick.

    y_k = mean + sqrt(variance) z_k,   z_k ~ N(0, 1)

With several channels, the channels of a tick are drawn one after the other from the same stream.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

from hybsim.blocks.sources.random_numbers import normal, seed_parameter, seeded_normals
from hybsim.kernel import Integer, Params, Ports, Prepared, Real, Sampled, kernel


class NormalNoise(Sampled):
    """Normally distributed noise, a new number at every tick."""

    outs = Ports(value="the noise")
    params = Params(
        mean=Real("mean", 0.0),
        variance=Real("variance, in the square of the signal's unit", 1.0, at_least=0.0),
        seed=seed_parameter(),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(variance=0.01, seed=1)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        rng, z = seeded_normals(q.seed, q.width)
        return Prepared(
            p=dict(mean=q.mean, std=math.sqrt(q.variance)), x=dict(rng=rng, z=z), widths=dict(value=q.width)
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(y.value)):
            y.value[i] = p.mean + p.std * x.z[i]

    @kernel
    def update(u, x, p):
        for i in range(len(x.z)):
            x.z[i] = normal(x.rng)
