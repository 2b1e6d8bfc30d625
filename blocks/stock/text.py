"""The text of a kernel for a block whose ports have any number, width and names.

Bodies are written with numbered ports, for single numbers: ``y.out0 = u.in0 * p.K``. `elementwise`
makes a loop over vectors of such a body, `written` gives the ports their names and makes the kernel.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from textwrap import indent
from typing import Any

from hybsim.kernel.source import kernel_from_text
from hybsim.kernel.spec import ROLES

FIELD = re.compile(r"\b(?:u|x|p|y|dx)\.\w+")
TIME = re.compile(r"(?<![\w.])t\b")


def elementwise(body: str, count: int, vectors: Collection[str]) -> str:
    """`body` for each of `count` elements; the fields in `vectors` are indexed, the others are shared."""
    if count == 1:
        return body
    indexed = FIELD.sub(lambda field: field[0] + "[i]" if field[0] in vectors else field[0], body)
    return f"for i in range({count}):\n" + indent(indexed, "    ")


def item(field: str, width: int, index: int | str) -> str:
    """One element of a port, which is indexed only where it carries a vector."""
    return f"{field}[{index}]" if width > 1 else field


def written(
    label: str, role: str, body: str, ins: Sequence[str], outs: Sequence[str], names: dict[str, Any]
) -> Callable[..., Any]:
    """The kernel with this body; blocks that need the same text share it."""
    ports = {f"u.in{i}": f"u.{name}" for i, name in enumerate(ins)}
    ports |= {f"y.out{i}": f"y.{name}" for i, name in enumerate(outs)}
    body = FIELD.sub(lambda field: ports.get(field[0], field[0]), body)
    arguments = [*ROLES[role], *(["t"] if TIME.search(body) else [])]
    text = f"def {role}({', '.join(arguments)}):\n{indent(body, '    ')}\n"
    return _kernel(label, text, tuple(names.items()))


@lru_cache(maxsize=1024)
def _kernel(label: str, text: str, names: tuple[tuple[str, Any], ...]) -> Callable[..., Any]:
    # The digest keeps apart the texts of one label, by a name that is the same in every process.
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return kernel_from_text(text, f"{label} {digest}", dict(names))
