"""Small kernels about control, arrays and names: what Python and C do in another order or another number of times."""

from __future__ import annotations

FLOW: dict[str, str] = {
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
    "faults inside kernels": """
        y.z[0] = pick(u.v, int(u.a), u.a > 0.0) + p.q[int(u.b)]
        y.z[1] = p.q[int(u.b)] + pick(u.v, int(u.a), u.b > 0.0)
        y.z[2] = pick(x.w, p.n, True) * pick(p.q, p.m, False)
    """,
    "matrices passed whole": """
        m = zeros(2, 3)
        fill(p.g, m, u.a)
        for i in range(2):
            for j in range(3):
                y.z[3 * i + j] = m[i, j]
        y.z[6] = len(m[0])
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
