"""The work of a force on a displacement, summed over the ticks.

    E_i = 1/2 (r_{i-1} + r_i) (u_i - u_{i-1}),    E(t_j) = sum_{i=1}^j E_i

The trapezoidal rule: exact where the force is linear in the displacement within a tick. All energies of the monitors
are made of it, so that their sums and differences hold to rounding.

EERC Eqs. 7.16 and 7.17.
"""

from __future__ import annotations

from hybsim.kernel import kernel


@kernel
def step_work(force, force_last, disp, disp_last):
    """The work of one force from the last tick to this one."""
    return 0.5 * (force_last + force) * (disp - disp_last)


@kernel
def work(total, force, force_last, disp, disp_last):
    """The work of all forces up to now."""
    for i in range(len(force)):
        total = total + step_work(force[i], force_last[i], disp[i], disp_last[i])
    return total


@kernel
def add_work(totals, force, force_last, disp, disp_last):
    """The work of each force, added to its own total."""
    for i in range(len(totals)):
        totals[i] = totals[i] + step_work(force[i], force_last[i], disp[i], disp_last[i])


@kernel
def copy(source, target):
    """target <- source."""
    for i in range(len(target)):
        target[i] = source[i]


@kernel
def control_error(disp_cmd, disp_meas, gap):
    """u^c - u^m: its work is E^E - E^BE at once, without the difference of two large sums."""
    for i in range(len(gap)):
        gap[i] = disp_cmd[i] - disp_meas[i]
