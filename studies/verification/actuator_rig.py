"""The rig: frame, limits, backlash and degrees of freedom, found by driving the blocks."""

from __future__ import annotations

import math

import numpy as np

from hybsim.blocks.actuators.degrees_of_freedom import storey_drifts
from hybsim.runtime.program import compile
from hybsim.runtime.result import Result
from hybsim.studies.verification import actuator_responses as measure
from hybsim.studies.verification.actuator_models import alone
from hybsim.studies.verification.loops import area
from hybsim.studies.verification.rows import Row, row
from hybsim.wiring import BDSim

G = 386.4  # in/s^2


def rows() -> list[Row]:
    """Every number."""
    return [*_frame(), *_saturation(), *_rate_limit(), *_backlash(), *_two_storeys()]


def _frame() -> list[Row]:
    """The frame's frequency with mass added to it, from a push that is let go."""
    block = "REACTIONFRAME"
    # EERC Sec. 5.2.3: 37 Hz alone and 23 Hz with 0.5 kip give the moving mass, hence the stiffness.
    weight = 0.5 / ((37.0 / 23.0) ** 2 - 1.0)
    k = weight / G * (2.0 * math.pi * 37.0) ** 2
    result = []
    for added in (0.0, 0.5, 1.0):
        hertz = math.sqrt(k * G / (weight + added)) / (2.0 * math.pi)
        bd = BDSim().blockdiagram(dt=0.0005)
        push = bd.STEP(T=0.0, name="push", off=0.0, on=1.0)
        bd.REACTIONFRAME(name="rig", stiffness=k, frequency=hertz, inputs=[bd.CONSTANT(0.0), push])
        run = compile(bd).run(duration=2.0)
        swing = np.asarray(run["rig.frame_disp"]).reshape(-1) + 1.0 / k
        up = np.flatnonzero((swing[:-1] < 0.0) & (swing[1:] >= 0.0))
        crossings = run.t[up] - swing[up] * 0.0005 / (swing[up + 1] - swing[up])
        found = (len(crossings) - 1) / (crossings[-1] - crossings[0]) / math.sqrt(1.0 - 0.02**2)
        source, tolerance = ("identified", 1e-4) if added < 1.0 else ("EERC Sec. 5.2.3", 1e-2)
        theory = {0.0: 37.0, 0.5: 23.0, 1.0: 18.0}[added]
        result.append(row(block, f"frequency with {added:g} kip added, Hz", found, theory, source, tolerance))
    return result


def _saturation() -> list[Row]:
    result = []
    ratio = 1.0 / 3.0
    saturated = measure.behind_a_sine(alone("SATURATION", "signal", lower=-1.0, upper=1.0), 0.0005, amplitude=3.0)
    gain = abs(measure.response(saturated, "rig.within", 1.0))
    theory = 2.0 / math.pi * (math.asin(ratio) + ratio * math.sqrt(1.0 - ratio**2))
    source = "2/pi (asin h + h sqrt(1 - h^2))"
    result.append(row("SATURATION", "first harmonic of a sine of 3 limits", gain, theory, source, 1e-5))
    share = float(np.mean(saturated.run(duration=20.0)["rig.limited"]))
    theory = 1.0 - 2.0 / math.pi * math.asin(ratio)
    result.append(row("SATURATION", "share of the time it is flagged", share, theory, "1 - 2/pi asin h", 2e-3))

    return result


def _rate_limit() -> list[Row]:
    limited = measure.behind_a_sine(alone("RATELIMIT", "signal", rising=2.0), 0.0005, amplitude=1.0)
    gain = abs(measure.response(limited, "rig.followed", 2.0))
    theory = 8.0 / math.pi**2 * 2.0 / (4.0 * 2.0)
    return [row("RATELIMIT", "first harmonic of a sine far too fast", gain, theory, "8/pi^2 R/(4 f U)", 1e-4)]


def _backlash() -> list[Row]:
    gap, top = 0.5, 1.5
    play = measure.behind_a_sine(alone("BACKLASH", "disp", gap=gap), 0.0005, amplitude=top)
    run = play.run(duration=2.0)
    cycle = run.t >= 1.0
    driving, driven = (np.asarray(run[name]).reshape(-1)[cycle] for name in ("sine", "rig.disp_driven"))
    enclosed, theory = area(driving, driven), -2.0 * gap * (top - 0.5 * gap)
    return [
        row("BACKLASH", "amplitude", float(driven.max()), top - 0.5 * gap, "U - gap/2", 1e-6),
        row("BACKLASH", "loop of driven over driving side", enclosed, theory, "-2 gap (U - gap/2)", 1e-5),
    ]


def _two_storeys() -> list[Row]:
    """The frame of EERC Ch. 6: floors to half columns and back."""
    k, mass = 2.8, 4.0 / G
    pushed = [_half_columns(floors, "SPRING", stiffness=k) for floors in ((1.0, 0.0), (0.0, 1.0))]
    late = round(0.25 / 0.001)  # the crest of the sine
    stiffness = np.column_stack([run["structure.force"][late] for run in pushed])
    result = []
    for mode, theory in enumerate((0.62, 0.24)):
        omega = math.sqrt(np.sort(np.linalg.eigvals(stiffness / mass).real)[mode])
        quantity, source = f"period of mode {mode + 1} of EERC's frame, s", "EERC Sec. 6.2.1"
        result.append(row("TOSTRUCTURE", quantity, 2.0 * math.pi / omega, theory, source, 0.02))
    quantity, source = "stiffness of a storey, kip/in", "that of the half column"
    result.append(row("TOSTRUCTURE", quantity, stiffness[1, 1], k, source))
    run = _half_columns((1.0, -0.4), "VISCOUSDAMPER_S", damping=0.3)
    structure, specimens = (
        sum(area(run[disp][:, i], run[force][:, i]) for i in range(2))
        for disp, force in (("floors", "structure.force"), ("actuators.disp_cmd", "specimens.force"))
    )
    quantity, source = "work of the structure over that of the specimens", "s_f / s_u: four half columns a storey"
    result.append(row("TOACTUATORS", quantity, structure / specimens, 4.0, source))
    return result


def _half_columns(amplitudes: tuple[float, float], factory: str, **parameters: float) -> Result:
    """Half columns driven by a sine of each floor."""
    bd, t = BDSim().blockdiagram(dt=0.001), storey_drifts(2)
    sine = bd.WAVEFORM("sine", freq=1.0, name="sine")
    floors = bd.MUX(2, name="floors", inputs=[bd.GAIN(a, inputs=[sine]) for a in amplitudes])
    commands = bd.TOACTUATORS(name="actuators", transformation=t, scale=0.5, inputs=[floors])
    specimens = getattr(bd, factory)(name="specimens", width=2, inputs=[commands], **parameters)
    bd.TOSTRUCTURE(name="structure", transformation=t, scale=2.0, inputs=[specimens])
    return compile(bd).run(duration=2.0)
