"""What a diagram is made of: one concept a file, the equation first.

CATALOGUE lists every block under the name it has in a diagram: ``bd.BOUCWEN(...)``. A new block gets its
file in the folder of its family and its line here.
"""

from __future__ import annotations

from hybsim.blocks.actuators.transfer_function import Actuator, ActuatorSampled
from hybsim.blocks.compensators.polynomial_predictor import Predictor
from hybsim.blocks.compensators.time_delay import Delay
from hybsim.blocks.errors.displacement_lag import DisplacementLag
from hybsim.blocks.integrators.alpha_os import AlphaOS
from hybsim.blocks.integrators.central_difference import CentralDifference
from hybsim.blocks.integrators.chang_explicit import ChangExplicit
from hybsim.blocks.integrators.cr_explicit import CRExplicit
from hybsim.blocks.integrators.fht_alpha import FHTAlpha, FHTAlphaFeedback
from hybsim.blocks.integrators.gamma_function import GammaFunction
from hybsim.blocks.integrators.hht_alpha import HHTAlpha
from hybsim.blocks.integrators.implicit_explicit import ImplicitExplicit
from hybsim.blocks.integrators.kr_alpha import KRAlpha
from hybsim.blocks.integrators.modified_newmark import ModifiedNewmark
from hybsim.blocks.integrators.momentum import MomentumNewmark
from hybsim.blocks.integrators.newmark_banded import NewmarkBanded
from hybsim.blocks.integrators.newmark_beta import NewmarkBeta
from hybsim.blocks.integrators.newmark_explicit import NewmarkExplicit
from hybsim.blocks.integrators.operator_splitting import OperatorSplitting
from hybsim.blocks.integrators.osm_us import OSMUS
from hybsim.blocks.monitors.energy_error import EnergyError
from hybsim.blocks.sources.cosine_pulse import CosinePulse
from hybsim.blocks.sources.ground_motion import GroundMotion
from hybsim.blocks.sources.normal_noise import NormalNoise
from hybsim.blocks.sources.sine_sweep import SineSweep
from hybsim.blocks.sources.white_noise import WhiteNoise
from hybsim.blocks.specimens.bilinear import Bilinear
from hybsim.blocks.specimens.bouc_wen import BoucWen, BoucWenRate
from hybsim.blocks.specimens.bouc_wen_degrading import BoucWenDegrading, BoucWenDegradingRate
from hybsim.blocks.specimens.coupled_linear import CoupledSprings
from hybsim.blocks.specimens.cubic_spring import CubicSpring
from hybsim.blocks.specimens.elastic_plastic import ElasticPlastic
from hybsim.blocks.specimens.force_relaxation import ForceRelaxation
from hybsim.blocks.specimens.maxwell_damper import MaxwellDamper, MaxwellDamperRate
from hybsim.blocks.specimens.menegotto_pinto import MenegottoPinto
from hybsim.blocks.specimens.mr_damper import MRDamper, MRDamperRate
from hybsim.blocks.specimens.spring import Spring
from hybsim.blocks.specimens.storeys import Storeys, StoreysBoucWen
from hybsim.blocks.specimens.viscous_damper import ViscousDamper, ViscousDamperSampled
from hybsim.kernel import KernelBlock

CATALOGUE: dict[str, type[KernelBlock]] = {
    "GROUNDMOTION": GroundMotion,
    "SINESWEEP": SineSweep,
    "COSINEPULSE": CosinePulse,
    "WHITENOISE": WhiteNoise,
    "NORMAL": NormalNoise,
    "NEWMARK": NewmarkExplicit,
    "CENTRALDIFFERENCE": CentralDifference,
    "NEWMARK_MODIFIED": ModifiedNewmark,
    "NEWMARK_GAMMA": GammaFunction,
    "CHANG": ChangExplicit,
    "CR": CRExplicit,
    "KRALPHA": KRAlpha,
    "NEWMARK_BANDED": NewmarkBanded,
    "MOMENTUM": MomentumNewmark,
    "NEWMARK_BETA": NewmarkBeta,
    "HHT": HHTAlpha,
    "IMPLICIT_EXPLICIT": ImplicitExplicit,
    "OS": OperatorSplitting,
    "ALPHA_OS": AlphaOS,
    "OSM_US": OSMUS,
    "FHT": FHTAlpha,
    "FHT_FEEDBACK": FHTAlphaFeedback,
    "SPRING": Spring,
    "STOREYS": Storeys,
    "STOREYS_BOUCWEN": StoreysBoucWen,
    "COUPLEDSPRINGS": CoupledSprings,
    "CUBICSPRING": CubicSpring,
    "ELASTICPLASTIC": ElasticPlastic,
    "BILINEAR": Bilinear,
    "STEEL": MenegottoPinto,
    "BOUCWEN": BoucWen,
    "BOUCWEN_RATE": BoucWenRate,
    "BOUCWEN_DEGRADING": BoucWenDegrading,
    "BOUCWEN_DEGRADING_RATE": BoucWenDegradingRate,
    "RELAXATION": ForceRelaxation,
    "VISCOUSDAMPER": ViscousDamper,
    "VISCOUSDAMPER_S": ViscousDamperSampled,
    "MAXWELL": MaxwellDamper,
    "MAXWELL_RATE": MaxwellDamperRate,
    "MRDAMPER": MRDamper,
    "MRDAMPER_RATE": MRDamperRate,
    "ACTUATOR": Actuator,
    "ACTUATOR_S": ActuatorSampled,
    "DELAY": Delay,
    "PREDICTOR": Predictor,
    "LAG": DisplacementLag,
    "ENERGY": EnergyError,
}
