"""The process that holds an OpenSees model: started by opensees_process, it knows nothing of the rest of hybsim.

    in    kind, count, 0, then count bytes (kind START: JSON) or count numbers (kind STEP: t, displacements)
    out   kind, count, seconds inside OpenSees, then count numbers (ANSWER: forces) or count bytes (REFUSED: a sentence)

A step imposes the displacements at the interface, finds static equilibrium of everything else and gives the forces
that hold the interface there: minus what the model pushes back with, so r = K u for a spring. Whatever OpenSees prints
goes to the standard error of this process, never into the frames. It ends when the other side is gone.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import signal
import socket
import struct
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HEAD = struct.Struct("<IId")
START, STEP, ANSWER, REFUSED = 1, 2, 3, 4
TAG = 900_001
"""Of the series and the pattern that impose the displacements."""

PR_SET_PDEATHSIG = 1


class Refused(Exception):
    """The model cannot be used, or did not converge: the end of a sentence."""


def main(descriptor: int, parent: int) -> None:
    die_with(parent)
    line = socket.socket(fileno=descriptor)
    model: Substructure | None = None
    while True:
        kind, body = read(line)
        try:
            if kind == START:
                model = Substructure(**json.loads(body))
                answer, seconds = [0.0] * len(model.interface), 0.0
            else:
                numbers = struct.unpack(f"<{len(body) // 8}d", body)
                assert model is not None
                before = time.perf_counter()
                answer = model.forces(numbers[1:])
                seconds = time.perf_counter() - before
            line.sendall(HEAD.pack(ANSWER, len(answer), seconds) + struct.pack(f"<{len(answer)}d", *answer))
        except Refused as error:
            text = str(error).encode()
            line.sendall(HEAD.pack(REFUSED, len(text), 0.0) + text)


def die_with(parent: int) -> None:
    """Be killed when the process that started this one ends, even in the middle of a step."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def read(line: socket.socket) -> tuple[int, bytes]:
    kind, count, _ = HEAD.unpack(exactly(line, HEAD.size))
    return kind, exactly(line, count if kind == START else 8 * count)


def exactly(line: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = line.recv(size - len(data))
        if not part:
            os._exit(0)  # the other side is gone; OpenSees has nothing to put in order
        data += part
    return data


class Substructure:
    """A model built by the user's function, and its static analysis."""

    def __init__(
        self,
        *,
        model: str,
        arguments: dict[str, Any],
        interface: Sequence[tuple[int, int]],
        tolerance: float,
        iterations: int,
        path: Sequence[str],
    ) -> None:
        sys.path[:] = path
        self.ops = opensees()
        self.interface = [(int(node), int(dof)) for node, dof in interface]
        self.ops.wipe()
        build = function(model)
        try:
            build(self.ops, **arguments)
        except Exception as error:
            raise Refused(f"the model function {model!r} failed: {type(error).__name__}: {error}") from error
        self.check()
        self.analysis(tolerance, iterations)

    def check(self) -> None:
        ops, nodes = self.ops, self.ops.getNodeTags() or []
        for node, dof in self.interface:
            if node not in nodes:
                known = ", ".join(map(str, nodes[:12])) + (" ..." if len(nodes) > 12 else "")
                raise Refused(f"the model has no node {node}; its nodes are {known or 'none at all'}")
            size = len(ops.nodeDisp(node))
            if not 1 <= dof <= size:
                raise Refused(f"node {node} of the model has degrees of freedom 1 to {size}, not {dof}")
            if dof in (ops.getFixedDOFs(node) or []):
                raise Refused(f"degree of freedom {dof} of node {node} is fixed in the model and cannot be moved")

    def analysis(self, tolerance: float, iterations: int) -> None:
        ops = self.ops
        ops.wipeAnalysis()
        ops.timeSeries("Constant", TAG)
        ops.constraints("Transformation")
        ops.numberer("RCM")
        ops.system("BandGeneral")
        ops.test("NormDispIncr", tolerance, iterations)
        ops.algorithm("Newton")
        ops.integrator("LoadControl", 0.0)
        ops.analysis("Static")
        self.loaded = False

    def forces(self, disps: Sequence[float]) -> list[float]:
        ops = self.ops
        if len(disps) != len(self.interface):
            raise Refused(f"got {len(disps)} displacements for {len(self.interface)} degrees of freedom")
        if self.loaded:
            ops.remove("loadPattern", TAG)
        ops.pattern("Plain", TAG, TAG)
        self.loaded = True
        for (node, dof), disp in zip(self.interface, disps, strict=True):
            ops.sp(node, dof, disp)
        if ops.analyze(1) != 0:
            raise Refused("the model did not converge")
        ops.reactions()
        return [float(ops.nodeReaction(node, dof)) for node, dof in self.interface]


def opensees() -> Any:
    try:
        import openseespy.opensees as ops
    except ImportError as error:
        raise Refused(f"OpenSees is not installed ({error}); install it with pip install 'hybsim[opensees]'") from error
    except RuntimeError as error:  # what openseespy raises when its library lacks one of the system's
        why = error.__context__ or error
        raise Refused(f"OpenSees does not start ({why}); it needs libblas3, liblapack3 and libgfortran5") from error
    return ops


def function(model: str) -> Any:
    """The function named by "package.module:function" or "folder/file.py:function"."""
    where, _, name = model.rpartition(":")
    try:
        if where.endswith(".py"):
            spec = importlib.util.spec_from_file_location(Path(where).stem, where)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.path.insert(0, str(Path(where).resolve().parent))
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(where)
    except Exception as error:
        raise Refused(f"the file of the model {model!r} cannot be used: {type(error).__name__}: {error}") from error
    if not callable(getattr(module, name, None)):
        raise Refused(f"{where} has no function {name!r} to build the model")
    return getattr(module, name)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
