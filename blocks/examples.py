"""One example of every block: the keywords of a constructor call that works as it stands."""

from __future__ import annotations

from typing import Any

EXAMPLES: dict[str, dict[str, Any]] = {
    "GROUNDMOTION": dict(record="elcentro", scale=386.1),
    "SINESWEEP": dict(amplitude=1.0, f_start=0.1, f_end=10.0, duration=20.0),
    "COSINEPULSE": dict(amplitude=1.0, duration=0.5),
    "WHITENOISE": dict(power=0.01, seed=1),
    "NORMAL": dict(variance=0.01, seed=1),
    "NEWMARK": dict(mass=0.25, damping=0.16),
    "CENTRALDIFFERENCE": dict(mass=0.25, damping=0.16),
    "NEWMARK_MODIFIED": dict(mass=0.25, damping=0.16, alpha=0.1),
    "NEWMARK_GAMMA": dict(mass=0.25, damping=0.16, stiffness=10.0, coefficients=[0.05, 0.02]),
    "CHANG": dict(mass=0.25, damping=0.16, stiffness=10.0),
    "CR": dict(mass=0.25, damping=0.16, stiffness=10.0),
    "KRALPHA": dict(mass=0.25, damping=0.16, stiffness=10.0, rho_inf=0.5),
    "MOMENTUM": dict(mass=0.25, damping=0.16, ticks_per_step=4),
    "SPRING": dict(stiffness=10.0),
    "COUPLEDSPRINGS": dict(stiffness=[[20.0, -10.0], [-10.0, 10.0]]),
    "CUBICSPRING": dict(stiffness=10.0, cubic=-1.0),
    "ELASTICPLASTIC": dict(stiffness=10.0, yield_disp=1.0),
    "BILINEAR": dict(stiffness=10.0, yield_disp=1.0, alpha=0.1),
    "STEEL": dict(stiffness=10.0, yield_disp=1.0, alpha=0.02),
    "BOUCWEN": dict(stiffness=10.0, yield_disp=1.0, alpha=0.1),
    "BOUCWEN_RATE": dict(stiffness=10.0, yield_disp=1.0, alpha=0.1),
    "BOUCWEN_DEGRADING": dict(stiffness=10.0, yield_disp=1.0, delta_nu=0.02, delta_eta=0.05, zeta_s=0.9),
    "BOUCWEN_DEGRADING_RATE": dict(stiffness=10.0, yield_disp=1.0, delta_nu=0.02, delta_eta=0.05),
    "RELAXATION": dict(stiffness=10.0, overstress=0.8, time=3.0, recovery_disp=0.05),
    "VISCOUSDAMPER": dict(damping=2.0, exponent=0.5),
    "VISCOUSDAMPER_S": dict(damping=2.0, exponent=0.5),
    "MAXWELL": dict(stiffness=10.0, damping=2.0),
    "MAXWELL_RATE": dict(stiffness=10.0, damping=2.0, exponent=0.5),
    "MRDAMPER": {},
    "MRDAMPER_RATE": {},
    "ACTUATOR": dict(system=([1.0], [0.01, 1.0])),
    "ACTUATOR_S": dict(system=([1.0], [0.01, 1.0]), method="zoh"),
    "DELAY": dict(delay=0.02),
    "PREDICTOR": dict(horizon=0.02, order=3),
    "LAG": dict(mean=0.2),
    "ENERGY": dict(strain_energy=5.0),
}
