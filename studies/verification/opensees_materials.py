"""OpenSees' uniaxial materials on given paths, and how far our specimens are from them.

OpenSees is an extra (``pip install 'hybsim[opensees]'``; on Debian its wheel for Python 3.11 also needs the packages
libblas3, liblapack3 and libgfortran5). `missing` says why it cannot be used here.

Materials that do not depend on time are driven by the material tester; dampers stand in a zero-length element whose
end is moved with displacement and velocity given, in a transient analysis.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from hybsim.studies.verification.loops import forces, forces_in_time, sine, walk
from hybsim.studies.verification.rows import Row

K, UY = 10.0, 0.5
STEPS = 2000


@cache
def missing() -> str | None:
    """Why OpenSees cannot be used here, or None."""
    try:
        import openseespy.opensees  # noqa: F401
    except ImportError as error:
        return f"OpenSees is not installed ({error}); it is the extra 'opensees'."
    except RuntimeError as error:
        # What openseespy raises when its library lacks one of the system's.
        return (
            f"OpenSees does not start ({error.__context__ or error}); it needs libblas3, liblapack3 and libgfortran5."
        )
    return None


def static_forces(material: tuple[Any, ...], disps: np.ndarray) -> np.ndarray:
    """Stress of a material, given as its name and arguments after the tag, at each strain of a path."""
    import openseespy.opensees as ops

    name, *arguments = material
    ops.wipe()
    ops.uniaxialMaterial(name, 1, *arguments)
    ops.testUniaxialMaterial(1)
    stress = []
    for u in disps:
        ops.setStrain(float(u))
        stress.append(ops.getStress())
    return np.array(stress)


def timed_forces(material: tuple[Any, ...], disps: np.ndarray, vels: np.ndarray, dt: float) -> np.ndarray:
    """Force of a material between a fixed node and one that moves as given, from rest at zero."""
    import openseespy.opensees as ops

    name, *arguments = material
    ops.wipe()
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    for node in (1, 2, 3):
        ops.node(node, 0.0)
    ops.fix(1, 1)
    ops.uniaxialMaterial(name, 1, *arguments)
    ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
    # A mass that stays at rest: an analysis without any equation is refused.
    ops.mass(3, 1.0)
    ops.uniaxialMaterial("Elastic", 2, 1.0)
    ops.element("zeroLength", 2, 1, 3, "-mat", 2, "-dir", 1)
    for tag, values in ((1, disps), (2, vels), (3, np.zeros(len(disps)))):
        # One value more than ticks: rounding of the time must not end the series early.
        ops.timeSeries("Path", tag, "-dt", dt, "-values", *[float(v) for v in (*values, values[-1])])
    ops.pattern("MultipleSupport", 1)
    ops.groundMotion(1, "Plain", "-disp", 1, "-vel", 2, "-accel", 3)
    ops.imposedMotion(2, 1, 1)
    ops.constraints("Transformation")
    ops.numberer("Plain")
    ops.system("ProfileSPD")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.algorithm("Linear")
    ops.analysis("Transient", "-noWarnings")
    force = [0.0]
    for _ in disps[1:]:
        if ops.analyze(1, dt) != 0:
            raise RuntimeError(f"OpenSees did not finish a step with {name}.")
        force.append(ops.eleResponse(1, "material", 1, "stress")[0])
    return np.array(force)


def extrapolated(material: tuple[Any, ...], corners: list[float], steps: int) -> np.ndarray:
    """Stresses at the corners of a path for steps without length: OpenSees' error is of the first order in them."""
    coarse, fine = (static_forces(material, walk(*corners, steps=n))[::n] for n in (steps, 2 * steps))
    return 2.0 * fine - coarse


def rows() -> list[Row]:
    """The forces of each specimen against its OpenSees material; none where OpenSees is missing."""
    if missing() is not None:
        return []
    return [*_static_rows(), *_bouc_wen_rows(), *_damper_rows()]


def _row(specimen: str, material: str, ours: np.ndarray, theirs: np.ndarray, tolerance: float) -> Row:
    """The largest force; the error is the largest difference on the path, over that force."""
    largest = int(np.argmax(np.abs(theirs)))
    error = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
    return Row(
        specimen, "largest force", float(ours[largest]), float(theirs[largest]), error, tolerance,
        f"OpenSees {material}",
    )  # fmt: skip


def _static_rows() -> list[Row]:
    disps = np.cumsum(np.random.default_rng(1).normal(scale=0.3, size=STEPS))
    base = dict(stiffness=K, yield_disp=UY)
    hardening = dict(alpha=0.05, r0=15.0, a1=0.05, a2=2.0, a3=0.08, a4=3.0)
    cases: list[tuple[str, str, dict[str, float], tuple[Any, ...]]] = [
        ("ELASTICPLASTIC", "", base, ("ElasticPP", K, UY)),
        ("BILINEAR", "", base | dict(alpha=0.05), ("Steel01", K * UY, K, 0.05)),
        ("STEEL", "", base | dict(alpha=0.05), ("Steel02", K * UY, K, 0.05, 20.0, 0.925, 0.15)),
        (
            "STEEL",
            ", isotropic hardening",
            base | hardening,
            ("Steel02", K * UY, K, 0.05, 15.0, 0.925, 0.15, 0.05, 2.0, 0.08, 3.0),
        ),
    ]
    return [
        _row(name, made[0] + words, forces(name, q, disps), static_forces(made, disps), 1e-12)
        for name, words, q, made in cases
    ]


def bouc_wen_material(q: dict[str, float]) -> tuple[Any, ...]:
    """BoucWen with the parameters of BOUCWEN_DEGRADING: its z has units, and beta and gamma change places."""
    scale, energy = q["yield_disp"] ** q["n"], q["stiffness"] * q["yield_disp"] ** 2
    shape = (q["alpha"], q["stiffness"], q["n"], q["beta"] / scale, q["gamma"] / scale, 1.0)
    degrading = [q.get(name, 0.0) / energy for name in ("delta_a", "delta_nu", "delta_eta")]
    return ("BoucWen", *shape, *degrading, 1e-12, 100)


def pinching_material(q: dict[str, float]) -> tuple[Any, ...]:
    """BWBN with the parameters of BOUCWEN_DEGRADING."""
    uy, energy = q["yield_disp"], q["stiffness"] * q["yield_disp"] ** 2
    shape = bouc_wen_material(q)[1:7]
    return (
        "BWBN", *shape, q["q"], q["zeta_s"], q["p"] / energy, q["psi"] * uy, q["delta_psi"] * uy / energy, q["lam"],
        1e-12, 100,
    )  # fmt: skip


def _bouc_wen_rows() -> list[Row]:
    corners = [0.0, 1.0, -1.0, 2.0, -2.0, 1.0, -3.0, 0.2]
    shape = dict(stiffness=K, yield_disp=UY, alpha=0.1, beta=0.3, gamma=0.5, n=1.4)
    degrading = shape | dict(delta_a=0.01, delta_nu=0.03, delta_eta=0.05)
    pinching = shape | dict(zeta_s=0.9, q=0.15, p=0.4, psi=0.2, delta_psi=0.01, lam=0.3)
    cases = [
        ("BOUCWEN", shape, bouc_wen_material(shape)),
        ("BOUCWEN_DEGRADING", degrading, bouc_wen_material(degrading)),
        ("BOUCWEN_DEGRADING", pinching, pinching_material(pinching)),
    ]
    return [
        _row(
            name, f"{material[0]}, extrapolated to no step", forces(name, q, walk(*corners, steps=100))[::100],
            extrapolated(material, corners, STEPS), 1e-6,
        )
        for name, q, material in cases
    ]  # fmt: skip


def _damper_rows() -> list[Row]:
    k, c, dt, duration = 10.0, 2.0, 0.001, 3.0
    t = dt * np.arange(round(duration / dt) + 1)
    # From rest: 1 - cos, whose velocity is a sine.
    disps, vels = 1.0 - np.cos(2.0 * math.pi * t), 2.0 * math.pi * np.sin(2.0 * math.pi * t)
    vel = sine(2.0 * math.pi, 1.0)[0]
    linear = forces("MAXWELL", dict(stiffness=k, damping=c), disps, dt=dt)
    powered = dict(stiffness=k, damping=c, exponent=0.5)

    def opensees(*material: Any) -> np.ndarray:
        return timed_forces(material, disps, vels, dt)

    return [
        _row("MAXWELL", "Maxwell", linear, opensees("Maxwell", k, c, 1.0, 1.0), 1e-5),
        _row("MAXWELL", "ViscousDamper", linear, opensees("ViscousDamper", k, c, 1.0), 1e-5),
        _row(
            "MAXWELL_RATE", "ViscousDamper, exponent 0.5",
            forces_in_time("MAXWELL_RATE", powered, vel, dt=dt, duration=duration),
            opensees("ViscousDamper", k, c, 0.5), 1e-5,
        ),
        _row(
            "VISCOUSDAMPER", "Viscous, exponent 0.5",
            forces("VISCOUSDAMPER", dict(damping=c, exponent=0.5), vels, dt=dt), opensees("Viscous", c, 0.5), 1e-5,
        ),
    ]  # fmt: skip
