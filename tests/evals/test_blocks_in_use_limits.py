"""What the blocks of a rig say at their limits, and their equations measured on whole runs."""

from __future__ import annotations

import math
import re
import warnings

import control
import numpy as np
import pytest
from agreement import agreed

import hybsim as hs
from hybsim.errors import ParameterError


def one(name, source, dt=0.001, **parameters):
    """A block driven by one source on its first input."""
    bd = hs.BDSim().blockdiagram(dt=dt)
    block = getattr(bd, name)(name="block", **parameters)
    bd.connect(source(bd), block[0])
    return bd


def warned(make):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = make()
    return made, [str(warning.message) for warning in caught]


def refused(name, dt=0.001, **parameters):
    with pytest.raises(ParameterError) as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one(name, lambda bd: bd.CONSTANT(0.0), dt, **parameters)
    text = str(caught.value)
    assert "\n" not in text and text.count(". ") == 0 and text.endswith(".")
    return text


# what is advised is accepted ------------------------------------------------------------------


@pytest.mark.parametrize("rate", [1024.0, 1200.0, 700.0])
@pytest.mark.parametrize(
    ("name", "parameter", "others"),
    [
        ("HOLD", "period", {}),
        ("FIRSTORDERHOLD", "period", {}),
        ("RUNNINGRMS", "window", {}),
        ("PREDICTOR", "spacing", {"horizon": 0.02}),
        ("LOADCELL", "sample_time", {"snr": 10.0, "signal_rms": 1.0}),
        ("NETWORKDELAY", "interval", {"distribution": "uniform", "maximum": 0.02, "max_delay": 0.05}),
    ],
)
def test_the_multiple_that_is_advised_is_accepted(rate, name, parameter, others):
    text = refused(name, 1.0 / rate, **others, **{parameter: 50.3 / rate})
    advised = float(re.search(r"such as (\S+) s", text)[1])
    assert advised == pytest.approx(50.0 / rate, rel=1e-9)
    hs.compile(one(name, lambda bd: bd.CONSTANT(0.0), 1.0 / rate, **others, **{parameter: advised}))


def test_the_range_that_is_advised_is_accepted():
    text = refused("QUANTISER", step=1.0 / 1024.0, range=0.4985)
    advised = float(re.search(r"such as (\S+)\.$", text)[1])
    assert advised == 510.0 / 1024.0
    one("QUANTISER", lambda bd: bd.CONSTANT(0.0), step=1.0 / 1024.0, range=advised)


# ticks too long to integrate with -------------------------------------------------------------

FAST = {
    "ACTUATOR": (dict(system="TS_1"), max(abs(np.roots([1.0, 485.5, 1.317e5, 3.182e7, 2.382e9])))),
    "FIRSTORDER": (dict(time_constant=0.003), 1.0 / 0.003),
    "SERVO_PD": (dict(derivative_time=0.003), 1.0 / 0.003),
    "SERVOHYDRAULIC": (dict(), 421.9),
    "REACTIONFRAME": (dict(stiffness=44.0, frequency=50.0), 100.0 * math.pi),
}


@pytest.mark.parametrize("name", FAST)
def test_a_tick_too_long_is_said_and_the_advised_one_is_short_enough(name):
    parameters, fastest = FAST[name]

    def make(dt):
        bd = one(name, lambda bd: bd.STEP(T=2.0 * dt), dt, **parameters)
        block = bd.blocknames["block"]
        if len(block.ins) == 2:
            bd.connect(bd.STEP(T=2.0 * dt), block[1])
        return bd

    bd, said = warned(lambda: make(0.01))
    assert len(said) == 1 and f"moves at {fastest:.4g} rad/s, too fast for a tick of 0.01 s" in said[0]
    advised = float(re.search(r"ticks of (\S+) s or less", said[0])[1])
    assert advised == pytest.approx(1.0 / fastest, rel=0.05)

    # |R(z)| > 1: what is left of the step grows in every tick where the system itself settles. Of SERVO_PD it is the
    # filter of the command that grows, and the valve that limits what comes of it.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        long = hs.compile(bd).run(4.0)
    outputs = [signal for signal in long.names if signal.startswith("block.")]
    grown = max(long.peak(signal) for signal in outputs)
    bd, said = warned(lambda: make(advised))
    assert said == []
    settled = hs.compile(bd).run(4.0)
    assert settled.stopped is None
    assert long.stopped is not None or name == "SERVO_PD" or grown > 1e3 * max(settled.peak(s) for s in outputs)


# refusals of systems and distributions --------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parameters", "sentence"),
    [
        ("ACTUATOR_S", dict(system=([1.0], [1.0, -2000.0]), method="tustin"), "cannot be discretised by 'tustin'"),
        ("ACTUATOR_S", dict(system=([1.0], [1.0, -1e7])), "its pole at 1e+07 rad/s leaves no finite numbers"),
        ("ACTUATOR", dict(system=([1.0, 2.0, 3.0], [1.0, 1.0])), "must be proper, got a numerator of degree 2"),
        ("FEEDFORWARD", dict(system="TS_9", cutoff=40.0), "Parameter 'system' of block 'block' must be one of 'TS_1'"),
        ("REACTIONFRAME", dict(stiffness=1.0, frequency=1e160), "frequency=1e+160 Hz"),
        ("REACTIONFRAME", dict(stiffness=1.0, frequency=1.0, damping_ratio=1e308), "check their units"),
        ("SERVOHYDRAULIC", dict(mass=1e-300), "a mass of 1e-300, too small beside its other parameters"),
        (
            "NETWORKDELAY",
            dict(distribution="discrete", max_delay=0.1, delays=[0.01, 0.02], probabilities=[0.5, 0.4]),
            "must sum to 1, got 0.9; divide them by it",
        ),
        (
            "NETWORKDELAY",
            dict(distribution="uniform", max_delay=0.3, minimum=0.2, maximum=0.2),
            "raise maximum= or lower minimum=",
        ),
        ("FORCECOMMAND", dict(mass=np.eye(2), alpha_m=[0.2, 1.3]), "must lie from 0 (all in the specimen) to 1"),
        ("DELAY", dict(delay=-0.001), "'delay' of block 'block' must be at least 0, got -0.001"),
        ("DELAY", dict(delay=0.2, max_delay=0.1), "longer than max_delay=0.1 s; declare max_delay="),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(name, parameters, sentence):
    assert sentence in refused(name, **parameters)


def test_an_unstable_system_is_not_said_to_settle():
    _, said = warned(lambda: one("ACTUATOR_S", lambda bd: bd.CONSTANT(0.0), system=([1.0], [1.0, -1.0])))
    assert said == ["The actuator's system is unstable: it has a pole at 1."]


@pytest.mark.parametrize(
    ("system", "final", "word"), [(([0.9], [0.01, 1.0]), 0.9, "0.9, not 1"), ("TS_2", 1.0, "0.917")]
)
def test_a_dc_gain_is_warned_about_and_only_that_of_ts_2_is_mended(system, final, word):
    bd, said = warned(lambda: one("ACTUATOR_S", lambda bd: bd.CONSTANT(1.0), system=system))
    assert len(said) == 1 and word in said[0]
    assert hs.compile(bd).run(2.0).final("block.position") == pytest.approx(final, rel=1e-12)


@pytest.mark.parametrize("deviation", [1e-300, 1e-3, 1e160, 1e308])
def test_a_lognormal_delay_of_any_deviation_has_its_distribution(deviation):
    """The median of a lognormal is mean / sqrt(1 + r^2), r = deviation / mean, each beyond the minimum."""
    minimum, mean, dt = 0.1, 0.3, 0.001
    bd = one(
        "NETWORKDELAY", lambda bd: bd.RAMP(T=0.0), dt,
        distribution="lognormal", minimum=minimum, mean=mean, deviation=deviation, max_delay=1.0, interval=2.0, seed=2,
    )  # fmt: skip
    program, waited = hs.compile(bd), []
    for seed in range(41):
        arrived = program.run(1.1, params={"block.seed": seed})["block.arrived"]
        waited.append(dt * np.flatnonzero(arrived)[0])
    excess = mean - minimum
    median = minimum + excess / math.hypot(1.0, min(deviation / excess, 1e150))
    assert np.median(waited) == pytest.approx(median, abs=1.5 * dt)


# equations, measured --------------------------------------------------------------------------

DT = 0.001


def impulse(bd):
    now = bd.STEP(T=0.0, name="now")
    before = bd.DELAY(delay=DT, name="before", inputs=[now])
    return bd.SUM("+-", name="impulse", inputs=[now, before])


def z_of(f):
    return np.exp(2j * math.pi * f * DT)


def s_of(f):
    """Tustin's rule: the s whose response a block has at the frequency f."""
    return 2.0 / DT * (z_of(f) - 1.0) / (z_of(f) + 1.0)


def butterworth(f, order, cutoff):
    _, den = _prototype(order, 2.0 / DT * math.tan(math.pi * cutoff * DT))
    return den[-1] / np.polyval(den, s_of(f))


def _prototype(order, w):
    from scipy.signal import butter

    return butter(order, w, analog=True)


def ts_1_held(f):
    sampled = control.sample_system(control.tf([2.382e9], [1.0, 485.5, 1.317e5, 3.182e7, 2.382e9]), DT, "zoh")
    return sampled(z_of(f))


RESPONSES = {
    "LOWPASS": (dict(cutoff=30.0, order=5), lambda f: butterworth(f, 5, 30.0)),
    "PHASELEAD": (dict(lead=0.02, lag=0.005), lambda f: (0.02 * s_of(f) + 1.0) / (0.005 * s_of(f) + 1.0)),
    "INVERSECOMP": (dict(delay=0.0133), lambda f: 1.0 + 13.3 * (1.0 - 1.0 / z_of(f))),
    "PREDICTOR": (
        dict(horizon=0.01, spacing=0.01, order=3),
        lambda f: sum(a * z_of(f) ** (-10 * j) for j, a in enumerate([4.0, -6.0, 4.0, -1.0])),
    ),
    "DELAY": (dict(delay=0.0123), lambda f: z_of(f) ** -12 * (0.7 + 0.3 / z_of(f))),
    "FIRSTORDER_S": (
        dict(time_constant=0.01),
        lambda f: (1.0 - math.exp(-0.1)) / (z_of(f) - math.exp(-0.1)),
    ),
    "ACTUATOR_S": (dict(system="TS_1"), ts_1_held),
    "FEEDFORWARD": (
        dict(system="TS_1", cutoff=40.0),
        lambda f: np.polyval([1.0, 485.5, 1.317e5, 3.182e7, 2.382e9], s_of(f))
        / 2.382e9 / (s_of(f) / (80.0 * math.pi) + 1.0) ** 4,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RESPONSES)
def test_the_frequency_response_is_that_of_the_equation(name):
    parameters, response = RESPONSES[name]
    result = agreed(hs.compile(one(name, impulse, DT, **parameters)), 3.0)
    (output,) = (signal for signal in result.names if signal.startswith("block."))
    for f in (0.3, 2.0, 11.0, 60.0, 240.0):
        measured = np.sum(result[output] * np.exp(-2j * math.pi * f * result.t))
        assert measured == pytest.approx(response(f), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("size", [1e-130, 1e-90, 1.0, 1e90, 1e130])
def test_the_frequency_evaluation_index_does_not_depend_on_the_unit(size):
    bd = one("FEI", lambda bd: bd.WAVEFORM("sine", freq=2.0, amplitude=size, name="c"), DT, f_max=8.0, lines=32)
    delayed = bd.DELAY(delay=0.02, inputs=[bd.GAIN(0.8, inputs=[bd.blocknames["c"]])])
    bd.connect(delayed, bd.blocknames["block"][1])
    result = agreed(hs.compile(bd), 4.0)
    assert result.final("block.amplitude") == pytest.approx(0.8, rel=5e-3)
    assert result.final("block.delay") == pytest.approx(0.02, rel=2e-2)


@pytest.mark.parametrize("name", ["FORCECOMMAND", "FORCECOMMAND_MODEL"])
def test_the_split_specimen_moves_as_the_whole_one(name):
    """Eq. 2 with the commands of the block has the acceleration of Eq. 1, for any state and any splitting."""
    rng = np.random.default_rng(4)
    root = rng.normal(size=(3, 3))
    mass, damping, influence = root @ root.T + 3.0 * np.eye(3), rng.normal(size=(3, 3)), rng.normal(size=3)
    alpha = {key: 0.45 * np.diag(rng.uniform(size=3)) for key in ("alpha_m", "alpha_c", "alpha_f")}
    ground, interface, vel, force = 1.7, *rng.normal(size=(3, 3))
    accel = np.linalg.solve(mass, interface - mass @ influence * ground - damping @ vel - force)
    bd = hs.BDSim().blockdiagram(dt=DT)
    block = getattr(bd, name)(name="block", mass=mass, damping=damping, influence=influence, alpha_l=0.3, **alpha)
    given = dict(accel_ground=ground, interface=interface, accel=accel, vel=vel, force=force)
    for number, port in enumerate(block.ins):
        bd.connect(bd.CONSTANT(given[port]), block[number])
    result = agreed(hs.compile(bd), 0.0)
    built = {key: np.eye(3) - alpha[f"alpha_{key}"] for key in "mcf"}
    table, commands = result.final("block.accel_table"), result.final("block.force_cmd")
    load = commands - built["m"] @ mass @ influence * table - built["c"] @ damping @ vel - built["f"] @ force
    assert np.linalg.solve(built["m"] @ mass, load) == pytest.approx(accel, rel=1e-10)
