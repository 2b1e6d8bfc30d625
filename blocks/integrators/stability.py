"""A tick judged before the test: omega_max dt against the stability limit of the method.

    stable for  omega_max dt <= limit,    omega_max^2 the largest eigenvalue of M^-1 K

Above it the highest mode grows in every tick, whatever the load; a test would lose its specimen.
"""

from __future__ import annotations

import warnings

from hybsim.blocks.integrators.system import System


class StabilityWarning(UserWarning):
    """An integrator that will amplify some mode of the structure it was given."""


def warn_above_limit(system: System, limit: float, *, step: float | None = None) -> None:
    """Warn if omega_max times the integration step (the tick, if not given) is above `limit`."""
    if system.stiffness is None:
        return
    step = system.dt if step is None else step
    highest = float(system.frequencies()[-1])
    if highest * step > limit:
        warnings.warn(
            f"{system.block} is unstable with a step of {step:g} s: the highest frequency is {highest:.6g} rad/s,"
            f" so the step must not be longer than {limit / highest:.6g} s (omega dt <= {limit:.6g});"
            " shorten it or use an unconditionally stable integrator.",
            StabilityWarning,
            stacklevel=2,
        )
