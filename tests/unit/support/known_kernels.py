"""Small kernels, each about one thing that Python and C, or two C compilers, could do differently.

`BODIES` maps a name to the body of `outputs`; the fields are those of
`random_expressions.FIELDS`. What a kernel computes goes into y.z; y.out and y.aux are 0 unless it sets them.
"""

from __future__ import annotations

from textwrap import dedent, indent

from known_arithmetic import ARITHMETIC
from known_flow import FLOW
from random_expressions import Helper
from random_kernels import Source

BUMP = """
def bump(w):
    w[0] += 1.0
    return w[0] * 10.0 + w[1]
"""
PAIR = """
def pair(a, b):
    if a > b:
        return b, 1
    for j in range(4):
        if j * 1.5 > b - a:
            return a + j, j
    return a, -1
"""
SHIFT = """
def shift(a, b):
    for i in range(1, 3):
        b[i] = a[i - 1] + 1.0
    b[0] = a[2]
"""
SEARCH = """
def search(x, step):
    while x < 1.0:
        x = x + step
    return x
"""

PICK = """
def pick(a, i, doubled):
    if doubled:
        return 2.0 * a[i]
    return a[i]
"""
FILL = """
def fill(a, b, factor):
    for i in range(len(a)):
        for j in range(len(a[0])):
            b[i, j] = a[len(a) - 1 - i, j] * factor
"""

BODIES = FLOW | ARITHMETIC
HELPERS = {"pick": PICK, "fill": FILL, "bump": BUMP, "pair": PAIR, "shift": SHIFT, "search": SEARCH}


def source(name: str) -> Source:
    body = dedent(BODIES[name]).strip("\n")
    helpers = [Helper(n, t.lstrip("\n"), "", "") for n, t in HELPERS.items() if f"{n}(" in body]
    head = "def outputs(u, x, p, y, t):\n    y.out = 0.0\n    y.aux = 0.0\n    y.z[11] = 0.0\n"
    return Source("outputs", head + indent(body, "    ") + "\n", tuple(helpers))
