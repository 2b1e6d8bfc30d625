"""Tracking indicator: the area enclosed by the measured displacement against the command.

    A_k  = sum_{i=1}^k 1/2 (u^c_{i-1} + u^c_i) (u^m_i - u^m_{i-1})      area on one side of the path
    TA_k = sum_{i=1}^k 1/2 (u^m_{i-1} + u^m_i) (u^c_i - u^c_{i-1})      area on the other
    TI_k = 1/2 (A_k - TA_k)

u^c command, u^m measured displacement; the first tick is the starting point. Perfect tracking is a straight line at
45 degrees without area. A + TA is [u^c u^m] from the first tick to now, so over closed cycles A = -TA = TI.

For u^c = U sin(omega t) and u^m = g U sin(omega t - phi) each cycle adds

    pi g U^2 sin(phi)

(at N ticks a cycle the ellipse is a polygon: times sin(2 pi/N) / (2 pi/N)). So TI grows where the actuator lags and
falls where it leads; its slope shows the present tracking, whatever happened before. An error of amplitude alone
encloses no area and goes unnoticed. Against a linear specimen of stiffness k a lag adds the energy k TI per cycle:
ENERGYERROR is then -k TI. Publications that take the areas in the other order have the opposite sign.

Mercan & Ricles (2009).
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.monitors.work import add_work, copy
from hybsim.kernel import Integer, Params, Ports, Prepared, Sampled, State, kernel


class TrackingIndicator(Sampled):
    """Area between command and measured displacement: grows where the actuator lags."""

    ins = Ports(disp_cmd="command displacement u^c", disp_meas="measured displacement u^m")
    outs = Ports(
        indicator="tracking indicator TI",
        area="area A, of the command over the measured displacement",
        complement="area TA, of the measured displacement over the command",
    )
    params = Params(width=Integer("number of channels (actuators)", 1, at_least=1))
    state = State(started=0.0)
    example = dict(width=1)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        x = {name: np.zeros(q.width) for name in ("area", "complement", "cmd", "meas")}
        return Prepared(x={**cls.state, **x}, widths=dict.fromkeys((*cls.ins, *cls.outs), q.width))

    @kernel
    def outputs(u, x, p, y):
        copy(x.area, y.area)
        copy(x.complement, y.complement)
        if x.started > 0.0:
            add_work(y.area, u.disp_cmd, x.cmd, u.disp_meas, x.meas)
            add_work(y.complement, u.disp_meas, x.meas, u.disp_cmd, x.cmd)
        for i in range(len(y.indicator)):
            y.indicator[i] = 0.5 * (y.area[i] - y.complement[i])

    @kernel
    def update(u, x, p):
        if x.started > 0.0:
            add_work(x.area, u.disp_cmd, x.cmd, u.disp_meas, x.meas)
            add_work(x.complement, u.disp_meas, x.meas, u.disp_cmd, x.cmd)
        x.started = 1.0
        copy(u.disp_cmd, x.cmd)
        copy(u.disp_meas, x.meas)
