"""An OpenSees model in a process of its own: every wait has a time-out, and its end never ends the test.

    session = open_session(q, dt, label)       starts the process, builds the model, checks the interface
    forces  = session.step(t, disps)           ExternalFault: what happened, at which displacements, what it last said

The process is killed when it does not answer in time, when the session is closed, and by the system when this one
dies. A frame is a head of 16 bytes and float64 numbers (opensees_worker); what the process prints goes to a file.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from hybsim.errors import RunError
from hybsim.hw.opensees_worker import ANSWER, HEAD, REFUSED, START, STEP
from hybsim.kernel import ExternalFault

WORKER = Path(__file__).with_name("opensees_worker.py")
TAIL = 300
"""Characters of what the process last said that are quoted."""

PATIENCE = 5.0
"""Seconds for a killed process to be gone."""


class Moment(NamedTuple):
    """One step: when it was asked for and answered, and the seconds that OpenSees took of it."""

    asked: float
    answered: float
    inside: float


_recorders: list[list[Moment]] = []


@contextlib.contextmanager
def recorded() -> Iterator[list[Moment]]:
    """The moments of all steps made meanwhile, to find what the coupling costs."""
    moments: list[Moment] = []
    _recorders.append(moments)
    try:
        yield moments
    finally:
        _recorders[:] = [kept for kept in _recorders if kept is not moments]


def open_session(q: SimpleNamespace, dt: float, label: str) -> ModelProcess:
    """The model of an OPENSEESMODEL block, ready for its first step."""
    start = {
        "model": q.model, "arguments": dict(q.arguments), "interface": q.interface, "tolerance": q.tolerance,
        "iterations": q.iterations, "path": [entry or os.getcwd() for entry in sys.path],
    }  # fmt: skip
    process = ModelProcess(step_timeout=q.timeout)
    try:
        process.start(start, timeout=q.start_timeout)
    except ExternalFault as fault:
        process.close()
        raise RunError(f"Block {label!r} cannot begin: {fault}.") from None
    except BaseException:
        process.close()
        raise
    return process


class ModelProcess:
    """The process, and this end of the line to it."""

    def __init__(self, *, step_timeout: float) -> None:
        self.step_timeout = step_timeout
        self.said = tempfile.TemporaryFile()  # noqa: SIM115  closed by close()
        self.line, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-P", str(WORKER), str(theirs.fileno()), str(os.getpid())],
                stdin=subprocess.DEVNULL, stdout=self.said, stderr=self.said, pass_fds=[theirs.fileno()],
            )  # fmt: skip

    def start(self, about: Mapping[str, Any], *, timeout: float) -> None:
        body = json.dumps(about).encode()
        self.ask(HEAD.pack(START, len(body), 0.0) + body, timeout, "while the model was built")

    def step(self, t: float, inputs: Sequence[float]) -> Sequence[float]:
        asked = time.perf_counter()
        frame = HEAD.pack(STEP, 1 + len(inputs), 0.0) + struct.pack(f"<{1 + len(inputs)}d", t, *inputs)
        forces, inside = self.ask(frame, self.step_timeout, f"at the displacements {_short(inputs)}")
        for moments in _recorders:
            moments.append(Moment(asked, time.perf_counter(), inside))
        return forces

    def ask(self, frame: bytes, timeout: float, when: str) -> tuple[tuple[float, ...], float]:
        """Send a frame and wait for its answer."""
        deadline = time.monotonic() + timeout
        try:
            self.line.settimeout(timeout)
            self.line.sendall(frame)
            kind, count, inside = HEAD.unpack(self.receive(HEAD.size, deadline))
            body = self.receive(count if kind == REFUSED else 8 * count, deadline)
        except TimeoutError:
            self.kill()
            raise ExternalFault(
                f"the process of the model did not answer within {timeout:g} s {when} and was killed{self.tail()};"
                " give it a longer timeout= if it is only slow"
            ) from None
        except (EOFError, OSError):
            self.kill()
            raise ExternalFault(
                f"the process of the model {self.ending()} {when}{self.tail()};"
                " run the model alone with the same displacements to see why"
            ) from None
        if kind == REFUSED:
            where = "" if frame[0] == START else f" {when}"
            raise ExternalFault(f"{body.decode()}{where}{self.tail()}")
        if kind != ANSWER:
            self.kill()
            raise ExternalFault(f"the process of the model answered with something else than forces {when}")
        return struct.unpack(f"<{count}d", body), inside

    def receive(self, size: int, deadline: float) -> bytes:
        data = b""
        while len(data) < size:
            left = deadline - time.monotonic()
            if left <= 0.0:
                raise TimeoutError
            self.line.settimeout(left)
            part = self.line.recv(size - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def ending(self) -> str:
        code = self.process.returncode
        if code is not None and code < 0 and not self.killed:
            return f"was ended by {signal.Signals(-code).name}"
        return f"ended with code {code}" if not self.killed else "closed its line"

    killed = False

    def kill(self) -> None:
        """End the process; one that is ending by itself is given a moment, so that its code can be told."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0.2)
        if self.process.poll() is None:
            self.killed = True
            self.process.kill()
        self.process.wait(PATIENCE)

    def tail(self) -> str:
        """What the process last said, on one line."""
        self.said.seek(0, os.SEEK_END)
        self.said.seek(max(0, self.said.tell() - 4 * TAIL))
        text = " ".join(self.said.read().decode(errors="replace").split())
        return f" (it last said: {text[-TAIL:]!r})" if text else ""

    def close(self) -> None:
        self.line.close()
        if self.process.poll() is None:
            self.kill()
        self.said.close()


def _short(numbers: Sequence[float]) -> str:
    return "[" + ", ".join(f"{number:.6g}" for number in numbers[:8]) + (", ...]" if len(numbers) > 8 else "]")
