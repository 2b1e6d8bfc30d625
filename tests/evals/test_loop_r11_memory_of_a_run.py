"""R11: a region that was damaged, or made by something else, is refused by every process: C trusts its numbers."""

from __future__ import annotations

import math
import subprocess
import uuid
from pathlib import Path

import pytest
from deployments import deployment

from hybsim.runtime.region import Region
from hybsim.runtime.set_up import Options, loop_set_up, rig_set_up

SETUP = [
    ("ins", 33), ("ins", -1), ("outs", 17), ("outs", 33), ("outs", 0), ("scripted", 65), ("faults", 17), ("faults", -1),
    ("in_state", [10**6, 0]), ("in_state", [-1, 0]), ("out_column", [10**6]), ("out_column", [-1]),
    ("in_scale", [0.0, 1.0]), ("out_scale", [math.nan]), ("in_offset", [math.inf, 0.0]), ("energy_column", 10**6),
    ("index_column", -2), ("fade_parameter", 10**6), ("fade_parameter", 0), ("period", 0.0), ("period", math.nan),
    ("rows", 0), ("rows", 2**62), ("rows", 2**20), ("columns", 3), ("columns", 2**62), ("parameters", -5),
    ("signals", 0), ("states", 2**61), ("watchdog", 0.0), ("driver", b"x" * 16), ("address", b"x" * 256),
]  # fmt: skip
GUARD = [
    ("commands", 17), ("measured", 40), ("dt", 0.5), ("low", [math.nan]), ("high", [math.inf]), ("velocity", [0.0]),
    ("home", [1e9]), ("acceleration", [math.nan]), ("move_acceleration", [1e9]), ("move_velocity", [-1.0]),
    ("hard_high", [math.nan]), ("hard_rate", [math.inf]), ("follows", [1]), ("follows", [-2]),
    ("range_low", [-math.inf]), ("error_least", [math.nan]), ("noise_floor", [math.nan]), ("energy_stop", math.nan),
    ("supervisor_silence", math.nan),
]  # fmt: skip


@pytest.fixture(scope="module")
def made():
    return deployment("shm")


@pytest.fixture
def path():
    path = Path("/dev/shm") / f"hybsim-test-{uuid.uuid4().hex}"
    yield path
    path.unlink(missing_ok=True)


def ended(*words: object) -> tuple[int, str]:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=20.0)
    return done.returncode, done.stderr


def region(path: Path, set_up) -> None:
    Region.create(path, set_up.setup, set_up.guard, set_up.p, set_up.x).close()


def change(path: Path, part: str, name: str, value: object) -> None:
    with Region.open(path) as made:
        getattr(made, part)[name] = value


@pytest.mark.parametrize(
    ("part", "name", "value"), [("setup", *one) for one in SETUP] + [("guard", *one) for one in GUARD]
)
def test_R11_a_loop_refuses_a_set_up_that_makes_no_sense(made, path, part, name, value):
    region(path, loop_set_up(made.cut, made.rig, Options(patience=0.0)))
    change(path, part, name, value)
    code, said = ended(made.loop_executable(), "loop", path)
    assert code == 2 and str(path) in said


@pytest.mark.parametrize(
    ("name", "value"), [one for one in SETUP if one not in (("outs", 17), ("outs", 0), ("columns", 3))]
)
def test_R11_so_do_the_guardian_and_the_rig(made, path, name, value):
    rig = path.with_name(path.name + "-rig")
    region(path, loop_set_up(made.cut, made.rig, Options(patience=0.0)))
    region(rig, rig_set_up(made.cut, made.rig, Options(patience=0.0)))
    try:
        for one in (path, rig):
            value_ = [*value, *value][:2] if isinstance(value, list) else value
            change(one, "setup", name, value_)
        assert ended(made.loop_executable(), "guardian", path)[0] == 2
        assert ended(made.rig_executable(), rig)[0] == 2
    finally:
        rig.unlink(missing_ok=True)


def test_as_it_was_made_it_is_only_its_device_that_is_missing(made, path):
    region(path, loop_set_up(made.cut, made.rig, Options(patience=0.0)))
    for role in ("loop", "guardian"):
        code, said = ended(made.loop_executable(), role, path)
        assert code == 1 and "There is no device" in said


def test_R11_a_region_that_was_cut_short_is_refused(made, path):
    region(path, loop_set_up(made.cut, made.rig, Options(patience=0.0)))
    whole = path.read_bytes()
    for size in (0, 100, len(whole) // 2, len(whole) - 8):
        path.write_bytes(whole[:size])
        assert ended(made.loop_executable(), "loop", path)[0] == 2
        assert ended(made.loop_executable(), "guardian", path)[0] == 2
