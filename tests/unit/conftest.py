"""Fixtures of the unit tests; the modules in `support` are importable by the tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).parent / "support"))


class Outcome(NamedTuple):
    """What one command gave."""

    code: int
    out: str
    err: str


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run one hybsim command in this process."""

    def run(*words: object) -> Outcome:
        from hybsim.cli import main

        capfd.readouterr()
        code = main([str(word) for word in words])
        return Outcome(code, *capfd.readouterr())

    return run


@pytest.fixture(scope="session")
def kernel_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the libraries of generated kernels, thrown away in the end."""
    return tmp_path_factory.mktemp("kernels")
