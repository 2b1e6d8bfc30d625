"""Frequency evaluation index: delay and amplitude error of an actuator, weighted by the energy of the command.

    FEI  = sum_j (O_j/I_j) |I_j|^2 / sum_j |I_j|^2 = sum_j O_j conj(I_j) / sum_j |I_j|^2
    f_eq = sum_j f_j |I_j|^2 / sum_j |I_j|^2
    amplitude = |FEI|,    delay = -arg(FEI) / (2 pi f_eq)

    I_j = sum_k u^c_k exp(-2 pi i f_j t_k),    O_j = sum_k u^m_k exp(-2 pi i f_j t_k),    f_j = j f_max / lines

u^c command, u^m measured displacement; I and O are their Fourier sums over the record so far, at `lines` frequencies up
to f_max. A delay above 0 is a lag, an amplitude below 1 an undershoot, both at the frequency f_eq. A delay of half a
period of f_eq or more cannot be told from a lead.

The sums grow at every tick, the index is formed anew every `interval` ticks and holds the ticks before the present
one: no output follows an input within the tick. Before the command has moved there is no index: amplitude 1, delay 0
and frequency 0.

The record has sharp ends, so a frequency shows in the lines within about 1/T of it, T the record's length: lines
further apart than 1/T miss part of a narrow band, and the index of a record of few cycles depends on where it ends.
A tick costs one sine and cosine, and about ten products for each line.

Guo et al. (2014). For records that are complete: hybsim.studies.tracking.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from hybsim.errors import ParameterError
from hybsim.kernel import Integer, Params, Ports, Positive, Prepared, Sampled, State, kernel

TWO_PI = 2.0 * math.pi

LEAST_POWER = 1e-290
"""Squares below have lost their digits: such a command has not moved."""


class FrequencyEvaluation(Sampled):
    """Delay and amplitude error of an actuator by the frequency evaluation index of the record so far."""

    ins = Ports(disp_cmd="command displacement u^c", disp_meas="measured displacement u^m")
    outs = Ports(
        amplitude="measured over command amplitude, |FEI|",
        delay="delay in s, negative for a lead",
        frequency="frequency f_eq in Hz they belong to",
    )
    params = Params(
        f_max=Positive("highest frequency in Hz, at most that of the tick over 2"),
        lines=Integer("number of frequencies", 100, at_least=1, at_most=100_000),
        interval=Integer("ticks from one index to the next", 10, at_least=1),
        width=Integer("number of channels (actuators)", 1, at_least=1),
    )
    state = State(count=0.0, since=0.0)
    example = dict(f_max=10.0, lines=50)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        # A little above is the rounding of 1 / dt.
        if q.f_max > 0.5 / dt * (1.0 + 1e-9):
            raise ParameterError(
                f"f_max={q.f_max:g} Hz is above half the frequency of the ticks, {0.5 / dt:g} Hz;"
                " give a lower f_max or tick faster."
            )
        one, zero = np.ones(q.width), np.zeros(q.width)
        sums = {name: np.zeros(q.lines * q.width) for name in ("cmd_re", "cmd_im", "meas_re", "meas_im")}
        return Prepared(
            p=dict(spacing=q.f_max / q.lines, turns=q.f_max / q.lines * dt, interval=float(q.interval)),
            x={**cls.state, **sums, "amplitude": one, "delay": zero, "frequency": zero},
            widths=dict.fromkeys((*cls.ins, *cls.outs), q.width),
            structure=dict(lines=q.lines, width=q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(p.width):
            y.amplitude[i] = x.amplitude[i]
            y.delay[i] = x.delay[i]
            y.frequency[i] = x.frequency[i]

    @kernel
    def update(u, x, p):
        # exp(-2 pi i f_j t) is the power j of that of the first line: nothing is carried from tick to tick.
        phase = TWO_PI * math.fmod(x.count * p.turns, 1.0)
        first_re = math.cos(phase)
        first_im = -math.sin(phase)
        re = 1.0
        im = 0.0
        for j in range(p.lines):
            real = re * first_re - im * first_im
            im = re * first_im + im * first_re
            re = real
            for i in range(p.width):
                at = j * p.width + i
                x.cmd_re[at] = x.cmd_re[at] + re * u.disp_cmd[i]
                x.cmd_im[at] = x.cmd_im[at] + im * u.disp_cmd[i]
                x.meas_re[at] = x.meas_re[at] + re * u.disp_meas[i]
                x.meas_im[at] = x.meas_im[at] + im * u.disp_meas[i]
        x.count = x.count + 1.0
        x.since = x.since + 1.0
        if x.since >= p.interval:
            x.since = 0.0
            for i in range(p.width):
                power = 0.0
                moment = 0.0
                re = 0.0
                lag = 0.0
                for j in range(p.lines):
                    at = j * p.width + i
                    share = x.cmd_re[at] * x.cmd_re[at] + x.cmd_im[at] * x.cmd_im[at]
                    power = power + share
                    moment = moment + (j + 1) * p.spacing * share
                    re = re + x.meas_re[at] * x.cmd_re[at] + x.meas_im[at] * x.cmd_im[at]
                    lag = lag + x.meas_re[at] * x.cmd_im[at] - x.meas_im[at] * x.cmd_re[at]
                if power > LEAST_POWER:
                    # Divided before they are squared: the squares of squares leave the range of floats early.
                    re = re / power
                    lag = lag / power
                    x.amplitude[i] = math.sqrt(re * re + lag * lag)
                    x.frequency[i] = moment / power
                    x.delay[i] = math.atan2(lag, re) / (TWO_PI * x.frequency[i])
