"""Small kernels, each about one thing that Python and C, or two C compilers, could do differently.

`KERNELS` maps a name to the body of `outputs` and the helpers it calls; the fields are those of
`random_expressions.FIELDS`. What a kernel computes goes into y.z; y.out and y.aux are 0 unless it sets them.
"""

from __future__ import annotations

from textwrap import dedent, indent

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

BODIES: dict[str, str] = {
    "loop variable after the loop": """
        for i in range(3):
            y.z[i] = u.a
        y.z[3] = i
        for j in range(7, -2, -3):
            y.z[4] = j
        y.z[5] = j
    """,
    "loop variable changed in the body": """
        total = 0
        for i in range(4):
            i = i * 2
            total += i
        y.z[0] = total
        y.z[1] = i
    """,
    "bounds changed in the body": """
        n = int(u.a) % 5
        step = 1
        count = 0
        i = -1
        for i in range(0, n + 2, step):
            n = 0
            step = 3
            count += 1
        y.z[0] = count
        y.z[1] = i
    """,
    "steps of any sign": """
        total = 0
        last = 100
        for i in range(int(u.a) % 7 - 3, int(u.b) % 11 - 5, p.n % 5 - 2):
            total = total * 3 + i
            last = i
        y.z[0] = total
        y.z[1] = last
    """,
    "a loop that may not run": """
        i = 77
        for i in range(int(u.a) % 5 - 3):
            y.z[0] = i
        y.z[1] = i
    """,
    "break and continue": """
        total = 0.0
        for i in range(6):
            if i == 1:
                continue
            if u.a > 0.0 and i == 4:
                break
            total = total * 2.0 + i
        k = 0
        while True:
            k += 1
            if k > 3 and u.b > 0.0:
                break
            if k == 2:
                continue
            total += 0.5
            if k > 6:
                break
        y.z[0] = total
        y.z[1] = i
        y.z[2] = k
    """,
    "huge loops that end early": """
        i = 0
        for i in range(int(-math.inf), int(math.inf)):
            if i > -9223372036854775805:
                break
        y.z[0] = i + 9223372036854775807
        for j in range(int(u.a), int(u.b), 4611686018427387904):
            y.z[1] += 1.0
        for k in range(0, 9223372036854775807, 4611686018427387904):
            y.z[2] += 1.0
    """,
    "integer division": """
        a = int(u.a)
        b = int(u.b)
        y.z[0] = a // 3
        y.z[1] = a % 3
        y.z[2] = a // -3
        y.z[3] = a % -3
        y.z[4] = a // -1
        y.z[5] = a % -1
        y.z[6] = (a + 7) % 4
        if b != 0:
            y.z[7] = a // b
            y.z[8] = a % b
    """,
    "integer division by zero": """
        y.z[0] = int(u.a) // (p.n % 3)
        y.z[1] = int(u.a) % (p.m % 2)
    """,
    "float division": """
        y.z[0] = u.a // u.b
        y.z[1] = u.a % u.b
        y.z[2] = u.a / u.b
        y.z[3] = u.a // -3.0
        y.z[4] = u.a % -3.0
        y.z[5] = u.a % 3.0
        y.z[6] = u.a // 0.1
        y.z[7] = u.a / 0.0
        y.z[8] = 1.0 // u.a
    """,
    "integers wrap": """
        a = int(u.a)
        b = int(u.b)
        y.z[0] = (a * 3 + b) % 1000003
        y.z[1] = (a * b) % 1000003
        y.z[2] = -a
        y.z[3] = abs(a)
        y.z[4] = abs(-9223372036854775807 - p.flag) % 1000003
        y.z[5] = (a - b) % 1000003
        y.z[6] = -(-9223372036854775807 - p.flag) % 1000003
    """,
    "conversions": """
        y.z[0] = int(u.a)
        y.z[1] = math.floor(u.a)
        y.z[2] = math.ceil(u.a)
        y.z[3] = math.trunc(u.a)
        y.z[4] = float(int(u.b))
        y.z[5] = 1.0 / float(int(u.v[0]))
        y.z[6] = float(int(u.a)) * -1.0
        y.z[7] = math.floor(int(u.a) + 1)
        y.z[8] = int(u.a) % 97
    """,
    "min and max": """
        y.z[0] = min(u.a, u.b)
        y.z[1] = max(u.a, u.b)
        y.z[2] = min(0.0, -0.0, u.a)
        y.z[3] = max(-0.0, 0.0, u.b)
        y.z[4] = min(u.v[0], u.v[1], u.v[2])
        y.z[5] = max(u.v[0], u.v[1], u.v[2])
        y.z[6] = max(int(u.a), int(u.b), p.n)
        y.z[7] = min(int(u.a), p.n)
        y.z[8] = min(math.nan, u.a)
        y.z[9] = max(u.a, math.nan)
    """,
    "signs of zero": """
        y.z[0] = -0.0
        y.z[1] = -u.a * 0.0
        y.z[2] = abs(-u.a)
        y.z[3] = 0.0 - u.a
        y.z[4] = u.a + -0.0
        y.z[5] = math.fabs(u.a)
        y.z[6] = -(p.n * 0)
        y.z[7] = 0 / -5
        y.z[8] = math.sqrt(u.a)
        y.z[9] = 0.0 - abs(u.a)
        y.z[10] = 0.0 - p.n
    """,
    "powers": """
        y.z[0] = u.a ** 2.0
        y.z[1] = u.a ** u.b
        y.z[2] = u.a ** -1
        y.z[3] = u.a ** 0.5
        y.z[4] = math.pow(u.b, 3)
        y.z[5] = -u.a ** 2
        y.z[6] = 2.0 ** p.n
        y.z[7] = p.n ** 2.0
    """,
    "squares": """
        a = 0.1
        worst = 0.0
        for i in range(4000):
            a = a * 1.0007 + 0.001
            worst = worst + abs(a ** 2.0 - a * a)
        y.z[0] = worst
    """,
    "functions of constants": """
        y.z[0] = math.tanh(0.3) + math.tanh(0.31) * 3.0 + math.tanh(0.32) * 9.0 + math.tanh(0.33) * 27.0
        y.z[1] = math.sinh(0.3) + math.sinh(0.71) * 3.0 + math.sinh(1.32) * 9.0 + math.sinh(2.33) * 27.0
        y.z[2] = math.tan(0.3) + math.tan(0.71) * 3.0 + math.tan(1.32) * 9.0 + math.tan(2.33) * 27.0
        y.z[3] = math.asinh(0.3) + math.asinh(0.71) * 3.0 + math.acosh(1.32) * 9.0 + math.atanh(0.33) * 27.0
        y.z[4] = math.tanh(0.017) + math.tanh(1.7) * 3.0 + math.tanh(0.9) * 9.0 + math.tanh(2.1) * 27.0
        y.z[5] = math.cosh(0.3) + math.cosh(0.71) * 3.0 + math.expm1(1.32) * 9.0 + math.log1p(2.33) * 27.0
    """,
    "functions": """
        y.z[0] = math.sin(u.a) + math.cos(u.b)
        y.z[1] = math.log(u.a)
        y.z[2] = math.exp(u.a)
        y.z[3] = math.atan2(u.a, u.b)
        y.z[4] = math.fmod(u.a, u.b)
        y.z[5] = math.log1p(u.a)
        y.z[6] = math.atanh(u.a)
        y.z[7] = math.log10(u.b)
        y.z[8] = math.log2(u.a)
        y.z[9] = math.sinh(u.b)
        y.z[10] = math.asin(u.a)
        y.z[11] = math.expm1(u.b)
    """,
    "tests of a number": """
        y.z[0] = 1.0 if math.isnan(u.a) else 0.0
        y.z[1] = 1.0 if math.isinf(u.a) else 0.0
        y.z[2] = 1.0 if math.isfinite(u.a) else 0.0
        y.z[3] = 1.0 if not u.a > 1.0 else 0.0
        y.z[4] = 1.0 if u.a <= 1.0 else 0.0
        y.z[5] = 1.0 if u.a != u.a else 0.0
        y.z[6] = 1.0 if u.a < u.b < u.v[0] <= 2.0 else 0.0
        y.z[7] = 1.0 if u.a == u.b != u.v[1] else 0.0
    """,
    "conditions": """
        i = int(u.a) % 9
        ok = i < 4 and u.v[i] > 0.0
        y.z[0] = 1.0 if ok else 0.0
        y.z[1] = 2.0 if i >= 4 or u.v[i] > 1.0 else 3.0
        y.z[2] = 1.0 if (u.a > 0.0 or u.b > 0.0) and not (u.a > 0.0 and u.b > 0.0) else 0.0
        if u.a > 0.0 and u.b > 0.0:
            y.z[3] = 1.0
        elif u.a > 0.0 or u.b > 0.0:
            y.z[3] = 2.0
        else:
            y.z[3] = 3.0
        y.z[4] = 1.0 if p.flag == 1 and u.a > 0.0 else 0.0
        y.z[5] = 1.0 if u.a > 0.0 and p.flag == 0 else 0.0
    """,
    "ints beside floats": """
        big = 9007199254740992 + p.n % 5
        y.z[0] = 1.0 if big == 9007199254740992.0 else 0.0
        y.z[1] = 1.0 if big > 9007199254740992.0 else 0.0
        y.z[2] = 1.0 if 9007199254740994.0 >= big else 0.0
        y.z[3] = 1.0 if big < u.a else 0.0
        y.z[4] = 1.0 if 9223372036854775807 - p.n % 3 < 9223372036854775808.0 else 0.0
        y.z[5] = 1.0 if int(u.a) == u.a else 0.0
        y.z[6] = 1.0 if p.n != u.b else 0.0
        y.z[7] = 1.0 if -9223372036854775807 - p.flag * (p.n % 2) == -9223372036854775808.0 else 0.0
    """,
    "int over int": """
        big = 9007199254740993 + p.n % 5
        y.z[0] = big / 3
        y.z[1] = big / (4611686018427387905 - p.m % 7)
        y.z[2] = 9223372036854775807 / big
        y.z[3] = int(u.a) / int(u.b)
        y.z[4] = -big / 7
        y.z[5] = p.n / p.m
        y.z[6] = (p.n % 4) / -9223372036854775807
    """,
    "order of sums": """
        y.z[0] = u.a + u.b + x.s
        y.z[1] = u.a + (u.b + x.s)
        y.z[2] = u.a - (u.b - x.s)
        y.z[3] = u.a - u.b - x.s
        y.z[4] = u.a * u.b * x.s
        y.z[5] = u.a * (u.b * x.s)
        y.z[6] = u.a / (u.b * x.s)
        y.z[7] = u.a / u.b * x.s
        y.z[8] = -(u.a + u.b) * x.s
        y.z[9] = (0.1 + 0.2) + 0.3 - (0.1 + (0.2 + 0.3))
    """,
    "products and sums": """
        s = 0.1
        for i in range(4):
            s = s * 1.1 + u.v[i] * p.k
            s = u.a * u.b - s * s
        y.z[0] = s
        y.z[1] = u.a * u.b + x.s
        y.z[2] = p.k * p.k - u.a * u.a
    """,
    "rotation": """
        c = math.cos(0.3)
        s = math.sin(0.3)
        y.z[0] = u.a
        y.z[1] = u.b
        for i in range(8):
            a = y.z[0]
            b = y.z[1]
            y.z[0] = c * a - s * b
            y.z[1] = s * a + c * b
    """,
    "faults from left to right": """
        y.z[0] = u.v[int(u.a)] + p.q[int(u.b)]
        y.z[1] = p.g[int(u.v[0]), int(u.v[1])]
        y.z[2] = math.atan2(p.q[int(u.v[2])], u.v[int(u.v[3])])
    """,
    "the value before its place": """
        w = zeros(3)
        w[int(u.a)] = p.g[int(u.b), 0]
        w[int(u.b)] += u.v[int(u.a)] * (int(u.a) // p.n)
        y.z[0] = w[0]
    """,
    "an index outside ends a loop": """
        i = int(u.a) % 4
        while u.v[i] > -1e300:
            i += 1
            y.z[0] = i
    """,
    "a fault ends huge loops": """
        total = 0.0
        for i in range(int(math.fabs(u.a) * 1e18)):
            total += u.v[i]
            if total > 5.0:
                break
        y.z[0] = total
    """,
    "a fault before an endless loop": """
        step = p.q[int(u.a)]
        y.z[0] = search(0.0, max(step, 0.25)) if step == step else 0.0
        y.z[1] = search(0.5, 0.25 if p.q[int(u.b)] > 0.0 else 0.5)
    """,
    "arrays changed by kernels": """
        w = zeros(3)
        w[1] = u.a
        y.z[0] = bump(w) - w[0] * bump(w)
        y.z[1] = w[0] + bump(w) + w[0]
        y.z[2] = 1.0 if math.isnan(bump(w)) else w[0]
        y.z[3] = min(bump(w), w[0], bump(w))
        if bump(w) > u.b:
            y.z[4] = 1.0
        y.z[5] = w[0]
        y.z[6] = 1.0 if u.a > 0.0 or bump(w) > 0.0 else 0.0
        y.z[7] = w[0]
        w[int(w[0]) % 3] = bump(w)
        for i in range(3):
            y.z[8 + i] = w[i]
        y.z[11] = 1.0 if bump(w) > 0.0 and p.flag == 0 else w[0]
    """,
    "one array under two names": """
        w = zeros(3)
        for i in range(3):
            w[i] = u.v[i]
        shift(w, w)
        for i in range(3):
            y.z[i] = w[i]
    """,
    "fresh zeros in every round": """
        for i in range(3):
            w = zeros(2)
            w[i % 2] += u.a
            y.z[i] = w[0]
            y.z[i + 3] = w[1]
    """,
    "several values": """
        a, n = pair(u.a, u.b)
        y.z[0] = a
        y.z[1] = n
        a, n = pair(a, 0.5)
        b, m = pair(p.n, p.m)
        y.z[2] = a + b
        y.z[3] = n * m
    """,
    "names of C": """
        double = u.a
        int64_t = u.b
        hs_add = int(u.a)
        hs_0 = u.v[int(u.a) % 4] + u.v[hs_add % 4]
        fault = 3
        register = fault + hs_add
        ζ = double * int64_t
        y_out = 2.0
        y.out = y_out
        y.aux = y.out
        y.z[0] = ζ + hs_0
        y.z[1] = register
    """,
    "matrices": """
        for i in range(len(p.g)):
            for j in range(len(p.g[0])):
                y.z[i * 3 + j] = p.g[i, j] * u.v[j]
        y.z[6] = p.g[p.n % 2, p.m % 3]
        m = zeros(2, 4)
        m[1, 3] = u.a
        m[int(u.b) % 2, 2] = 5.0
        y.z[7] = m[1, 2] + m[1, 3]
    """,
    "a long chain of branches": "\n".join(
        ["if u.a < -300.0:", "    y.z[0] = -1.0"]
        + [f"elif u.a < {i}.0:\n    y.z[0] = {i}.5" for i in range(-2, 118)]
        + ["else:", "    y.z[0] = 1000.0"]
    ),
}
HELPERS = {"bump": BUMP, "pair": PAIR, "shift": SHIFT, "search": SEARCH}


def source(name: str) -> Source:
    body = dedent(BODIES[name]).strip("\n")
    helpers = [Helper(n, t.lstrip("\n"), "", "") for n, t in HELPERS.items() if f"{n}(" in body]
    head = "def outputs(u, x, p, y, t):\n    y.out = 0.0\n    y.aux = 0.0\n    y.z[11] = 0.0\n"
    return Source("outputs", head + indent(body, "    ") + "\n", tuple(helpers))
