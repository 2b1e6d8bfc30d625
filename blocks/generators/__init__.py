"""Command generators: what the loading devices are told from one target to the next."""

from __future__ import annotations

from hybsim.blocks.generators.command_interpolation import CommandInterpolation
from hybsim.blocks.generators.event_driven import EventDriven
from hybsim.blocks.generators.event_driven_smooth import EventDrivenSmooth
from hybsim.blocks.generators.force_command import ForceCommand, ForceCommandModel
from hybsim.kernel import KernelBlock

BLOCKS: dict[str, type[KernelBlock]] = {
    "COMMANDS": CommandInterpolation,
    "EVENTDRIVEN": EventDriven,
    "EVENTDRIVEN_SMOOTH": EventDrivenSmooth,
    "FORCECOMMAND": ForceCommand,
    "FORCECOMMAND_MODEL": ForceCommandModel,
}
