"""How a test ended, whichever way it was made: what the processes knew besides the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Ended:
    """`wake` and `work` are counts in the bins of the region; `lacking` the bits of rights that it did without."""

    state: str
    causes: Sequence[str]
    test_ticks: int
    planned_ticks: int
    lost: int
    wake: Sequence[int] = ()
    work: Sequence[int] = ()
    overruns: int = 0
    lacking: int = 0
    interrupted: bool = False
    notes: Sequence[str] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        """The test ran to its end, nothing stopped it, and its log is whole."""
        whole = self.test_ticks >= self.planned_ticks and not self.lost
        return self.state == "FINISHED" and whole and not self.causes and not self.interrupted


LACKING = {
    1: ("its memory is not locked", "raise `ulimit -l`, or grant CAP_IPC_LOCK"),
    2: (
        "it has no real-time priority (SCHED_FIFO)",
        "raise `ulimit -r` in /etc/security/limits.conf, or grant CAP_SYS_NICE",
    ),
    4: ("it is not bound to its processor", "name one that is there, and that this process may use"),
}
"""Bits of `without_real_time`: what a loop does without, and what to do about it."""


def lacking(bits: int) -> list[str]:
    """A sentence for each right that was lacking."""
    return [
        f"The loop ran without all that real time needs: {what}; {hint}."
        for bit, (what, hint) in LACKING.items()
        if bits & bit
    ]
