"""Sums over a moving window of N ticks that do not drift, at the same small cost in every tick.

    S_k = S_{k-1} + new_k - new_{k-N}

S alone would keep the rounding errors of all its additions, and those of large numbers long gone. Two ways around:

Many sums, each to the rounding of the largest numbers in N ticks (`slide`, `renew`)
    F_k = F_{k-1} + new_k starts from zero whenever the window's ring is at its start; N ticks later it is the plain sum
    over the window and takes the place of S. So S is never more than N additions away from a plain sum, however long
    the run.
One sum to its own rounding, as soon as a large number has left (`added`)
    S is carried with what rounding has left out of it, as a pair.
"""

from __future__ import annotations

from hybsim.kernel import kernel


@kernel
def slide(sums, fresh, i, new, old):
    """Let `new` enter the window of sum i and `old` leave it."""
    sums[i] = sums[i] + new - old
    fresh[i] = fresh[i] + new


@kernel
def renew(sums, fresh):
    """Once every N ticks: go on from the plain sums."""
    for i in range(len(sums)):
        sums[i] = fresh[i]
        fresh[i] = 0.0


@kernel
def added(total, rest, value):
    """The sum `total + rest` with a value more: `rest` takes what rounding leaves out (Knuth's two-sum)."""
    result = total + value
    part = result - total
    return result, rest + ((total - (result - part)) + (value - part))
