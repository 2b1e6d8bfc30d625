"""Every specimen in whole diagrams: the C and the Python engine give the same bits, and hybrid tests behave.

Periods, energies and relaxation in these tests come from closed forms.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from agreement import agreed
from scipy.special import ellipk

import hybsim as hs
from hybsim.blocks import CATALOGUE
from hybsim.kernel import External

CASES = [
    ("SPRING", dict(stiffness=10.0)),
    ("COUPLEDSPRINGS", dict(stiffness=[[3.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])),
    ("STOREYS", dict(stiffness=[3.0, 2.0, 1.0], floors=3)),
    ("STOREYS_BOUCWEN", dict(stiffness=[3.0, 2.0, 1.0], yield_disp=0.4, alpha=0.1, floors=3)),
    ("CUBICSPRING", dict(stiffness=10.0, cubic=-1.5)),
    ("CUBICSPRING", dict(stiffness=10.0, cubic=4.0, width=3)),
    ("ELASTICPLASTIC", dict(stiffness=10.0, yield_disp=0.4)),
    ("BILINEAR", dict(stiffness=10.0, yield_disp=0.4, alpha=0.1)),
    ("STEEL", dict(stiffness=10.0, yield_disp=0.4, alpha=0.03)),
    ("STEEL", dict(stiffness=10.0, yield_disp=0.4, r0=15.0, a1=0.05, a2=2.0, a3=0.1, a4=3.0)),
    ("BOUCWEN", dict(stiffness=10.0, yield_disp=0.4, n=1.4)),
    ("BOUCWEN_RATE", dict(stiffness=10.0, yield_disp=0.4)),
    ("BOUCWEN_DEGRADING", dict(stiffness=10.0, yield_disp=0.4, delta_a=0.002, delta_nu=0.05, delta_eta=0.1)),
    ("BOUCWEN_DEGRADING", dict(stiffness=10.0, yield_disp=0.4, n=1.3, delta_nu=0.05, zeta_s=0.95, lam=0.4)),
    ("BOUCWEN_DEGRADING_RATE", dict(stiffness=10.0, yield_disp=0.4, n=1.0, delta_eta=0.05, zeta_s=0.8)),
    ("RELAXATION", dict(stiffness=10.0, overstress=0.8, time=0.5, recovery_disp=0.05)),
    ("VISCOUSDAMPER", dict(damping=2.0, exponent=0.35, width=2)),
    ("VISCOUSDAMPER_S", dict(damping=2.0, exponent=0.35, width=2)),
    ("MAXWELL", dict(stiffness=10.0, damping=2.0)),
    ("MAXWELL_RATE", dict(stiffness=10.0, damping=2.0, exponent=0.4)),
    ("MRDAMPER", dict(x0=0.0)),
    ("MRDAMPER_RATE", dict(x0=0.0, a=3.0, beta=3.0, gamma=4.0, n=1.5)),
]


def test_every_specimen_of_the_catalogue_is_here():
    listed = {n for n, cls in CATALOGUE.items() if cls.__module__.startswith("hybsim.blocks.specimens.")}
    external = {n for n, cls in CATALOGUE.items() if issubclass(cls, External)}  # test_external_blocks has these
    assert {name for name, _ in CASES} == listed - external


@pytest.mark.parametrize(("factory", "parameters"), CASES)
def test_a_specimen_agrees_on_a_rough_path(factory, parameters):
    """Every input a sum of a sine and noise, so that all branches of a specimen are taken."""
    bd = hs.BDSim().blockdiagram(dt=0.005)
    specimen = getattr(bd, factory)(name="specimen", **parameters)
    for i, port in enumerate(specimen.ins):
        width = specimen.widths.get(port, 1)
        noise = bd.NORMAL(name=f"noise{i}", seed=i, variance=0.01, width=width)
        sine = bd.SINESWEEP(
            name=f"sine{i}", f_start=0.5 + i, f_end=0.5 + i, duration=10.0, amplitude=1.2, phase=0.3 * i
        )
        bd.connect(bd.SUM("++", name=f"sum{i}", inputs=[sine, noise]), specimen[i])
    result = agreed(hs.compile(bd), 3.0)
    assert np.ptp(result["specimen.force"]) > 0.1


@pytest.mark.parametrize("factory", [name for name, _ in CASES])
def test_parameters_are_data(factory):
    """The example of the catalogue runs, and every number of it can be changed without a new program."""
    bd = hs.BDSim().blockdiagram(dt=0.01)
    specimen = getattr(bd, factory)(name="specimen", **CATALOGUE[factory].example)
    for i, port in enumerate(specimen.ins):
        source = bd.NORMAL(name=f"noise{i}", seed=i, variance=1e-4, width=specimen.widths.get(port, 1))
        bd.connect(source, specimen[i])
    program = hs.compile(bd)
    before = program.run(0.5)["specimen.force"]
    numbers = {k: v for k, v in CATALOGUE[factory].example.items() if isinstance(v, float)} or {
        "stiffness" if "stiffness" in specimen.params else "k1": 0.0
    }
    if factory == "COUPLEDSPRINGS":
        numbers = {"stiffness": np.array(CATALOGUE[factory].example["stiffness"])}
    changed = {f"specimen.{k}": 1.1 * v + (1.0 if k == "k1" else 0.0) for k, v in numbers.items()}
    if "specimen.zeta_s" in changed:
        changed["specimen.zeta_s"] = 0.5
    assert not np.array_equal(agreed(program, 0.5, **changed)["specimen.force"], before)


# Whole tests, against closed forms


@pytest.mark.parametrize(("cubic", "amplitude"), [(3.0, 1.0), (-2.0, 1.0)])
def test_free_vibration_on_a_cubic_spring_has_the_period_of_duffings_oscillator(cubic, amplitude):
    mass, k, dt = 0.5, 10.0, 0.001
    bd = hs.BDSim().blockdiagram(dt=dt)
    structure = bd.NEWMARK(name="structure", mass=mass, initial_disp=amplitude)
    spring = bd.CUBICSPRING(name="spring", stiffness=k, cubic=cubic, inputs=[structure.disp_target])
    bd.connect(spring, structure.force)
    bd.connect(bd.CONSTANT(0.0, name="none"), structure.load)
    disp = agreed(hs.compile(bd), 10.0)["structure.disp_target"]
    falling = np.flatnonzero((disp[:-1] > 0.0) & (disp[1:] <= 0.0))
    times = dt * (falling + disp[falling] / (disp[falling] - disp[falling + 1]))
    period = np.diff(times).mean()
    # m u'' + k u + h u^3 = 0 from rest at a: u = a cn, with w^2 = (k + h a^2) / m and m = h a^2 / (2 (k + h a^2)).
    stiff = k + cubic * amplitude**2
    expected = 4.0 * ellipk(cubic * amplitude**2 / (2.0 * stiff)) / math.sqrt(stiff / mass)
    assert period == pytest.approx(expected, rel=1e-5)


def added_energy(cubic, late, amplitude=1.0, f=1.0, dt=0.001):
    """Energy that a delayed spring adds in one cycle of a sine (PSI Fig. 2.8), and the closed form."""
    bd = hs.BDSim().blockdiagram(dt=dt)
    sine = bd.SINESWEEP(name="sine", amplitude=amplitude, f_start=f, f_end=f, duration=10.0)
    delay = bd.DELAY(name="delay", delay=late, inputs=[sine])
    bd.CUBICSPRING(name="spring", stiffness=10.0, cubic=cubic, inputs=[delay])
    result = agreed(hs.compile(bd), 3.0)
    u, r = (result[name][1000:2001] for name in ("sine.value", "spring.force"))
    added = -float(np.sum(0.5 * (r[1:] + r[:-1]) * np.diff(u)))
    return added, math.pi * amplitude**2 * math.sin(2 * math.pi * f * late) * (10.0 + 0.75 * cubic * amplitude**2)


def test_a_delay_adds_more_energy_if_the_spring_hardens_and_less_if_it_softens():
    """PSI Eq. 2.36."""
    softening, linear, hardening = (added_energy(cubic, 0.02) for cubic in (-3.0, 0.0, 3.0))
    assert hardening[0] > linear[0] > softening[0] > 0.0
    for measured, expected in (softening, linear, hardening):
        assert measured == pytest.approx(expected, rel=1e-4)


def test_a_maxwell_damper_in_a_test_gives_the_root_of_its_characteristic_equation():
    """m u'' + k u + r = 0, r' = kd u' - (kd/c) r: the decay of the exact third-order system."""
    mass, k, kd, c, dt = 0.5, 10.0, 30.0, 0.6, 0.001
    bd = hs.BDSim().blockdiagram(dt=dt)
    structure = bd.NEWMARK(name="structure", mass=mass, initial_vel=1.0)
    spring = bd.SPRING(name="spring", stiffness=k, inputs=[structure.disp_target])
    damper = bd.MAXWELL(name="damper", stiffness=kd, damping=c, inputs=[structure.disp_target])
    bd.connect(bd.SUM("++", name="total", inputs=[spring, damper]), structure.force)
    bd.connect(bd.CONSTANT(0.0, name="none"), structure.load)
    disp = agreed(hs.compile(bd), 6.0)["structure.disp_target"]
    roots = np.roots([mass, mass * kd / c, k + kd, k * kd / c])
    root = roots[np.argmax(roots.imag)]
    rising = np.flatnonzero((disp[:-1] < 0.0) & (disp[1:] >= 0.0))
    period = np.diff(rising)[1] * dt
    assert period == pytest.approx(2 * math.pi / root.imag, abs=2 * dt)
    peaks = [disp[a : a + round(period / dt)].max() for a in rising]
    assert math.log(peaks[2] / peaks[1]) == pytest.approx(root.real * 2 * math.pi / root.imag, rel=5e-3)


def test_a_hold_relaxes_a_bouc_wen_specimen_and_motion_restores_it():
    """EERC Fig. 6-12 in small: ramp past yielding, hold for 4.7 s, move on."""
    dt, tau, most, v = 0.01, 3.0, 0.2, 0.2
    ramp = v * dt * np.arange(1001)
    path = np.concatenate([ramp, np.full(470, ramp[-1]), ramp[-1] + v * dt * np.arange(1, 301)])
    bd = hs.BDSim().blockdiagram(dt=dt)
    motion = bd.GROUNDMOTION(name="motion", record=path, record_dt=dt)
    # EERC Table 7-2
    static = bd.BOUCWEN(name="static", stiffness=2.74, yield_disp=0.675, beta=0.55, gamma=0.45, n=2.0, inputs=[motion])
    bd.RELAXATION(
        name="specimen", stiffness=2.74, overstress=most, time=tau, recovery_disp=0.03, inputs=[motion, static]
    )
    result = agreed(hs.compile(bd), (len(path) - 1) * dt)
    over = result["specimen.force"] - result["static.force"]
    steady = most / (1 + 0.03 / (v * tau))
    assert over[1000] == pytest.approx(steady, rel=1e-3)
    assert over[1470] == pytest.approx(over[1000] * math.exp(-4.7 / tau), rel=1e-6)
    assert over[-1] == pytest.approx(steady, rel=1e-3)
    # At most s_max / u_c of overstress for each inch of plastic displacement, which a smooth specimen has early.
    plastic = path - result["static.force"] / 2.74
    assert (over[:300] <= most / 0.03 * plastic[:300] + 1e-12).all()


def test_an_mr_damper_stops_a_structure_sooner_with_voltage():
    def last_motion(voltage):
        bd = hs.BDSim().blockdiagram(dt=0.001)
        structure = bd.NEWMARK(name="structure", mass=20.0, initial_vel=60.0)
        spring = bd.SPRING(name="spring", stiffness=800.0, inputs=[structure.disp_target])
        damper = bd.MRDAMPER(name="damper", x0=0.0)
        bd.connect(structure.disp_target, damper.disp)
        bd.connect(bd.CONSTANT(voltage, name="voltage"), damper.voltage)
        bd.connect(bd.SUM("++", name="total", inputs=[spring, damper]), structure.force)
        bd.connect(bd.CONSTANT(0.0, name="none"), structure.load)
        disp = agreed(hs.compile(bd), 2.0)["structure.disp_target"]
        return np.abs(disp).max(), np.abs(disp[1500:]).max()

    off, on = last_motion(0.0), last_motion(2.25)
    assert on[0] < off[0]
    assert on[1] < 0.5 * off[1]
