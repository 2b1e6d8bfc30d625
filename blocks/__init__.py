"""What a diagram is made of: one concept a file, the equation first.

CATALOGUE lists every block under the name it has in a diagram: ``bd.BOUCWEN(...)``. A new block gets its
file in the folder of its family and its line here.
"""

from __future__ import annotations

from hybsim.kernel import KernelBlock

from .actuators.transfer_function import Actuator, ActuatorSampled
from .compensators.polynomial_predictor import Predictor
from .compensators.time_delay import Delay
from .errors.displacement_lag import DisplacementLag
from .integrators.newmark_explicit import NewmarkExplicit
from .monitors.energy_error import EnergyError
from .sources.cosine_pulse import CosinePulse
from .sources.ground_motion import GroundMotion
from .sources.normal_noise import NormalNoise
from .sources.sine_sweep import SineSweep
from .sources.white_noise import WhiteNoise
from .specimens.bouc_wen import BoucWen, BoucWenRate
from .specimens.elastic_plastic import ElasticPlastic
from .specimens.spring import Spring

CATALOGUE: dict[str, type[KernelBlock]] = {
    "GROUNDMOTION": GroundMotion,
    "SINESWEEP": SineSweep,
    "COSINEPULSE": CosinePulse,
    "WHITENOISE": WhiteNoise,
    "NORMAL": NormalNoise,
    "NEWMARK": NewmarkExplicit,
    "SPRING": Spring,
    "ELASTICPLASTIC": ElasticPlastic,
    "BOUCWEN": BoucWen,
    "BOUCWEN_RATE": BoucWenRate,
    "ACTUATOR": Actuator,
    "ACTUATOR_S": ActuatorSampled,
    "DELAY": Delay,
    "PREDICTOR": Predictor,
    "LAG": DisplacementLag,
    "ENERGY": EnergyError,
}
