"""Bouc-Wen hysteretic specimen, driven by displacement at ticks (BOUCWEN) or in time (BOUCWEN_RATE).

    r     = alpha k u + (1 - alpha) k u_y z
    u_y z' = u' - gamma |u'| z |z|^(n-1) - beta u' |z|^n

z is the hysteretic displacement over u_y, 0 in the virgin specimen; it tends to +/- (beta + gamma)^(-1/n).

The equation does not depend on the rate: u_y dz/du = 1 - (beta + gamma sign(z du)) |z|^n =: s(z). At ticks
the path from one displacement to the next is taken as monotonic and z is integrated along it by classical
Runge-Kutta steps, so short (1/8 of the least length over which s changes) that the force has converged to
about 1e-6 whatever the increment. A step that crosses z = 0, where s changes its form, is split there.
MOST_STEPS bounds the work of a tick: a longer increment counts as that long, when z has long reached its
final value (unless gamma is almost zero).

Bouc (1971), Wen (1976); EERC Eqs. 7.2-7.3, Table 7-2.
"""

from __future__ import annotations

from types import SimpleNamespace

from hybsim.errors import ParameterError
from hybsim.kernel import Continuous, Params, Ports, Positive, Prepared, Real, Sampled, State, kernel

MOST_STEPS = 1000.0
"""Runge-Kutta steps a tick may take."""

PARAMS = Params(
    stiffness=Positive("initial stiffness k"),
    yield_disp=Positive("yield displacement u_y"),
    alpha=Real("stiffness after yielding over initial stiffness", 0.0, at_least=0.0, at_most=1.0),
    beta=Real("shape of the loop, with gamma", 0.55),
    gamma=Real("shape of the loop: 0 gives no hysteresis", 0.45, at_least=0.0),
    n=Real("sharpness of yielding", 2.0, at_least=1.0),
)


def prepared(name: str, q: SimpleNamespace, state: State) -> Prepared:
    """The kernel parameters of both forms."""
    total = q.beta + q.gamma
    if total <= 0.0:
        raise ParameterError(
            f"{name} needs beta + gamma greater than 0, got {q.beta:g} + {q.gamma:g}:"
            " otherwise the force grows without bound."
        )
    sharpest = max(1.0, abs(q.beta - q.gamma) / total)
    return Prepared(
        p=dict(
            uy=q.yield_disp,
            elastic=q.alpha * q.stiffness,
            hysteretic=(1.0 - q.alpha) * q.stiffness * q.yield_disp,
            beta=q.beta,
            gamma=q.gamma,
            n=q.n,
            steps_per_uy=8.0 * q.n * sharpest * total ** (1.0 / q.n),
        ),
        x=state,
    )


@kernel
def slope(z, du, beta, gamma, n):
    """u_y dz/du at z, on the way in the direction of du."""
    size = abs(z)
    # The usual exponents without pow, which costs more than the rest of the block.
    power = size * size if n == 2.0 else (size if n == 1.0 else size**n)
    return 1.0 - (beta + gamma if z * du > 0.0 else beta - gamma) * power


@kernel
def runge_kutta(z, h, beta, gamma, n):
    """z after an increment of h yield displacements, in one step."""
    k1 = slope(z, h, beta, gamma, n)
    k2 = slope(z + 0.5 * h * k1, h, beta, gamma, n)
    k3 = slope(z + 0.5 * h * k2, h, beta, gamma, n)
    k4 = slope(z + h * k3, h, beta, gamma, n)
    return z + h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0


@kernel
def way_to_zero(z, beta, gamma, n):
    """The increment that takes a small z to 0: the integral of dz / s(z), s expanded in powers of |z|^n."""
    w = (beta - gamma) * abs(z) ** n
    return -z * (1.0 + w * (1.0 / (n + 1.0) + w * (1.0 / (2.0 * n + 1.0) + w / (3.0 * n + 1.0))))


@kernel
def advance(z, increment, steps_per_uy, beta, gamma, n):
    """z after an increment given in yield displacements."""
    longest = MOST_STEPS / steps_per_uy
    way = min(max(increment, -longest), longest)
    steps = 1 + int(abs(way) * steps_per_uy)
    h = way / steps
    for _ in range(steps):
        following = runge_kutta(z, h, beta, gamma, n)
        if z * h < 0.0 and following * h > 0.0:
            following = runge_kutta(0.0, h - way_to_zero(z, beta, gamma, n), beta, gamma, n)
        z = following
    return z


class BoucWen(Sampled):
    """Bouc-Wen specimen driven by the displacement at each tick."""

    ins = Ports(disp="applied displacement u")
    outs = Ports(force="restoring force r")
    params = PARAMS
    state = State(disp=0.0, z=0.0)
    example = dict(stiffness=10.0, yield_disp=1.0, alpha=0.1)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return prepared("BoucWen", q, cls.state)

    @kernel
    def outputs(u, x, p, y):
        z = advance(x.z, (u.disp - x.disp) / p.uy, p.steps_per_uy, p.beta, p.gamma, p.n)
        y.force = p.elastic * u.disp + p.hysteretic * z

    @kernel
    def update(u, x, p):
        x.z = advance(x.z, (u.disp - x.disp) / p.uy, p.steps_per_uy, p.beta, p.gamma, p.n)
        x.disp = u.disp


class BoucWenRate(Continuous):
    """Bouc-Wen specimen integrated in time, from displacement and velocity."""

    ins = Ports(disp="applied displacement u", vel="its velocity u'")
    outs = Ports(force="restoring force r")
    params = PARAMS
    state = State(z=0.0)
    example = dict(stiffness=10.0, yield_disp=1.0, alpha=0.1)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return prepared("BoucWenRate", q, cls.state)

    @kernel
    def outputs(u, x, p, y):
        y.force = p.elastic * u.disp + p.hysteretic * x.z

    @kernel
    def derivative(u, x, p, dx):
        dx.z = u.vel / p.uy * slope(x.z, u.vel, p.beta, p.gamma, p.n)
