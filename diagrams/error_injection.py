"""One degree of freedom with every error of a laboratory at once: lag, noise, miscalibration and quantisation.

    u^r = u^c - eta (u^c - u^c_{-1})                  what the controller's transducer reads, lagging the command
    u   = (1 + g_u) u^r + o_u                         where the actuator then stands: the specimen gets it
    r^m = Q[(1 + g_r) r(u) + o_r + sigma z]           what the load cell and its converter say: the integrator gets it
    u^i = (1 + g_i) u + o_i                           what a second transducer on the specimen says

    eta ~ N(mean, variance)   lag in ticks (LAG), with a new number each tick
    z ~ N(0, 1)               noise of the load cell, sigma = sqrt(variance) in kip, a new number each tick
    g, o                      gain and offset errors (SENSORERROR) of the load cell (r), of the controller's transducer
                              (u) and of the second transducer (i)
    Q[.]                      rounding to whole steps of the converter (QUANTISER)

The controller holds its own transducer at the command. So a wrong calibration of that transducer moves the specimen to
a wrong place while command and reading agree, and only a second transducer can tell. `energy` (HSEI) is made of the
controller's reading, as a laboratory has it at hand; `second_energy` (ENERGYERROR) of the second transducer.

All errors are parameters of the built program and can be swept: see `ERRORS`. So can the structure itself, see
`structure_parameters`. The structure is that of EERC Fig. 3-5, which remains with lag alone; units kip, inch, second.
"""

from __future__ import annotations

import math
from typing import Any

from hybsim.diagrams.eerc_chapter3 import UNITS, G, _energy, _structure

FINE = 2.0**-200
"""A step of the converter so small that it rounds nothing; a power of two, so that not a bit changes."""

ERRORS = {
    "lag.mean": 0.0, "lag.variance": 0.0,
    "force_noise.variance": 0.0,
    "load_cell.gain_error": 0.0, "load_cell.offset": 0.0,
    "position.gain_error": 0.0, "position.offset": 0.0,
    "second.gain_error": 0.0, "second.offset": 0.0,
    "force_meas.step": FINE,
}  # fmt: skip
"""The errors of the diagram as parameters of the program, each with the value at which it is none."""

SEEDS = ("lag_noise.seed", "force_noise.seed")


def error_injection(
    *,
    specimen: str = "linear",
    mean: float = 0.0,
    variance: float = 0.0,
    force_noise: float = 0.0,
    force_gain: float = 0.0,
    force_offset: float = 0.0,
    disp_gain: float = 0.0,
    disp_offset: float = 0.0,
    second_gain: float = 0.0,
    second_offset: float = 0.0,
    force_step: float = FINE,
    seed: int = 1,
    period: float = 1.0,
    damping_ratio: float = 0.05,
    stiffness: float = 10.0,
    yield_disp: float = 1.0,
    record: Any = "elcentro",
    amplitude: float | None = None,
    dt: float = 0.01,
) -> Any:
    """A hybrid test with all errors, none of them unless given.

    `mean`, `variance` are those of the lag, `mean` x dt its effective delay; `force_noise` is sigma in kip, gains are
    shares (0.01 reads one percent too much), offsets are in in and kip, `force_step` is the converter's step in kip.
    """
    bd, structure, force = _structure(
        "error_injection", specimen, period, damping_ratio, stiffness, yield_disp, record, amplitude, dt, "NEWMARK", {}
    )
    bd.units = UNITS | {
        "force_noise.value": "kip", "load_cell.measured": "kip", "noisy.out": "kip", "force_meas.quantised": "kip",
        "position.measured": "in", "second.measured": "in", "second_energy.e_error": "kip in",
        "second_energy.e_experimental": "kip in", "second_energy.e_best": "kip in",
    }  # fmt: skip
    lag = bd.LAG(name="lag", mean=mean, variance=variance)
    position = bd.SENSORERROR(name="position", gain_error=disp_gain, offset=disp_offset)
    cell = bd.SENSORERROR(name="load_cell", gain_error=force_gain, offset=force_offset)
    noise = bd.NORMAL(name="force_noise", variance=force_noise**2, seed=seed + 1)
    noisy = bd.SUM("++", name="noisy", inputs=[cell, noise])
    measured = bd.QUANTISER(name="force_meas", step=force_step)
    second = bd.SENSORERROR(name="second", gain_error=second_gain, offset=second_offset)
    bd.connect(structure.disp_target, lag.disp_cmd)
    bd.connect(bd.NORMAL(name="lag_noise", seed=seed), lag.noise)
    bd.connect(lag, position.signal)
    bd.connect(position, force.disp, second.signal)
    bd.connect(force, cell.signal)
    bd.connect(noisy, measured.signal)
    bd.connect(measured.quantised, structure.force)
    _energy(bd, structure, lag, measured[0], stiffness, yield_disp)
    second_energy = bd.ENERGYERROR(name="second_energy")
    bd.connect(structure.disp_target, second_energy.disp_cmd)
    bd.connect(second, second_energy.disp_meas)
    bd.connect(measured.quantised, second_energy.force_meas)
    return bd


def structure_parameters(
    period: float, damping_ratio: float, amplitude: float, stiffness: float = 10.0
) -> dict[str, float]:
    """Another structure and another scale of the record, as parameters of the built program."""
    mass = stiffness * (period / (2.0 * math.pi)) ** 2
    return {
        "integrator.mass": mass,
        "integrator.damping": 2.0 * damping_ratio * math.sqrt(stiffness * mass),
        "load.K": -mass,
        "record.scale": amplitude * G,
    }
