"""What a rig file and a cut must agree on before anything starts: each disagreement is refused in a sentence."""

from __future__ import annotations

import math

import pytest
from deployments import RIG, deployment

import hybsim as hs
from hybsim.errors import ParameterError
from hybsim.hw.rig_file import parse_rig
from hybsim.runtime.set_up import Options, fading, guard_config, loop_set_up, read_key

ENERGY = """
[energy]
index = "energy.hsei_i"
energy = "{energy}"
floor = 1.0
warn = 0.1
pause = 0.2
stop = 0.3
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("rate = 1024.0", "rate = 1000.0", "asks for 1000 ticks per second, but the diagram's tick is 0.000976562 s"),
        ("rate = 1024.0", "rate = 1024.0\ntime_scale = 2.0", "times time_scale = 2, which is 512 per second"),
        ("disp_cmd", "disp_cmds", "has command 'disp_cmds', but the subsystem has none of that name. Did you mean"),
        ("measured.force_meas", "measured.force", "has measured value 'force', but the subsystem has none"),
        ("channel = 1", "channel = 2", "channels of measured value must be numbered 0 to 1, got 0, 2"),
    ],
)
def test_what_does_not_fit_the_diagram_is_refused(old, new, says):
    made = deployment(text=RIG.replace(old, new))
    with pytest.raises(ParameterError, match=says):
        made.check()


def test_a_channel_that_is_left_out_is_missed():
    text = RIG[: RIG.index("[measured.force_meas]")] + RIG[RIG.index("[watchdog]") :]
    with pytest.raises(ParameterError, match="has no measured value 'force_meas', which the subsystem needs"):
        deployment(text=text).check()


@pytest.mark.parametrize(("energy", "says"), [("energy.e_inputs", "energy.energy of the rig file: There is no signal")])
def test_an_energy_that_is_no_signal_is_refused(energy, says):
    with pytest.raises(ParameterError, match=says):
        deployment(extra=ENERGY.format(energy=energy)).check()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("loads.K", "there is no block 'loads'. Did you mean 'load'"),
        ("record.scale", "'record.scale' is not a number that the block computes with; it has"),
    ],
)
def test_an_excitation_that_cannot_be_faded_is_refused(name, says):
    with pytest.raises(ParameterError, match=says):
        fading(deployment().cut.controller, name)


def test_the_guard_gets_every_number_of_the_file():
    config = guard_config(deployment().cut, deployment().rig)
    assert (config["commands"], config["measured"], config["dt"]) == (1, 2, 1.0 / 1024.0)
    assert [config[name][0] for name in ("low", "high", "velocity", "acceleration", "home")] == [-4, 4, 50, 5000, 0]
    assert [config[name][0] for name in ("move_velocity", "move_acceleration")] == [5.0, 100.0]
    assert config["range_low"][:2] == [-5.0, -80.0] and config["range_high"][:2] == [5.0, 80.0], (
        "in units, not in volts"
    )
    assert config["hard_low"][:2] == [-4.5, -60.0] and config["hard_rate"][:2] == [100.0, 5000.0]
    assert config["follows"][:2] == [0, -1]
    assert (config["noise_floor"][0], config["error_least"][0], config["error_most"][0]) == (0.01, 0.2, 2.0)
    assert config["energy_stop"] == math.inf and config["supervisor_silence"] == 0.5


@pytest.mark.parametrize("content", ["", "0011", "zz" * 16, "00" * 17])
def test_a_key_that_is_none_is_refused(content, tmp_path):
    (tmp_path / "key").write_text(content)
    with pytest.raises(ParameterError, match="must hold 32 hexadecimal digits"):
        read_key(tmp_path / "key")


def test_two_columns_of_one_name_are_refused():
    bd = hs.BDSim().blockdiagram("twice", dt=1.0 / 1024.0)
    source = bd.CONSTANT(0.0, name="source")

    def rig(sub, disp_cmd):
        spring = sub.SPRING(stiffness=1.0, name="spring", inputs=[disp_cmd])
        return {"disp_meas": spring, "force_meas": spring}

    block = hs.subsystem(bd, rig, inputs=[source])
    bd.GAIN(1.0, name="disp_meas", inputs=[block[0]])
    bd.GAIN(1.0, name="measured", onames=["disp_meas"], inputs=[block[1]])
    cut = hs.compile(bd).cut("rig")
    with pytest.raises(ParameterError, match="would be named 'measured.disp_meas'; rename the block 'measured'"):
        loop_set_up(cut, parse_rig(RIG.format(driver="sim", address="")), Options())
