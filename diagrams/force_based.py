"""Force-based hybrid simulation with real devices: a split specimen on a shake table, pushed by actuators.

    M x'' + C x' + K x = -M R u_g'' + T_e                              the whole specimen                       (1)
    M^p x'' + C^p x' + K^p x = -M^p R a_t + F_t                        what is built, under what really arrives
    a_t = D_table(a),  F_t = D_actuator(F)                             devices: delay, then dynamics; none = ideal
    a, F from FORCECOMMAND_MODEL or FORCECOMMAND                                                                (2)
    m_n y'' + k_n (y - x_top) = -m_n u_g'',  T_e = k_n (y - x_top)     the computed part on the last floor, if any

x relative to the table, R = 1. K is linear. Devices: a pure delay, then a first-order lag of a time constant, or a
second-order system w^2 / (s^2 + 2 z w s + w^2) of a natural frequency; anything not given is ideal. With ideal devices
every splitting has the response of (1).

`table_3` is one floor of 79.1 kg with the seven loading cases of Table 3. The paper gives neither period nor damping
of its frame: 2 Hz and 2 % are assumptions. alpha_l is that of Eq. 2 (the actuators' share), the complement of the
column of Table 3; beta = 1 - alpha_l is the table's share of the virtual inertia.

FORCECOMMAND needs the measured acceleration. It follows the forces of the same instant, so a virtual mass closes an
algebraic loop unless something is late; and above 1/2 it is unstable with any pure delay in the loop: use the model, or
`allow_unstable=True` to see it. Dynamics alone are no such delay: by Routh's criterion one undamped degree of freedom
is stable for every alpha_m above 0 behind a first-order lag or a second-order system. A delay together with dynamics is
refused like a delay alone, although it can be stable.

X. Shao, A general force-based hybrid simulation formulation, 2010, Eqs. 1-2 and Table 3 as corrected (4.35, not 4.45).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.blocks.generators.splitting import full
from hybsim.blocks.sources.records import Record
from hybsim.errors import ParameterError
from hybsim.wiring import BDSim

MASS, FREQUENCY, DAMPING_RATIO = 79.1, 2.0, 0.02
"""kg (the paper's); Hz and share of critical (assumed, the paper does not give them)."""

VIRTUAL = 0.77
TABLE_DELAY = 0.013
DT = 1e-3

CASES: dict[int, tuple[float, float, float]] = {
    1: (0.0, 0.0, 0.0), 2: (0.0, 0.0, 0.0), 3: (0.0, 1.0, 0.0), 4: (0.0, 0.5, 0.0),
    5: (VIRTUAL, 0.0, 1.0), 6: (VIRTUAL, 1.0, 0.0), 7: (VIRTUAL, 0.5, 0.5),
}  # fmt: skip
"""alpha_m, alpha_l as in Eq. 2 (the complement of Table 3), and inertia_on_table."""

BLOCKS = {"model": "FORCECOMMAND_MODEL", "measured": "FORCECOMMAND"}


@dataclass(frozen=True)
class Device:
    """A table or the actuators: delay in s, then a first-order lag (s) or a second-order system (Hz, damping)."""

    delay: float = 0.0
    time_constant: float = 0.0
    frequency: float = 0.0
    damping_ratio: float = 0.7

    def __post_init__(self) -> None:
        for name in ("delay", "time_constant", "frequency", "damping_ratio"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ParameterError(f"A device needs a {name} of 0 (ideal) or more, got {value!r}.")
        if self.time_constant > 0.0 and self.frequency > 0.0:
            raise ParameterError(
                "A device is a first-order lag or a second-order system, got both a time_constant and a frequency;"
                " give one of them."
            )

    def after(self, bd: Any, name: str, source: Any, width: int) -> Any:
        """What the device makes of a command."""
        if self.delay > 0.0:
            source = bd.DELAY(name=f"{name}_delay", delay=self.delay, width=width, inputs=[source])
        if self.time_constant > 0.0:
            return bd.FIRSTORDER(name=name, time_constant=self.time_constant, width=width, inputs=[source])
        if self.frequency > 0.0:
            return self.second_order(bd, name, source, width)
        return source

    def second_order(self, bd: Any, name: str, source: Any, width: int) -> Any:
        omega, still = 2.0 * math.pi * self.frequency, np.zeros(width) if width > 1 else 0.0
        rate = bd.INTEGRATOR(x0=still, name=f"{name}_rate")
        place = bd.INTEGRATOR(x0=still, name=name, inputs=[rate])
        error = bd.SUM("+-", name=f"{name}_error", inputs=[source, place])
        pull = bd.GAIN(omega**2, name=f"{name}_pull", inputs=[error])
        drag = bd.GAIN(2.0 * self.damping_ratio * omega, name=f"{name}_drag", inputs=[rate])
        bd.connect(bd.SUM("+-", name=f"{name}_net", inputs=[pull, drag]), rate)
        return place


IDEAL = Device()


def white_noise(*, seed: int = 1, duration: float = 20.0, low: float = 0.1, high: float = 10.0, dt: float = DT,
                amplitude: float = 1.0) -> Record:  # fmt: skip
    """Noise with a flat spectrum from `low` to `high` Hz and no other lines, of a peak of `amplitude` m/s2."""
    if not 0.0 < low < high < 0.5 / dt:
        raise ParameterError(
            f"The band must have 0 < low < high < {0.5 / dt:g} Hz (half the sampling rate), got {low!r} to {high!r}."
        )
    count = round(duration / dt)
    frequencies = np.fft.rfftfreq(count, dt)
    inside = (frequencies >= low - 1e-9) & (frequencies <= high + 1e-9)
    if not inside.any():
        raise ParameterError(f"{duration:g} s have no line from {low:g} to {high:g} Hz; give a longer duration.")
    phases = np.random.default_rng(seed).uniform(0.0, 2.0 * math.pi, len(frequencies))
    accel = np.fft.irfft(np.where(inside, np.exp(1j * phases), 0.0), count)
    accel *= amplitude / np.abs(accel).max()
    return Record("white noise", accel, dt, unit="m/s2", source=f"{low:g} to {high:g} Hz, seed {seed}")


def force_based(
    *,
    mass: Any,
    damping: Any,
    stiffness: Any,
    record: Any,
    alpha_m: Any = 0.0,
    alpha_c: Any = 0.0,
    alpha_f: Any = 0.0,
    alpha_l: float = 0.0,
    inertia_on_table: float = 0.0,
    numerical: tuple[float, float] | None = None,
    table: Device = IDEAL,
    actuator: Device = IDEAL,
    measured_delay: float = 0.0,
    command: str = "model",
    allow_unstable: bool = False,
    dt: float = DT,
    name: str = "force_based",
) -> Any:
    """A specimen of any number of floors, split as the matrices say; alpha is a number, a diagonal or a matrix.

    numerical        mass and stiffness of a computed floor on the last one
    measured_delay   of the acceleration, for command="measured"
    record           ground acceleration; held over a tick
    """
    if command not in BLOCKS:
        raise ParameterError(f"The command must be one of {', '.join(map(repr, BLOCKS))}, got {command!r}.")
    M, C, K = (np.atleast_2d(np.asarray(part, dtype=float)) for part in (mass, damping, stiffness))
    n = len(M)
    if not M.shape == C.shape == K.shape == (n, n):
        raise ParameterError(
            "Mass, damping and stiffness must be square and of one size,"
            f" got {M.shape}, {C.shape} and {K.shape}; give n x n matrices, or three numbers."
        )
    bd = BDSim().blockdiagram(name, dt=dt)
    still = np.zeros(n)
    ground = bd.GROUNDMOTION(name="ground", record=record)
    vel = bd.INTEGRATOR(x0=still, name="vel")
    disp = bd.INTEGRATOR(x0=still, name="disp", inputs=[vel])
    force = bd.GAIN(K, premul=True, name="force", inputs=[disp])
    interface = computed_floor(bd, n, numerical, ground, disp) if numerical else bd.CONSTANT(still, name="T_e")

    late: dict[str, Any] = {}
    if command == "measured":
        delay = pure_delay(table, actuator, measured_delay, inertia_on_table)
        late = dict(accel_delay=delay, allow_unstable=allow_unstable)
    told = getattr(bd, BLOCKS[command])(
        name="command", mass=M, damping=C, alpha_m=alpha_m, alpha_c=alpha_c, alpha_f=alpha_f, alpha_l=alpha_l,
        inertia_on_table=inertia_on_table, **late,
    )  # fmt: skip
    base = table.after(bd, "table", told.accel_table, 1)
    push = actuator.after(bd, "actuators", told.force_cmd, n)

    shares = dict(alpha_m=alpha_m, alpha_c=alpha_c, alpha_f=alpha_f)
    built = [np.eye(n) - full("force_based", of, np.atleast_1d(alpha), n) for of, alpha in shares.items()]
    left = built[0] @ M
    if not np.linalg.cond(left) < 1e12:
        raise ParameterError("The alpha_m leaves a degree of freedom without mass to move; give one below 1.")
    net = bd.SUM("+--", name="net", inputs=[
        push,
        bd.GAIN(built[1] @ C, premul=True, name="damper", inputs=[vel]),
        bd.GAIN(built[2], premul=True, name="springs", inputs=[force]),
    ])  # fmt: skip
    moved = bd.GAIN(np.linalg.inv(left), premul=True, name="moved", inputs=[net])
    accel = bd.SUM("+-", name="accel", inputs=[moved, bd.GAIN(np.ones(n), name="base", inputs=[base])])
    bd.connect(accel, vel)

    seen = accel
    if command == "measured" and measured_delay > 0.0:
        seen = bd.DELAY(name="accel_meas", delay=measured_delay, width=n, inputs=[accel])
    signals = dict(accel_ground=ground, interface=interface, accel=seen, vel=vel, force=force)
    for port in told.ins:
        bd.connect(signals[port], getattr(told, port))
    return bd


def pure_delay(table: Device, actuator: Device, measured: float, inertia_on_table: float) -> float:
    """Pure delay of the loop through the virtual inertia: the sensor and the devices that apply it."""
    devices = ([table] if inertia_on_table > 0.0 else []) + ([actuator] if inertia_on_table < 1.0 else [])
    return measured + max(device.delay for device in devices)


def computed_floor(bd: Any, floors: int, numerical: tuple[float, float], ground: Any, disp: Any) -> Any:
    """T_e of the floor that stands on the specimen in the computer."""
    mass, stiffness = numerical
    if not (mass > 0.0 and stiffness > 0.0):
        raise ParameterError(f"The computed floor needs a mass and a stiffness above 0, got {numerical!r}.")
    top = np.eye(floors)[-1]
    vel = bd.INTEGRATOR(name="numerical_vel")
    place = bd.INTEGRATOR(name="numerical_disp", inputs=[vel])
    below = bd.GAIN(top[None, :], premul=True, name="below", inputs=[disp])
    shear = bd.GAIN(stiffness, name="shear", inputs=[bd.SUM("+-", name="drift", inputs=[place, below])])
    pushed = bd.GAIN(1.0 / mass, name="pushed", inputs=[shear])
    bd.connect(bd.SUM("--", name="numerical_accel", inputs=[ground, pushed]), vel)
    return bd.GAIN(top, name="T_e", inputs=[shear])


def table_3_specimen(frequency: float = FREQUENCY, damping_ratio: float = DAMPING_RATIO) -> dict[str, Any]:
    """Mass, damping and stiffness of the pilot frame in kg, N s/m and N/m."""
    omega = 2.0 * math.pi * frequency
    return dict(mass=MASS, damping=2.0 * damping_ratio * MASS * omega, stiffness=MASS * omega**2)


def table_3(*, case: int = 1, table_delay: float = 0.0, actuator_delay: float = 0.0, table: Device | None = None,
            actuator: Device | None = None, record: Any = None, seed: int = 1, **more: Any) -> Any:  # fmt: skip
    """One of the seven loading cases; `table` and `actuator` replace the plain delays; `more` as in force_based."""
    if case not in CASES:
        raise ParameterError(f"Table 3 has the cases 1 to 7, got {case!r}.")
    alpha_m, alpha_l, beta = CASES[case]
    if decided := sorted({"alpha_m", "alpha_l", "inertia_on_table", *table_3_specimen()} & set(more)):
        raise ParameterError(f"A case of Table 3 decides {', '.join(decided)} itself; use force_based for others.")
    return force_based(
        **table_3_specimen(), alpha_m=alpha_m, alpha_l=alpha_l, inertia_on_table=beta, name="table_3",
        record=white_noise(seed=seed) if record is None else record,
        table=table or Device(delay=table_delay), actuator=actuator or Device(delay=actuator_delay), **more,
    )  # fmt: skip


def two_floors() -> dict[str, Any]:
    """Two floors of the pilot frame's mass, coupled, 1.5 % of stiffness-proportional damping in the first mode, and a
    computed floor of 20 kg and 8 kN/m on the upper one; numbers of our own."""
    mass = MASS * np.array([[1.0, 0.1], [0.1, 0.8]])
    stiffness = 4.0e4 * np.array([[2.0, -1.0], [-1.0, 1.0]])
    omega = math.sqrt(np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real.min())
    return dict(mass=mass, damping=2.0 * 0.015 / omega * stiffness, stiffness=stiffness, numerical=(20.0, 8.0e3))
