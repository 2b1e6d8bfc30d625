"""Giuffre-Menegotto-Pinto steel, with Filippou's isotropic hardening.

In e = u / u_y and s = r / (k u_y), from the last reversal (e_r, s_r) towards the corner (e_0, s_0), where the
elastic line through the reversal meets the hardening line:

    w = (e - e_r) / (e_0 - e_r),     s = s_r + (s_0 - s_r) (b w + (1 - b) w / (1 + |w|^R)^(1/R))
    R = R_0 (1 - cR_1 x / (cR_2 + x)),     x = |e_0 - e_x|

b is the stiffness after yielding over the elastic one, e_x the largest strain so far on the side the branch goes to
(at first the yield strain). Isotropic hardening moves the hardening line away from the origin by the factor
1 + a_1 ((e_max - e_min) / (2 a_2))^0.8 for branches to the negative side; a_3, a_4 for the positive side.

The tangent at a reversal is k, the asymptote of every branch b k. As in every model of this family a small unloading
starts a new branch, which after reloading lies above the old one (Filippou et al. 1983). OpenSees: Steel02.

Giuffre & Pinto (1970); Menegotto & Pinto (1973); Filippou, Popov & Bertero (1983), EERC 83-19.
"""

from __future__ import annotations

from types import SimpleNamespace

from hybsim.kernel import Params, Ports, Positive, Prepared, Real, Sampled, State, kernel


@kernel
def stress_at(strain, start, start_stress, corner, corner_stress, curvature, b):
    """Stress on the branch from its start towards its corner."""
    w = (strain - start) / (corner - start)
    size = abs(w)
    # w / (1 + |w|^R)^(1/R) both times; beyond the corner |w|^R could overflow.
    if size <= 1.0:
        bent = w / (1.0 + size**curvature) ** (1.0 / curvature)
    else:
        bent = w / size / (1.0 + size**-curvature) ** (1.0 / curvature)
    return start_stress + (corner_stress - start_stress) * (b * w + (1.0 - b) * bent)


@kernel
def corner_of(strain, stress, side, shift, b):
    """The corner of a branch that starts at (strain, stress) towards `side`: its strain and stress."""
    corner = side * shift + (strain - stress) / (1.0 - b)
    return corner, side * shift + b * (corner - side * shift)


@kernel
def shift_of(most, least, side, a1, a2, a3, a4):
    """How far isotropic hardening has moved the hardening line on the side the branch goes to."""
    gain = a3 if side > 0.0 else a1
    scale = a4 if side > 0.0 else a2
    # The range of strains grows from 2, the virgin elastic range.
    return 1.0 + gain * (0.5 * (most - least) / scale) ** 0.8


@kernel
def curvature_of(corner, most, least, side, r0, cr1, cr2):
    """R of a branch with this corner."""
    x = abs(corner - (most if side > 0.0 else least))
    return r0 * (1.0 - cr1 * x / (cr2 + x))


@kernel
def turned(strain, stress, before, side, most, least, b, r0, cr1, cr2, a1, a2, a3, a4):
    """Corner strain, corner stress and curvature of the branch that starts here."""
    shift = 1.0
    if before != 0.0:
        shift = shift_of(most, least, side, a1, a2, a3, a4)
    corner, corner_stress = corner_of(strain, stress, side, shift, b)
    return corner, corner_stress, curvature_of(corner, most, least, side, r0, cr1, cr2)


class MenegottoPinto(Sampled):
    """Giuffre-Menegotto-Pinto steel: curved transition, Bauschinger effect, optional isotropic hardening."""

    ins = Ports(disp="applied displacement u")
    outs = Ports(force="restoring force r")
    params = Params(
        stiffness=Positive("elastic stiffness k"),
        yield_disp=Positive("yield displacement u_y"),
        alpha=Real("stiffness after yielding over elastic stiffness, b", 0.01, at_least=0.0, below=1.0),
        r0=Positive("R_0: sharpness of the first transition, 10 to 20", 20.0),
        cr1=Real("cR_1: how much plastic strain rounds the transition", 0.925, at_least=0.0, below=1.0),
        cr2=Positive("cR_2: how soon plastic strain rounds the transition", 0.15),
        a1=Real("a_1: isotropic hardening on the negative side, 0 for none", 0.0, at_least=0.0),
        a2=Positive("a_2: range of strain it takes, with a_1", 1.0),
        a3=Real("a_3: isotropic hardening on the positive side, 0 for none", 0.0, at_least=0.0),
        a4=Positive("a_4: range of strain it takes, with a_3", 1.0),
    )
    state = State(
        strain=0.0, stress=0.0, side=0.0, most=1.0, least=-1.0,
        start=0.0, start_stress=0.0, corner=1.0, corner_stress=1.0, curvature=1.0,
    )  # fmt: skip
    example = dict(stiffness=10.0, yield_disp=1.0, alpha=0.02)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(p={**vars(q), "yield_force": q.stiffness * q.yield_disp}, x=cls.state)

    @kernel
    def outputs(u, x, p, y):
        strain = u.disp / p.yield_disp
        way = strain - x.strain
        side = x.side if way == 0.0 else (1.0 if way > 0.0 else -1.0)
        if side == x.side:
            stress = stress_at(strain, x.start, x.start_stress, x.corner, x.corner_stress, x.curvature, p.alpha)
        else:
            most = max(x.most, x.strain)
            least = min(x.least, x.strain)
            corner, corner_stress, curvature = turned(
                x.strain, x.stress, x.side, side, most, least,
                p.alpha, p.r0, p.cr1, p.cr2, p.a1, p.a2, p.a3, p.a4,
            )  # fmt: skip
            stress = stress_at(strain, x.strain, x.stress, corner, corner_stress, curvature, p.alpha)
        y.force = p.yield_force * stress

    @kernel
    def update(u, x, p):
        strain = u.disp / p.yield_disp
        way = strain - x.strain
        side = x.side if way == 0.0 else (1.0 if way > 0.0 else -1.0)
        if side != x.side:
            x.most = max(x.most, x.strain)
            x.least = min(x.least, x.strain)
            corner, corner_stress, curvature = turned(
                x.strain, x.stress, x.side, side, x.most, x.least,
                p.alpha, p.r0, p.cr1, p.cr2, p.a1, p.a2, p.a3, p.a4,
            )  # fmt: skip
            x.start = x.strain
            x.start_stress = x.stress
            x.corner = corner
            x.corner_stress = corner_stress
            x.curvature = curvature
            x.side = side
        x.stress = stress_at(strain, x.start, x.start_stress, x.corner, x.corner_stress, x.curvature, p.alpha)
        x.strain = strain
