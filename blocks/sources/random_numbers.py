"""Random numbers with the same bits in every engine: MRG32k3a, and normal deviates from it.

    a_n = (1403580 a_{n-2} -  810728 a_{n-3}) mod m1,   m1 = 2^32 - 209
    b_n = ( 527612 b_{n-1} - 1370589 b_{n-3}) mod m2,   m2 = 2^32 - 22853
    u_n = ((a_n - b_n) mod m1) / (m1 + 1), with m1 in place of 0:   0 < u_n < 1
    z   = sqrt(-2 ln u_n) cos(2 pi u_{n+1})                         Box-Muller

The state is six floats (a_{n-3}, a_{n-2}, a_{n-1}, b_{n-3}, b_{n-2}, b_{n-1}). Every product and
difference is a whole number below 2^53, so float64 holds it exactly. The period is about 2^191.

P. L'Ecuyer, Good parameters and implementations for combined multiple recursive random number
generators, Operations Research 47(1), 1999, 159-164.

A block keeps the state in x, draws in `update` and shows in `outputs` what is drawn already::

    rng, first = seeded_normals(q.seed, 1)      # in prepare: x=dict(rng=rng, z=first)
    x.z[0] = normal(x.rng)                      # in update
"""

from __future__ import annotations

import math

import numpy as np

from hybsim.kernel import Integer, kernel

M1 = 4294967087.0
M2 = 4294944443.0
NORM = 1.0 / 4294967088.0
TWO_PI = 2.0 * math.pi


def seed_parameter() -> Integer:
    """How every block with noise declares `seed`; below 2^53, seeds in an array of floats are exact."""
    return Integer("seed of the random numbers; equal seeds give equal noise", 0, at_least=0, below=2**53)


@kernel
def uniform(s):
    """The next number in (0, 1); advances the state `s`."""
    a = 1403580.0 * s[1] - 810728.0 * s[0]
    a -= float(int(a / M1)) * M1
    if a < 0.0:
        a += M1
    s[0] = s[1]
    s[1] = s[2]
    s[2] = a
    b = 527612.0 * s[5] - 1370589.0 * s[3]
    b -= float(int(b / M2)) * M2
    if b < 0.0:
        b += M2
    s[3] = s[4]
    s[4] = s[5]
    s[5] = b
    # A selected number, not one of two ways: a processor guesses every second time wrong which way is taken.
    difference = a - b
    if difference <= 0.0:
        difference += M1
    return difference * NORM


@kernel
def normal(s):
    """The next number from N(0, 1); advances the state `s` by two."""
    radius = math.sqrt(-2.0 * math.log(uniform(s)))
    return radius * math.cos(TWO_PI * uniform(s))


def splitmix64(seed: int, count: int) -> list[int]:
    """`count` well mixed 64-bit numbers (Steele, Lea and Flood, OOPSLA 2014)."""
    mask = 2**64 - 1
    numbers = []
    for i in range(1, count + 1):
        z = (seed + i * 0x9E3779B97F4A7C15) & mask
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        numbers.append(z ^ (z >> 31))
    return numbers


def seeded(seed: int) -> list[float]:
    """A state of `uniform` for a seed; neighbouring seeds give unrelated states, none of them all zero."""
    moduli = [int(M1)] * 3 + [int(M2)] * 3
    return [float(1 + z % (m - 1)) for z, m in zip(splitmix64(seed, 6), moduli, strict=True)]


def seeded_normals(seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The first `count` numbers of a seed's N(0, 1) stream: (state after them, the numbers)."""
    s = seeded(seed)
    numbers = [normal(s) for _ in range(count)]
    return np.array(s), np.array(numbers)
