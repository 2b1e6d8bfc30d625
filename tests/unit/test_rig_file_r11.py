"""R11: a bad rig file is refused with its key and line."""

from __future__ import annotations

import re

import pytest

from hybsim.hw.rig_file import RigFileError, parse_rig, read_rig
from hybsim.hw.rig_model import MOST_COMMANDS, MOST_MEASURED
from hybsim.runtime import guard_tables

GOOD = """\
cut = "rig"
rate = 4096.0

[device]
driver = "shm"
address = "/hybsim_rig"

[commands.disp]
channel = 0
unit = "m"
device_unit = "V"
scale = 100.0
offset = 0.5
range = { low = -10.0, high = 10.0 }
soft = { low = -0.05, high = 0.06, velocity = 0.5, acceleration = 20.0 }
move = { velocity = 0.02, acceleration = 1.0 }
home = 0.0

[measured.disp]
channel = 0
unit = "m"
device_unit = "V"
scale = -100.0
offset = 0.0
range = { low = -10.0, high = 10.0 }
follows = "disp"
noise_floor = 1e-5
tracking = { least = 0.001, most = 0.01 }
hard = { low = -0.07, high = 0.07, rate = 2.0 }

[measured.force]
channel = 1
unit = "kN"
device_unit = "V"
scale = 0.1
offset = 0.0
range = { low = -10.0, high = 10.0 }
hard = { low = -80.0, high = 80.0, rate = 1e5 }

[energy]
index = "hsei.index"
energy = "hsei.energy"
floor = 1.0
warn = 0.05
pause = 0.1
stop = 0.2

[watchdog]
supervisor = 0.5
device = 0.01

[free_vibration]
excitation = "record.scale"
fade = 2.0
mass = 1000.0
damping = 50.0
"""


def refusal(text: str) -> str:
    with pytest.raises(RigFileError) as caught:
        parse_rig(text)
    return str(caught.value)


def test_a_good_file_is_read(tmp_path):
    (tmp_path / "rig.toml").write_text(GOOD)
    rig = read_rig(tmp_path / "rig.toml")
    assert (rig.cut, rig.rate, rig.commands["disp"].soft.high) == ("rig", 4096.0, 0.06)
    reach = rig.measured["disp"].reach()
    assert (reach.low, reach.high) == pytest.approx((-0.1, 0.1))
    reach = rig.commands["disp"].reach()
    assert (reach.low, reach.high) == pytest.approx((-0.105, 0.095))
    assert rig.commands["disp"].to_device(0.05) == pytest.approx(5.5)


@pytest.mark.parametrize("number", [i for i, line in enumerate(GOOD.splitlines()) if " = " in line])
def test_R11_a_key_that_is_missing_is_named(number):
    lines = GOOD.splitlines()
    key = lines[number].split(" = ")[0]
    text = "\n".join(lines[:number] + lines[number + 1 :])
    assert re.search(rf"\b{key}\b", refusal(text)), "the missing key is named"


@pytest.mark.parametrize("number", [i for i, line in enumerate(GOOD.splitlines()) if " = " in line])
def test_R11_an_unknown_key_is_refused_with_its_line(number):
    lines = GOOD.splitlines()
    lines.insert(number + 1, "surprise = 1.0")
    said = refusal("\n".join(lines))
    assert f"line {number + 2}" in said and "unknown key 'surprise'" in said


NUMBERS = [(m.start(1), m.end(1)) for m in re.finditer(r"= (-?\d[\d.e\-]*)", GOOD)]


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", '"3"', "true", "[]"])
@pytest.mark.parametrize("place", NUMBERS)
def test_R11_a_number_that_is_none_is_refused_with_its_line(place, value):
    text = GOOD[: place[0]] + value + GOOD[place[1] :]
    assert f"line {GOOD[: place[0]].count(chr(10)) + 1}," in refusal(text)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("soft = { low = -0.05, high = 0.06", "soft = { low = 0.05, high = -0.06", "low must be below high"),
        ("hard = { low = -80.0, high = 80.0", "hard = { low = 80.0, high = 80.0", "low must be below high"),
        ("soft = { low = -0.05, high = 0.06", "soft = { low = -0.05, high = 0.2", "range of the device"),
        ("hard = { low = -0.07", "hard = { low = -0.04", "must hold the soft limits"),
        ("hard = { low = -80.0, high = 80.0", "hard = { low = -101.0, high = 80.0", "range of the device"),
        ("velocity = 0.5", "velocity = 0.0", "greater than 0"),
        ("velocity = 0.5", "velocity = -1.0", "greater than 0"),
        ("velocity = 0.02", "velocity = 0.6", "move.velocity = 0.6 is above soft.velocity = 0.5"),
        ("home = 0.0", "home = 0.07", "outside soft"),
        ("velocity = 0.02", "velocity = 0.0003", "a move across soft lasts 576 s, longer than the 500 s"),
        ("scale = 0.1", "scale = 0.0", "scale must not be 0"),
        ('unit = "kN"', 'unit = "kilo"', "'kilo'"),
        ('follows = "disp"', 'follows = "dips"', "Did you mean 'disp'"),
        ("channel = 1\n", "channel = 0\n", "channel 0 is that of 'disp' already"),
        ("noise_floor = 1e-5\n", "", "noise_floor belongs to follows"),
        ("warn = 0.05", "warn = 0.15", "warn must be below pause"),
        ("stop = 0.2", "stop = 0.1", "pause must be below stop"),
        ("supervisor = 0.5", "supervisor = 1e9", "less than or equal to 10"),
        ("supervisor = 0.5", "supervisor = 0.05", "greater than or equal to 0.1"),
        ("device = 0.01", "device = 0.0005", "less than three ticks, 0.000732422 s"),
        (
            "hard = { low = -0.07, high = 0.07",
            "hard = { low = -0.07, high = 0.0605",
            "the tracking error of 0.001 beyond",
        ),
        (
            "hard = { low = -0.07, high = 0.07, rate = 2.0",
            "hard = { low = -0.07, high = 0.07, rate = 0.4",
            "hard.rate = 0.4 is below soft.velocity = 0.5 of 'disp'",
        ),
        (
            'follows = "disp"\nnoise_floor = 1e-5\ntracking = { least = 0.001, most = 0.01 }\n',
            "",
            "commands.disp: no measured value follows it",
        ),
        ('driver = "shm"', 'driver = "smh"', "'smh'"),
        ('driver = "shm"', 'driver = "udp"', "key_file"),
        ('address = "/hybsim_rig"\n', "", "needs an address"),
        ("rate = 4096.0", "rate = 0.0", "greater than 0"),
        ('cut = "rig"', 'cut = ""', "at least 1 character"),
    ],
)
def test_R11_what_contradicts_itself_is_refused(old, new, says):
    assert GOOD.count(old) >= 1
    said = refusal(GOOD.replace(old, new, 1))
    assert says in said and "line " in said


def test_R11_a_measured_value_in_another_unit_than_its_command_is_refused():
    text = GOOD.replace('[measured.disp]\nchannel = 0\nunit = "m"', '[measured.disp]\nchannel = 0\nunit = "mm"')
    assert "'disp' is in m, this channel in mm" in refusal(text)


def test_R11_all_problems_are_told_at_once():
    said = refusal(GOOD.replace("scale = 0.1", "scale = 0.0").replace("rate = 4096.0", "rte = 4096.0"))
    assert "scale must not be 0" in said and "'rte'. Did you mean 'rate'?" in said and "'rate' is missing" in said


def test_R11_no_toml_and_no_file_are_refused(tmp_path):
    assert "not TOML" in refusal("rate = = 1")
    with pytest.raises(RigFileError, match="cannot be read"):
        read_rig(tmp_path / "none.toml")


def test_the_guard_has_room_for_the_channels():
    assert (MOST_COMMANDS, MOST_MEASURED) == (guard_tables.COMMANDS, guard_tables.MEASURED)
