"""In words: what to change about a hybrid test before it starts, with what each change would bring.

PSI Secs. 2.1.1 and 3.2.1: reduce |gamma - alpha| and omega_n, increase zeta. That is a rule of thumb; here every change
is computed for the test in question, and one that makes things worse is said to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hybsim.studies.indicators.characteristic import TURN
from hybsim.studies.indicators.prediction import Prediction, predict

SAME = 0.02
"""A change by less than this share is none."""

NEARLY_EQUAL = 1e-3
"""|gamma - alpha| that no laboratory can tell from 0."""


@dataclass(frozen=True)
class Change:
    """One thing to change: how to call it, and the test as it would be."""

    name: str
    found: Prediction


def changes(found: Prediction) -> list[Change]:
    """The changes that PSI recommends, as far as they apply: |gamma - alpha|, omega_n, zeta."""
    setup = found.setup
    said = []
    if setup.alpha <= 0.5:
        numerical = max(0.75, setup.gamma)
        said.append((f"More numerical mass (alpha = {numerical:g})", replace(setup, alpha=numerical)))
    elif abs(setup.gamma - setup.alpha) > NEARLY_EQUAL:
        half = 0.5 * (setup.gamma + setup.alpha)
        said.append((f"Halving |gamma - alpha| (gamma = {half:.4g})", replace(setup, gamma=half)))
        said.append((f"Making gamma = alpha = {setup.alpha:.4g}", replace(setup, gamma=setup.alpha)))
    if setup.alpha > 0.5:
        slower, damped = 0.5 * setup.omega_n, 2.0 * setup.zeta
        said.append((f"Halving omega_n (to {slower:.4g} rad/s)", replace(setup, omega_n=slower)))
        said.append((f"Doubling zeta (to {damped:.4g})", replace(setup, zeta=damped)))
    return [Change(name, predict(each)) for name, each in said]


def advice(found: Prediction, changed: Sequence[Change]) -> list[str]:
    """Sentences: how the test stands, what each change does, and what delay to aim at."""
    return [_standing(found), *(_effect(found, change) for change in changed), *_aims(found)]


def _standing(found: Prediction) -> str:
    setup, at = found.setup, found.at_delay
    if found.critical.neutral:
        return f"No delay is small enough for this partition: alpha = {setup.alpha:g} must be above 1/2."
    limit = "stable with any delay" if found.critical.unconditional else f"stable below {_ms(found.tau_cr)}"
    if at is None or setup.tau is None:
        return f"The test is {limit}; give --tau to see its damping and its error."
    if not at.stable:
        growth = at.root.real * setup.omega_n
        doubling = math.log(2.0) / growth if growth > 0.0 else math.inf
        return (
            f"The test is {limit} and unstable at {_ms(setup.tau)}: its motion would double every"
            f" {doubling:.3g} s ({doubling * setup.omega_n / TURN:.3g} natural periods)."
        )
    share = "" if found.critical.unconditional else f", of which {_ms(setup.tau)} is {setup.tau / found.tau_cr:.0%}"
    damping = at.zeta_eff / setup.zeta - 1.0
    effect = "hardly changes the damping" if abs(damping) < SAME else (
        f"{'adds' if damping > 0.0 else 'takes away'} {abs(damping):.0%} of the damping"
    )  # fmt: skip
    return f"The test is {limit}{share}. The delay {effect} (zeta_eff = {at.zeta_eff:.4g} for zeta = {setup.zeta:g})."


def _effect(found: Prediction, change: Change) -> str:
    new = change.found
    parts = [_limit_effect(found, new)]
    was, now = found.at_delay, new.at_delay
    if now is not None and was is not None and new.setup.tau:
        if now.ppi is None:
            parts.append(f"leaves it unstable at {_ms(new.setup.tau)}")
        elif was.ppi is None:
            parts.append(f"makes it stable at {_ms(new.setup.tau)} (PPI {now.ppi:.3g})")
        elif was.ppi > 0.0:
            parts.append(f"changes the PPI from {was.ppi:.3g} to {now.ppi:.3g} ({_times(now.ppi / was.ppi)})")
    return f"{change.name} {' and '.join(parts)}."


def _limit_effect(found: Prediction, new: Prediction) -> str:
    if new.critical.unconditional:
        return "keeps it stable with any delay" if found.critical.unconditional else "makes it stable with any delay"
    if found.critical.unconditional:
        return f"makes it stable only below {_ms(new.tau_cr)}"
    if new.critical.neutral:
        return "leaves it unstable with any delay"
    if found.tau_cr == 0.0:
        return f"makes tau_cr {_ms(new.tau_cr)}"
    ratio = new.tau_cr / found.tau_cr
    if abs(ratio - 1.0) < SAME:
        return f"leaves tau_cr at {_ms(new.tau_cr)}"
    verb = "raises" if ratio > 1.0 else "LOWERS"
    return f"{verb} tau_cr from {_ms(found.tau_cr)} to {_ms(new.tau_cr)} ({_times(ratio)})"


def _aims(found: Prediction) -> list[str]:
    if found.critical.neutral or found.critical.unconditional or found.setup.tau is None:
        return []
    if found.setup.tau < found.tau_cr:
        return []
    return [f"Or cut the delay from {_ms(found.setup.tau)} to well below {_ms(found.tau_cr)}: compensate the actuator."]


def _ms(seconds: float) -> str:
    return f"{1000.0 * seconds:.4g} ms"


def _times(ratio: float) -> str:
    return f"times {ratio:.3g}"
