"""Fixtures of the unit tests; the modules in `support` are importable by the tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from hybsim.runtime.result import Result

sys.path[:0] = [str(Path(__file__).parent / "support"), str(Path(__file__).parents[1] / "support")]


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


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for one test, and none of the variables that change a build."""
    from hybsim.runtime import build as building

    for variable in ("HYBSIM_CC", "CC", "HYBSIM_CHECKED"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HYBSIM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(building, "_stand_ins", [])
    return tmp_path / "cache"


@pytest.fixture
def result() -> Result:
    """A result of a whole run."""
    from sample_results import whole_run

    return whole_run()


@pytest.fixture
def stopped() -> Result:
    """A result of a run that stopped."""
    from sample_results import stopped_run

    return stopped_run()
