"""Structural integrators: the equation of motion, advanced step by step."""

from __future__ import annotations

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
from hybsim.blocks.integrators.newmark_within_step import NewmarkWithinStep
from hybsim.blocks.integrators.operator_splitting import OperatorSplitting
from hybsim.blocks.integrators.osm_us import OSMUS
from hybsim.kernel import KernelBlock

BLOCKS: dict[str, type[KernelBlock]] = {
    "NEWMARK": NewmarkExplicit,
    "NEWMARK_WITHIN_STEP": NewmarkWithinStep,
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
}
