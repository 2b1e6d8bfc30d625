"""The drivers' C sources: found by name, without warnings, and as the bench sees them."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import pytest
from driver_bench import (
    CALLS,
    CHANNELS,
    DROPS,
    KINDS,
    Answer,
    source,
    values_of,
)

from hybsim.runtime.c_sources import in_one, text


def test_the_bench_knows_the_numbers_of_the_contract():
    assert values_of("HD_WRONG_SHAPE")[: len(KINDS)] == [
        "HD_FAILS",
        "HD_HANGS",
        "HD_NANS",
        "HD_WRONG_SHAPE",
        "HD_STALE",
    ]
    assert values_of("HD_SAFE_CALL") == ["HD_OPEN", "HD_READ", "HD_WRITE", "HD_HEALTH", "HD_SAFE_CALL"]
    assert len(CALLS) == len(KINDS) == 5
    assert values_of("HD_FOLLOW") == ["HD_SAFE", "HD_IDLE", "HD_HOLD", "HD_FOLLOW"]
    assert values_of("HD_DROP_SIZE") == [f"HD_DROP_{name.upper()}" for name in DROPS] + ["HD_DROPS"]
    assert ctypes.sizeof(Answer) == 8 * (3 + CHANNELS)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_every_source_compiles_without_a_warning(tmp_path):
    whole = tmp_path / "drivers.c"
    whole.write_text(source())
    strict = ["gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-c", "-o", str(tmp_path / "drivers.o")]
    done = subprocess.run([*strict, str(whole)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_c_source_has_one_name():
    assert "hd_find_driver" in text("drivers.c") and "hg_tick" in text("guard.c")
    assert in_one("shm.c", "shm_peer.c").count("#define HD_SHM_MAP_H") == 1
    with pytest.raises(LookupError, match="There are 0 C sources named 'no.c'"):
        text("no.c")
