"""Which splitting a laboratory can afford: alpha_l and alpha_m within the capacities of table and actuators.

    a = (1 - alpha_l) u_g'' + beta alpha_m / ((1 - alpha_m) m) I            table acceleration
    F = T_e - (1 - beta) alpha_m I - alpha_l (1 - alpha_m) m u_g''          actuator force
    I = m (u_g'' + x''),   beta = 0 (Eq. 2) or 1 - alpha_l (Table 3)
    use = largest of: max|F|/F_max, max|x + u_t|/stroke, max|x' + u_t'|/velocity          actuator
                      max|a|/a_max, max|u_t|/stroke, max|u_t'|/velocity, (1 - alpha_m) m/payload,
                      max|m_t a + I - T_e|/force                                              table

One degree of freedom. With ideal devices the response x does not depend on the splitting, so one solution of the whole
structure gives the demands of all of them. A splitting is feasible where use <= 1; the best one has the smallest use,
that is the largest margin 1 - use. u_t is the table's displacement, a integrated twice over the record taken as
periodic, frequencies below `lowest` left out as a table controller does. The actuator reacts against a wall that does
not move with the table: its stroke is x + u_t. The table's force moves its own mass m_t and bears the base shear, which
is I - T_e for every splitting while all damping and stiffness is built.

The paper names the use of the splitting for limited devices (Sec. "Mass Splitting Coefficient Matrix") without a rule.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np

from hybsim.errors import ParameterError

LARGEST_VIRTUAL = 0.95
"""Largest alpha_m looked at: a table has nothing to act on at 1."""

INERTIAS = ("actuators", "table 3")


@dataclass(frozen=True)
class Capacities:
    """What the devices can do, in N, m, m/s, m/s2 and kg; None for no limit."""

    actuator_force: float | None = None
    actuator_stroke: float | None = None
    actuator_velocity: float | None = None
    table_acceleration: float | None = None
    table_stroke: float | None = None
    table_velocity: float | None = None
    table_force: float | None = None
    table_payload: float | None = None

    def __post_init__(self) -> None:
        for name, value in self.given().items():
            if not (math.isfinite(value) and value > 0.0):
                raise ParameterError(f"The capacity {name} must be above 0 or None for no limit, got {value!r}.")
        if not self.given():
            raise ParameterError("No capacity is given, so every splitting is feasible; give at least one.")

    def given(self) -> dict[str, float]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True)
class Response:
    """The response of the whole structure at ticks: ground and relative motion, interface force; SI units."""

    mass: float
    dt: float
    ground: np.ndarray
    disp: np.ndarray
    vel: np.ndarray
    accel: np.ndarray
    interface: np.ndarray | float = 0.0
    lowest: float = 0.1
    table_mass: float = 0.0


@dataclass(frozen=True)
class Choice:
    """A splitting and how much of each capacity it uses."""

    alpha_l: float
    alpha_m: float
    uses: Mapping[str, float]

    @property
    def use(self) -> float:
        return max(self.uses.values())

    @property
    def margin(self) -> float:
        return 1.0 - self.use


def integrated(accel: np.ndarray, dt: float, lowest: float) -> tuple[np.ndarray, np.ndarray]:
    """Velocity and displacement of a periodic acceleration, without frequencies below `lowest` Hz."""
    omega = 2.0 * math.pi * np.fft.rfftfreq(len(accel), dt)
    kept = omega >= 2.0 * math.pi * lowest - 1e-9
    kept[0] = False
    s = np.where(kept, 1j * omega, 1.0)
    spectrum = np.where(kept, np.fft.rfft(accel), 0.0)
    return np.fft.irfft(spectrum / s, len(accel)), np.fft.irfft(spectrum / s**2, len(accel))


class Demands:
    """The peaks that a splitting asks for; what does not depend on the splitting is integrated once."""

    def __init__(self, response: Response, *, inertia: str = "actuators") -> None:
        if inertia not in INERTIAS:
            raise ParameterError(f"The inertia must be on one of {', '.join(map(repr, INERTIAS))}, got {inertia!r}.")
        self.response, self.inertia = response, inertia
        self.force = response.mass * (response.ground + response.accel)
        self.ground = (response.ground, *integrated(response.ground, response.dt, response.lowest))
        self.total = (self.force, *integrated(self.force, response.dt, response.lowest))

    def of(self, alpha_l: float, alpha_m: float) -> dict[str, float]:
        """The demand on each capacity, by its name."""
        r = self.response
        beta = 1.0 - alpha_l if self.inertia == "table 3" else 0.0
        built = (1.0 - alpha_m) * r.mass
        a, v, u = (
            (1.0 - alpha_l) * ground + beta * alpha_m / built * inertia
            for ground, inertia in zip(self.ground, self.total, strict=True)
        )
        force = r.interface - (1.0 - beta) * alpha_m * self.force - alpha_l * built * r.ground
        histories = dict(
            actuator_force=force, actuator_stroke=r.disp + u, actuator_velocity=r.vel + v,
            table_acceleration=a, table_stroke=u, table_velocity=v,
            table_force=r.table_mass * a + self.force - r.interface,
        )  # fmt: skip
        return {name: float(np.abs(history).max()) for name, history in histories.items()} | dict(table_payload=built)

    def uses(self, capacities: Capacities, alpha_l: float, alpha_m: float) -> dict[str, float]:
        """The share of each given capacity that is used."""
        demands = self.of(alpha_l, alpha_m)
        return {name: demands[name] / limit for name, limit in capacities.given().items()}

    def usage_map(self, capacities: Capacities, loads: np.ndarray, masses: np.ndarray) -> np.ndarray:
        """The largest use at (alpha_m, alpha_l), rows of `masses`."""
        return np.array([[max(self.uses(capacities, float(al), float(am)).values()) for al in loads] for am in masses])


def least_use(demands: Demands, capacities: Capacities, *, largest_virtual: float = LARGEST_VIRTUAL, points: int = 21,
         rounds: int = 6) -> Choice:  # fmt: skip
    """The splitting with the smallest use, feasible or not: a grid, refined around its best point.

    Of splittings of the same use, the one with the least virtual mass, then with the most of the load on the table.
    """
    if not 0.0 <= largest_virtual < 1.0:
        raise ParameterError(f"largest_virtual must lie from 0 to below 1, got {largest_virtual!r}.")
    low, high = np.zeros(2), np.array([largest_virtual, 1.0])
    at, use = np.zeros(2), math.inf
    for _ in range(rounds):
        masses, loads = (np.linspace(low[i], high[i], points) for i in (0, 1))
        uses = demands.usage_map(capacities, loads, masses)
        i, j = np.unravel_index(np.argmin(uses), uses.shape)
        if uses[i, j] < use:
            at, use = np.array([masses[i], loads[j]]), float(uses[i, j])
        width = 3.0 * (high - low) / (points - 1)
        low = np.clip(at - width, 0.0, [largest_virtual, 1.0])
        high = np.clip(at + width, 0.0, [largest_virtual, 1.0])
    alpha_m, alpha_l = map(float, at)
    return Choice(alpha_l, alpha_m, demands.uses(capacities, alpha_l, alpha_m))


def best(demands: Demands, capacities: Capacities, *, largest_virtual: float = LARGEST_VIRTUAL) -> Choice:
    """The feasible splitting with the largest margin; refused if there is none.

    >>> from hybsim.diagrams.force_based import white_noise
    >>> from hybsim.studies.force.laboratory import response
    >>> frame = dict(mass=100.0, damping=50.0, stiffness=2.0e4)
    >>> whole = response(white_noise(seed=1, amplitude=2.0), frame)
    >>> choice = best(Demands(whole), Capacities(actuator_force=400.0, table_stroke=0.1, table_payload=80.0))
    >>> 0.0 <= choice.alpha_l <= 1.0 and choice.alpha_m >= 0.2 and choice.margin > 0.0
    True
    """
    found = least_use(demands, capacities, largest_virtual=largest_virtual)
    if found.use > 1.0:
        raise ParameterError(refusal(found, demands, capacities))
    return found


def refusal(nearest: Choice, demands: Demands, capacities: Capacities) -> str:
    """Which capacities are short, at the splitting that comes nearest."""
    asked = demands.of(nearest.alpha_l, nearest.alpha_m)
    short = [
        f"{name} (needs {asked[name]:.4g}, has {capacities.given()[name]:.4g})"
        for name, use in nearest.uses.items()
        if use > 1.0
    ]
    return (
        f"No splitting is within the capacities; nearest is alpha_l = {nearest.alpha_l:.3g},"
        f" alpha_m = {nearest.alpha_m:.3g}, where short is: {', '.join(short)}."
        f" Raise it by {100.0 * (nearest.use - 1.0):.0f} %, or scale the ground motion down."
    )
