"""Command generators: what the loading devices are told from one target to the next."""

from __future__ import annotations

from hybsim.kernel import KernelBlock

BLOCKS: dict[str, type[KernelBlock]] = {}
