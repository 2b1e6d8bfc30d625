"""Specimens: the restoring force of the part under test."""

from __future__ import annotations

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
from hybsim.blocks.specimens.opensees_model import OpenSeesModel
from hybsim.blocks.specimens.spring import Spring
from hybsim.blocks.specimens.storeys import Storeys, StoreysBoucWen
from hybsim.blocks.specimens.viscous_damper import ViscousDamper, ViscousDamperSampled
from hybsim.kernel import KernelBlock

BLOCKS: dict[str, type[KernelBlock]] = {
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
    "OPENSEESMODEL": OpenSeesModel,
}
