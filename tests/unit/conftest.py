"""Fixtures of the unit tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest


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
