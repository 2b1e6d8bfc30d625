"""Small kernels about numbers: what Python and C, or two C compilers, could compute differently."""

from __future__ import annotations

ARITHMETIC: dict[str, str] = {
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
        c = math.cos(u.a)
        s = math.sin(u.a)
        y.z[0] = c * u.v[0] - s * u.v[1]
        y.z[1] = s * u.v[0] + c * u.v[1]
        for i in range(2):
            a = u.v[2 * i]
            b = u.v[2 * i + 1]
            y.z[2 * i + 2] = 0.8 * a - 0.6 * b
            y.z[2 * i + 3] = 0.6 * a + 0.8 * b
    """,
}
