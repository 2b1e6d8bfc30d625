"""Force-based commands: Eq. 2 term by term, Tables 2 and 3, what follows what, loops."""

from __future__ import annotations

import numpy as np
import pytest

import hybsim as hs
from hybsim.blocks.generators.force_command import ForceCommand, ForceCommandModel
from hybsim.errors import DiagramError, ParameterError

BLOCKS = pytest.mark.parametrize("cls", [ForceCommand, ForceCommandModel])
MASS = np.array([[4.0, 0.5, 0.0], [0.5, 3.0, 0.2], [0.0, 0.2, 2.0]])
DAMPING = np.array([[0.9, -0.3, 0.0], [-0.3, 0.8, -0.2], [0.0, -0.2, 0.4]])
ALPHA_M = np.array([[0.3, 0.1, 0.0], [0.05, 0.2, 0.1], [0.0, 0.02, 0.4]])
ALPHA_F = np.array([[0.5, 0.2, 0.1], [0.0, 0.9, 0.3], [0.0, 0.0, 0.1]])
INFLUENCE = np.array([1.0, 1.0, -0.5])


def motion(n: int = 3, seed: int = 0) -> dict[str, np.ndarray | float]:
    """Any inputs that are not related to each other."""
    rng = np.random.default_rng(seed)
    return dict(
        accel_ground=float(rng.normal()), **{k: rng.normal(size=n) for k in ("interface", "accel", "vel", "force")}
    )


def told(block, inputs) -> tuple[float, np.ndarray]:
    """Table acceleration and actuator forces."""
    table, forces = block.output(0.0, [inputs[port] for port in block.ins], np.zeros(0))
    return float(table), np.atleast_1d(forces)


def true_acceleration(inputs, mass, damping, influence) -> np.ndarray:
    """x'' of the equation of motion, Eq. 1."""
    net = inputs["interface"] - damping @ inputs["vel"] - inputs["force"]
    return np.linalg.solve(mass, net) - influence * inputs["accel_ground"]


def follows(block) -> dict[str, set[str]]:
    return {name: set(ports) for name, ports in block._kernels.feedthrough.items()}


# equations ----------------------------------------------------------------------------------


def test_the_commands_are_equation_2_term_by_term():
    alpha_c, alpha_l, u = np.diag([0.2, 0.0, 1.0]), 0.35, motion()
    block = ForceCommand(
        mass=MASS,
        damping=DAMPING,
        influence=INFLUENCE,
        alpha_m=ALPHA_M,
        alpha_c=[0.2, 0.0, 1.0],
        alpha_f=ALPHA_F,
        alpha_l=alpha_l,
    )
    table, forces = told(block, u)
    physical_mass = (np.eye(3) - ALPHA_M) @ MASS
    assert table == pytest.approx((1 - alpha_l) * u["accel_ground"], rel=1e-14)
    expected = (
        u["interface"]
        - ALPHA_M @ MASS @ (INFLUENCE * u["accel_ground"] + u["accel"])
        - alpha_c @ DAMPING @ u["vel"]
        - ALPHA_F @ u["force"]
        - physical_mass @ INFLUENCE * alpha_l * u["accel_ground"]
    )
    np.testing.assert_allclose(forces, expected, rtol=1e-13, atol=1e-13)


def test_the_model_is_the_measured_form_at_the_acceleration_of_the_equation_of_motion():
    parameters = dict(
        mass=MASS, damping=DAMPING, influence=INFLUENCE, alpha_m=ALPHA_M, alpha_c=0.4, alpha_f=ALPHA_F, alpha_l=0.7
    )
    u = motion()
    u["accel"] = true_acceleration(u, MASS, DAMPING, INFLUENCE)
    measured, model = (told(cls(**parameters), u) for cls in (ForceCommand, ForceCommandModel))
    assert model[0] == measured[0]
    np.testing.assert_allclose(model[1], measured[1], rtol=0, atol=1e-13)


@BLOCKS
@pytest.mark.parametrize("beta", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("dofs", [1, 2])
def test_what_is_built_moves_as_the_whole_under_its_commands(cls, beta, dofs):
    """M^p x'' + C^p x' + f^p = -M^p R a + F at the x'' of Eq. 1.

    With two degrees of freedom the second is vertical and its mass is all built: one table can do that too.
    """
    mass = np.diag([2.0, 3.0])[:dofs, :dofs]
    damping = np.array([[0.6, 0.1], [0.1, 0.5]])[:dofs, :dofs]
    influence, alpha_m = np.array([0.8, 0.0])[:dofs], np.diag([0.45, 0.0])[:dofs, :dofs]
    block = cls(
        mass=mass, damping=damping, influence=influence, alpha_m=alpha_m, alpha_c=0.3, alpha_f=0.6, alpha_l=0.25,
        inertia_on_table=beta,
    )  # fmt: skip
    u = motion(dofs, seed=5)
    u["accel"] = true_acceleration(u, mass, damping, influence)
    a, forces = told(block, u)
    physical_mass = (np.eye(dofs) - alpha_m) @ mass
    residual = physical_mass @ (u["accel"] + influence * a) + 0.7 * damping @ u["vel"] + 0.4 * u["force"] - forces
    np.testing.assert_allclose(residual, 0.0, atol=1e-14)


# Shao's Table 3: alpha_m, alpha_l of Eq. 2, share of the inertia on the table; of u_g'' and x'': table, force over M.
TABLE_3 = {
    1: (0.0, 0.0, 0.0, (1.0, 0.0), (0.0, 0.0)),
    2: (0.0, 0.0, 0.0, (1.0, 0.0), (0.0, 0.0)),
    3: (0.0, 1.0, 0.0, (0.0, 0.0), (-1.0, 0.0)),
    4: (0.0, 0.5, 0.0, (0.5, 0.0), (-0.5, 0.0)),
    5: (0.77, 0.0, 1.0, (4.35, 3.35), (0.0, 0.0)),
    6: (0.77, 1.0, 0.0, (0.0, 0.0), (-1.0, -0.77)),
    7: (0.77, 0.5, 0.5, (2.17, 1.67), (-0.5, -0.385)),
}


@pytest.mark.parametrize("case", TABLE_3)
def test_the_loading_cases_of_table_3_as_corrected(case):
    alpha_m, alpha_l, beta, a, f = TABLE_3[case]
    block = ForceCommand(mass=79.1, alpha_m=alpha_m, alpha_l=alpha_l, inertia_on_table=beta, accel_delay=0.0)
    still = dict(interface=0.0, vel=0.0, force=0.0)
    for place, inputs in enumerate((dict(accel_ground=1.0, accel=0.0), dict(accel_ground=0.0, accel=1.0))):
        table, force = told(block, inputs | still)
        assert round(table, 2) == a[place]
        assert force[0] / 79.1 == pytest.approx(f[place], abs=1e-14)


def test_a_specimen_without_mass_gets_all_inertia_from_the_actuators():
    """Table 2, first row: force-based pseudo-dynamic test."""
    u = motion()
    block = ForceCommand(mass=MASS, influence=INFLUENCE, alpha_m=1.0, alpha_l=1.0, accel_delay=0.0)
    table, forces = told(block, u)
    assert table == 0.0
    expected = u["interface"] - MASS @ (INFLUENCE * u["accel_ground"] + u["accel"])
    np.testing.assert_allclose(forces, expected, rtol=0, atol=1e-14)


@BLOCKS
def test_a_number_a_diagonal_and_a_matrix_are_the_same_splitting(cls):
    u = motion()
    for name in ("alpha_m", "alpha_c", "alpha_f"):
        forms = 0.4, [0.4, 0.4, 0.4], 0.4 * np.eye(3)
        first, *others = (told(cls(mass=MASS, damping=DAMPING, **{name: form}), u)[1] for form in forms)
        assert all(np.array_equal(first, other) for other in others)


# feedthrough --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "table", "forces"),
    [
        (dict(), set(), set()),
        (dict(alpha_m=0.2), set(), {"accel"}),
        (dict(alpha_m=0.2, inertia_on_table=0.5), {"accel"}, {"accel"}),
        (dict(alpha_m=0.2, inertia_on_table=1.0), {"accel"}, set()),
        (dict(alpha_c=0.2), set(), {"vel"}),
        (dict(alpha_f=0.2), set(), {"force"}),
        (dict(follows="all"), {"accel"}, {"accel", "vel", "force"}),
    ],
)
def test_measured_signals_are_followed_where_they_have_a_coefficient(parameters, table, forces):
    block = ForceCommand(mass=2.0, damping=0.3, **parameters)
    assert follows(block) == {
        "accel_table": {"accel_ground"} | table,
        "force_cmd": {"accel_ground", "interface"} | forces,
    }


@pytest.mark.parametrize(
    ("parameters", "table", "forces"),
    [
        (dict(), set(), set()),
        (dict(alpha_m=0.2), set(), {"vel", "force"}),
        (dict(alpha_m=0.2, inertia_on_table=1.0), {"interface", "vel", "force"}, set()),
        (dict(alpha_c=0.2), set(), {"vel"}),
        (dict(alpha_f=0.2), set(), {"force"}),
        (dict(alpha_m=0.25, alpha_f=0.25), set(), {"vel"}),
        (dict(follows="all"), {"interface", "vel", "force"}, {"vel", "force"}),
    ],
)
def test_the_model_follows_velocity_and_force_where_they_have_a_coefficient(parameters, table, forces):
    block = ForceCommandModel(mass=2.0, damping=0.3, **parameters)
    assert follows(block) == {
        "accel_table": {"accel_ground"} | table,
        "force_cmd": {"accel_ground", "interface"} | forces,
    }


@BLOCKS
def test_ports_are_as_wide_as_the_mass(cls):
    assert cls(mass=MASS).widths == dict.fromkeys([*cls.ins, "force_cmd"][1:], 3)


def closed(factory: str, **parameters):
    """A specimen of one degree of freedom whose undelayed acceleration comes back."""
    bd = hs.BDSim().blockdiagram(dt=0.01)
    command = getattr(bd, factory)(name="command", mass=2.0, **parameters)
    vel = bd.INTEGRATOR(name="vel")
    spring = bd.SPRING(stiffness=80.0, name="spring", inputs=[bd.INTEGRATOR(name="disp", inputs=[vel])])
    net = bd.SUM("+-", name="net", inputs=[command.force_cmd, spring])
    absolute = bd.GAIN(0.5 / (1.0 - parameters["alpha_m"]), name="absolute", inputs=[net])
    accel = bd.SUM("+-", name="accel", inputs=[absolute, command.accel_table])
    bd.connect(accel, vel)
    signals = dict(accel=accel, vel=vel, force=spring, interface=bd.CONSTANT(0.0, name="T_e"))
    signals["accel_ground"] = bd.COSINEPULSE(amplitude=1.0, duration=1.0, name="ground")
    for port in command.ins:
        bd.connect(signals[port], getattr(command, port))
    return bd


def test_a_virtual_mass_without_delay_is_an_algebraic_loop_with_its_path():
    with pytest.raises(DiagramError) as caught:
        hs.compile(closed("FORCECOMMAND", alpha_m=0.4))
    assert "Algebraic loop" in str(caught.value)
    for hop in ("command (accel -> force_cmd)", "net", "absolute", "accel"):
        assert hop in str(caught.value)


@pytest.mark.parametrize(
    ("factory", "parameters"),
    [("FORCECOMMAND", dict(alpha_m=0.0, alpha_f=0.3)), ("FORCECOMMAND_MODEL", dict(alpha_m=0.9, inertia_on_table=0.5))],
)
def test_no_loop_without_virtual_mass_or_with_the_model(factory, parameters):
    assert hs.compile(closed(factory, **parameters)).run(0.5).peak("disp") > 0.0


def test_a_sweep_may_pass_zero_if_all_inputs_are_followed():
    program = hs.compile(closed("FORCECOMMAND_MODEL", alpha_m=0.5, follows="all"))
    batch = program.sweep({"command.alpha_l": [0.0, 0.5], "command.inertia_on_table": [0.0, 0.5, 1.0]}, duration=1.0)
    peaks = batch.peak("disp")
    np.testing.assert_allclose(peaks, peaks[0], rtol=1e-12)
    with pytest.raises(ParameterError, match="make the diagram anew"):
        hs.compile(closed("FORCECOMMAND_MODEL", alpha_m=0.5)).run(1.0, params={"command.inertia_on_table": 1.0})
