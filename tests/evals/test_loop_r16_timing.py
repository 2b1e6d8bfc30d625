"""R16: a machine that does not keep the rate is not armed; rehearsing against a virtual rig only notes it."""

from __future__ import annotations

import numpy as np
import pytest
from deployments import SLOWLY, deployment
from hypothesis import given
from hypothesis import strategies as st

from hybsim.runtime import supervisor
from hybsim.runtime.guard_tables import STATES
from hybsim.runtime.log_frames import read_log
from hybsim.runtime.region import BINS, duration, edge
from hybsim.runtime.supervisor import Refused
from hybsim.runtime.timing import Timing, judge

PERIOD = 1e-3


def bins(**counts: int) -> list[int]:
    """So many durations of so many us: us100=3."""
    found = [0] * BINS
    for name, count in counts.items():
        ns = 1000 * int(name[2:])
        octave = ns.bit_length() - 1
        found[8 * octave + (ns >> (octave - 3) & 7)] += count
    return found


@given(st.lists(st.integers(1, 10**10), min_size=1, max_size=50), st.floats(0.01, 1.0))
def test_a_duration_from_a_histogram_is_that_of_the_list_within_an_eighth_of_an_octave(durations, share):
    counts = [0] * BINS
    for ns in durations:
        octave = ns.bit_length() - 1
        counts[8 * octave + ((ns >> (octave - 3) if octave >= 3 else ns << (3 - octave)) & 7)] += 1
    wanted = 1e-9 * sorted(durations)[max(0, int(np.ceil(share * len(durations) - 1e-9)) - 1)]
    found = duration(counts, share)
    assert wanted <= found * (1 + 1e-12) and found <= wanted * 1.125 * (1 + 1e-12)


def test_edges_rise_by_an_eighth_of_an_octave():
    assert (
        edge(0) == 1e-9 and edge(8) == 2e-9 and edge(9) == pytest.approx(2.25e-9) and edge(80) == pytest.approx(1024e-9)
    )


def test_R16_the_verdict_is_of_waking_and_working_together_and_of_late_ticks():
    short, long = bins(us100=10_000), bins(us700=10_000)
    assert judge(short, short, 0, PERIOD).passed
    assert judge(short, long, 3, PERIOD).passed
    assert not judge(long, long, 0, PERIOD).passed
    assert not judge(short, short, 4, PERIOD).passed
    assert not judge([0] * BINS, [0] * BINS, 0, PERIOD).passed, "nothing was measured"
    rare, often = bins(us100=99_950, us5000=50), bins(us100=99_800, us5000=200)
    assert judge(rare, short, 0, PERIOD).passed and not judge(often, short, 0, PERIOD).passed


def test_R16_the_verdict_is_told_with_its_numbers():
    text = Timing(2000, PERIOD, 3e-4, 2e-5, 5).sentence()
    assert text == (
        "The machine does not keep 1000 ticks per second: waking took 300 us and working 20 us (99.9 % of 2000 ticks),"
        " 5 began late; a tick has 1000 us."
    )


@pytest.mark.parametrize("rehearsal", [False, True])
def test_R16_a_machine_that_is_too_slow_is_not_armed_but_may_be_rehearsed_on(rehearsal, tmp_path, monkeypatch):
    slow = Timing(1000, PERIOD, 1.0, 1.0, 1000)
    monkeypatch.setattr(supervisor, "judge", lambda *numbers: slow)
    monkeypatch.setattr(supervisor, "SETTLING", 0.05)
    made = deployment("shm", text=SLOWLY)
    with made.virtual_rig(tmp_path), made.supervisor(tmp_path, 0.05, rehearsal=rehearsal) as test:
        record = test.run()
    states = {list(STATES)[int(number)] for number in read_log(record.log).column("loop.state")}
    assert record.timing == slow and slow.sentence() in record.notes
    assert ("ARMED" in states) == rehearsal
    assert record.state == ("FINISHED" if rehearsal else "CONFIGURED")


def test_R16_the_loop_itself_refuses_to_arm(tmp_path):
    made = deployment("shm", text=SLOWLY)
    with made.virtual_rig(tmp_path), made.supervisor(tmp_path, 0.05) as test:
        test.ask("RESET")
        test.ask("CONFIGURE")
        with pytest.raises(Refused, match="ARM was refused in state CONFIGURED: the timing check was not passed"):
            test.ask("ARM")
