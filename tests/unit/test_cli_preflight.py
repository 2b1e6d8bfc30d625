"""hybsim preflight: verdicts and exit codes, its numbers against the loop's closed form, its files, what it refuses.

The loop is a mass of 1, a dashpot of 1 and, as the rig, a spring of 100: omega_n = 10 rad/s, zeta = 0.05. With a delay
of its force the characteristic equation is s^2 + s + 100 exp(-s tau) = 0.
"""

from __future__ import annotations

import cmath
import json
import math

import pytest

LOOP = """
import hybsim as hs

def rig(sub, disp_cmd):
    return {"force_meas": sub.SPRING(stiffness=100.0, name="specimen", inputs=[disp_cmd])}

def diagram(damping=1.0):
    bd = hs.BDSim().blockdiagram("loop", dt=0.001)
    structure = bd.NEWMARK(mass=1.0, damping=damping, name="structure")
    bd.connect(bd.WHITENOISE(name="load", power=1.0, seed=1), structure.load)
    bd.connect(hs.subsystem(bd, rig, inputs=[structure.disp_target]), structure.force)
    return bd
"""
TICK = 0.001


@pytest.fixture
def check(cli, tmp_path, monkeypatch):
    """Run the command on the loop."""
    (tmp_path / "loop.py").write_text(LOOP)
    monkeypatch.chdir(tmp_path)
    return lambda *words: cli("preflight", "loop.py", "--cut", "rig", *words)


def critical_delay(damping: float = 1.0) -> float:
    """|s^2 + c s| = 100 at s = j omega, and the angle that is left."""
    omega = math.sqrt((-(damping**2) + math.sqrt(damping**4 + 4.0e4)) / 2.0)
    return (-cmath.phase(-(-(omega**2) + 1j * damping * omega) / 100.0) % (2.0 * math.pi)) / omega


@pytest.mark.parametrize(
    "delay, verdict, code", [(None, "go", 0), (0.004, "marginal", 1), (0.008, "marginal", 1), (0.011, "no-go", 1)]
)
def test_the_verdict_and_the_exit_code(check, delay, verdict, code) -> None:
    done = check(*([] if delay is None else ["--delay", delay]), "--json", "-")
    found = json.loads(done.out)
    assert (found["verdict"], done.code, done.err) == (verdict, code, "")
    # hardware answers a tick later than the diagram, and the laboratory adds its delay
    assert found["delay_s"] == pytest.approx(TICK + (delay or 0.0))
    assert found["delay_margin_s"] == pytest.approx(critical_delay(), rel=1e-4)
    assert (found["delay_s"] < critical_delay()) == (verdict != "no-go")


def test_the_error_is_the_ppi_of_the_same_test(check, cli) -> None:
    found = json.loads(check("--delay", 0.002, "--json", "-").out)

    from scipy.integrate import quad

    def density(phi: float) -> float:
        s, late = 1j * phi, cmath.exp(-10.0 * 0.003j * phi)
        return abs((1.0 - late) / ((s * s + 0.1 * s + 1.0) * (s * s + 0.1 * s + late))) ** 2 / math.pi

    area = quad(density, 0.0, 3.0, points=[0.95, 1.0, 1.05], limit=500)[0] + quad(density, 3.0, math.inf, limit=500)[0]
    assert found["ppi"] == pytest.approx(area, rel=1e-3)  # ticks of 1 ms
    assert found["error_ratio"] == pytest.approx(math.sqrt(4.0 * 0.05 * area), rel=1e-3)


def test_words_and_arguments_of_the_function(check) -> None:
    done = check("--arg", "damping=0.5", "--delay", "0.006")
    text = " ".join(done.out.split())
    assert done.code == 1 and "Pre-flight check of loop, cut at rig: no-go" in text
    assert f"stable up to a further delay of {1000.0 * critical_delay(0.5):.4g} ms" in text
    assert "7 ms (1 tick of the cut and 6 ms expected)" in text


def test_the_report(check, tmp_path) -> None:
    done = check("--out", "results", "--json", "all.json")
    assert done.code == 0
    written = {path.name for path in (tmp_path / "results").iterdir()}
    assert {"report.html", "preflight.json", "preflight.png", "preflight.pdf"} <= written
    text = (tmp_path / "results" / "report.html").read_text()
    assert "hybsim preflight loop.py --cut rig --out results" in text and "Go." in text
    assert json.loads((tmp_path / "results" / "preflight.json").read_text()) == json.loads((tmp_path / "all.json").read_text())  # fmt: skip


@pytest.mark.parametrize(
    "words, said",
    [
        (["loop.py", "--cut", "rg"], "There is no subsystem 'rg' to cut at. Did you mean 'rig'?"),
        (["loop.py"], "Missing option '--cut'"),
        (
            ["loop.py", "--cut", "rig", "--delay", "-1"],
            "--delay must be a finite number of seconds of at least 0, got -1.",
        ),
        (
            ["loop.py", "--cut", "rig", "--delay", "nan"],
            "--delay must be a finite number of seconds of at least 0, got nan.",
        ),
        (["lop.py", "--cut", "rig"], "There is no file 'lop.py'. Did you mean 'loop.py'?"),
        (["loop.py:rgi", "--cut", "rig"], "'loop.py' has no function 'rgi'."),
        (["loop.py", "--cut", "rig", "--out", "loop.py"], "Cannot write into 'loop.py': it is a file"),
        (["loop.py", "--cut", "rig", "--solver", "rk5"], "rk5"),
    ],
)
def test_bad_input_is_one_sentence(check, cli, words, said) -> None:
    done = cli("preflight", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err and done.err.count("\n") == 1
