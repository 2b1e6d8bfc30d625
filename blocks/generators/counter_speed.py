"""How fast the counter of an event-driven generator grows when a target is late: smoothly, and landing on k_max.

    v_{j+1} = min(1, v_j + 1/recovery)                                    to a target
    v_{j+1} = min(1, v_j + 1/recovery, (hold - k_j) / (hold - slow))      without one

v is the growth of the counter k in a tick, slow and hold the counts between which it slows down.

Recovering from v_0, the counter has grown by s_n = sum_{j=1}^{n} v_j after n ticks. The growths to a target are
multiplied by f = R / s_n, R being what is left to k_max and n the first number with s_n >= R: the counter comes to
k_max at a tick, and no single tick makes up for the rest. 1 - f is less than 1/R.
"""

from __future__ import annotations

import math

from hybsim.kernel import kernel

NEAR = 1e-6
"""How close to a whole tick a counter counts as there."""


@kernel
def growth(speed, rate):
    """The growth of the next tick on the way back to full speed."""
    return min(1.0, speed + rate)


@kernel
def landing_factor(left, speed, rate):
    """The factor on the growths that brings the counter `left` further in whole ticks."""
    below_full = max(0.0, float(math.ceil((1.0 - speed) / rate - NEAR)) - 1.0)
    way = below_full * speed + 0.5 * rate * below_full * (below_full + 1.0)
    if left > way:
        return left / (way + float(math.ceil(left - way - NEAR)))
    b = speed + 0.5 * rate
    n = float(math.ceil((math.sqrt(b * b + 2.0 * rate * left) - b) / rate - NEAR))
    return left / (n * speed + 0.5 * rate * n * (n + 1.0))
