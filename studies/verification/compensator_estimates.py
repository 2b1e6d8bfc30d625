"""DELAYESTIMATOR on sines stepped from 0.5 to 10 Hz through known plants.

A plant that is no delay has, in a steady sine, the delay of its phase and the amplitude of its gain. The linear
interpolation between ticks lowers the estimate's model by up to (w dt)^2/8, which is in the tolerances.
"""

from __future__ import annotations

import cmath
import math

from hybsim.runtime.program import compile
from hybsim.studies.verification import compensator_theory as theory
from hybsim.studies.verification.compensator_sweeps import DT, HERTZ, MEASURED, at_the_end_of, stepped_sines
from hybsim.studies.verification.compensator_theory import TS_1
from hybsim.studies.verification.rows import Row, row
from hybsim.wiring import BDSim


def rows() -> list[Row]:
    """Delay and amplitude at every frequency, through three plants at once."""
    bd = BDSim().blockdiagram(dt=DT)
    record = stepped_sines()
    signal = bd.GROUNDMOTION(name="signal", record=record, record_dt=DT)
    plants = {
        "DELAY of 10 ms": bd.DELAY(name="whole", delay=0.010),
        "DELAY of 10.3 ms": bd.DELAY(name="between", delay=0.0103),
        "ACTUATOR_S TS_1": bd.ACTUATOR_S(name="actuator", system="TS_1"),
    }
    actuator = theory.held(*TS_1, DT)
    for name, plant in plants.items():
        estimator = bd.DELAYESTIMATOR(name=f"of {name}", max_delay=0.03, window=MEASURED)
        bd.connect(signal, plant, estimator.command)
        bd.connect(plant, estimator.measured)
    result = compile(bd).run(duration=(len(record) - 1) * DT)
    found = []
    for step, hertz in enumerate(HERTZ):
        last = at_the_end_of(step).stop - 1
        response = actuator(cmath.exp(2j * math.pi * hertz * DT))
        exact = {
            "DELAY of 10 ms": (0.010, 1.0, 1e-9, 1e-9),
            "DELAY of 10.3 ms": (0.0103, 1.0, 1e-7, 1e-7),
            "ACTUATOR_S TS_1": (-cmath.phase(response) / (2.0 * math.pi * hertz), abs(response), 1e-5, 1e-3),
        }
        for name, (delay, amplitude, *tolerances) in exact.items():
            source = "-arg P / w, |P|" if name.endswith("TS_1") else "the delay itself"
            for quantity, value, tolerance in zip(("delay", "amplitude"), (delay, amplitude), tolerances, strict=True):
                measured = float(result[f"of {name}.{quantity}"][last])
                unit = " in s" if quantity == "delay" else ""
                found.append(row(f"DELAYESTIMATOR behind {name}", f"{quantity}{unit} at {hertz:g} Hz", measured, value,
                                 source, tolerance))  # fmt: skip
    return found
