"""Faults of a virtual rig, as words: KIND[=VALUE][:CHANNEL]@TIME[s][+DURATION[s]].

    freeze@3.0s            all measured values stay as they are from 3 s on
    offset=0.5:disp@2s+1s  0.5 (in the unit of the channel) is added to one of them, for a second
    drop@3s                one answer is lost
    delay=2@1s             answers are two ticks late from 1 s on

Times are seconds of the laboratory since the test began. The kinds are those of hw/c/rig_model.h.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from hybsim.errors import ParameterError, near
from hybsim.runtime.c_sources import text
from hybsim.runtime.c_tables import meanings
from hybsim.runtime.set_up import Fault

KINDS = {name.lower(): meaning for name, meaning in meanings(text("rig_model.h"), "HR_FAULTS").items()}
"""Kind and what it means, in the order of C's numbers."""

WITH_VALUE = {"offset", "delay"}
OF_A_CHANNEL = {"freeze", "nan", "offset"}
"""The others concern the whole answer."""

ONE_TICK = {"drop"}
"""Kinds that last one tick unless more is asked for; the others last to the end."""

MOST_DELAY = int(re.findall(r"HR_LATEST = (\d+)", text("rig_model.h"))[0]) - 1
"""Ticks for which a virtual rig remembers its answers."""

Refuse = Callable[[str], ParameterError]
FORM = "KIND[=VALUE][:CHANNEL]@TIME[+DURATION], such as freeze@3s or offset=0.5:disp_meas@2s+1s"
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_SPEC = re.compile(
    rf"(?P<kind>[^=:@]+)(?:=(?P<value>[^:@]*))?(?::(?P<channel>[^@]*))?"
    rf"@(?P<time>{_NUMBER})\s*s?(?:\+(?P<duration>{_NUMBER})\s*s?)?"
)


def read_fault(words: str, channels: Sequence[str], rate: float) -> Fault:
    """The fault that some words ask for; `channels` are the measured values in the order of their numbers."""

    def refuse(why: str) -> ParameterError:
        return ParameterError(f"--fault {words!r}: {why}{'' if why.endswith(('.', '?')) else '.'}")

    match = _SPEC.fullmatch(words.strip())
    if match is None:
        raise refuse(f"give {FORM}")
    kind, value, channel = (match[name] for name in ("kind", "value", "channel"))
    if kind not in KINDS:
        raise refuse(f"there is no kind {kind!r}.{near(kind, KINDS)}")
    start = _ticks(float(match["time"]), rate)
    if start is None:
        raise refuse(f"TIME is in seconds since the test began and at least 0, got {match['time']}")
    lasts = 1 if kind in ONE_TICK else 0
    if match["duration"] is not None:
        asked = _ticks(float(match["duration"]), rate)
        if not asked:
            raise refuse(f"DURATION must be at least a tick, {1.0 / rate:g} s, got {match['duration']}")
        lasts = asked
    return Fault(
        _channel(kind, channel, channels, refuse), list(KINDS).index(kind), start, lasts, _value(kind, value, refuse)
    )


def _ticks(seconds: float, rate: float) -> int | None:
    ticks = seconds * rate
    return round(ticks) if 0.0 <= ticks < 2.0**53 else None


def _value(kind: str, value: str | None, refuse: Refuse) -> float:
    if kind not in WITH_VALUE:
        if value is not None:
            raise refuse(f"{kind} takes no value; {' and '.join(sorted(WITH_VALUE))} do")
        return 0.0
    if value is None or not re.fullmatch(_NUMBER, value.strip()) or not math.isfinite(float(value)):
        got = "none" if value is None else repr(value)
        raise refuse(f"{kind} needs a value, such as {kind}={'2' if kind == 'delay' else '0.5'}, got {got}")
    number = float(value)
    if kind == "delay" and not (number.is_integer() and 1.0 <= number <= MOST_DELAY):
        raise refuse(f"delay is a whole number of ticks from 1 to {MOST_DELAY}, got {value}")
    return number


def _channel(kind: str, channel: str | None, channels: Sequence[str], refuse: Refuse) -> int:
    if channel is None:
        return -1
    if kind not in OF_A_CHANNEL:
        raise refuse(f"{kind} concerns the whole answer; leave out ':{channel}'")
    if channel not in channels:
        raise refuse(f"there is no measured value {channel!r}.{near(channel, channels)}")
    return list(channels).index(channel)


def say(fault: Fault, channels: Sequence[str], rate: float) -> str:
    """A fault in a sentence."""
    kind, meaning = list(KINDS.items())[fault.kind]
    meaning = meaning.replace("`value`", f"{fault.value:g}")
    if fault.call >= 0:
        meaning = meaning.replace("the measured values are", f"{channels[fault.call]} is")
        meaning = meaning.replace("the measured values stay as they are", f"{channels[fault.call]} stays as it is")
        meaning = meaning.replace("the measured values", channels[fault.call])
    if fault.ticks == 0:
        until = "to the end"
    elif fault.ticks == 1:
        until = "for one tick"
    else:
        until = f"for {fault.ticks / rate:g} s"
    return f"{kind}: {meaning}, from {fault.start / rate:g} s, {until}"
