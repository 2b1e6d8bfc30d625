"""R6: nobody who is in charge of a test, hangs, dies or makes a mistake leaves anything live behind, or rows lost."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager

import pytest
from deployments import RIG, SLOWLY, deployment

from hybsim.errors import RunError
from hybsim.runtime.executable import build_executable, rig_sources
from hybsim.runtime.guard_tables import STATES
from hybsim.runtime.processes import wait_for
from hybsim.runtime.supervisor import Refused, Supervisor

PATIENCE = 20.0


@contextmanager
def running(folder, text=SLOWLY):
    """A test that runs against a virtual rig, rehearsed."""
    made = deployment("shm", text=text)
    with made.virtual_rig(folder), made.supervisor(folder, 60.0, rehearsal=True) as test:
        test.check_timing(0.05)
        test.ask("ARM")
        test.ask("START")
        assert wait_for(lambda: test.region["test_tick"] > 5, PATIENCE)
        yield test


def test_R6_a_test_whose_supervisor_is_alive_is_not_taken_over(tmp_path):
    with running(tmp_path) as test, pytest.raises(RunError, match="has a supervisor that is alive"):
        Supervisor.attach(tmp_path, test.rig)


def test_R6_a_supervisor_that_wakes_up_after_another_took_over_leaves_the_test_alone(tmp_path):
    with running(tmp_path) as hung:
        hung._stop.set()  # as one that was stopped in the middle of anything
        with Supervisor.attach(tmp_path, hung.rig) as test:
            assert hung.replaced and not test.replaced
            for act in (lambda: hung.ask("KILL"), hung.watch, hung.tend, lambda: hung.finish(None)):
                with pytest.raises(RunError, match="taken over by another supervisor"):
                    act()
            hung.close()
            assert test.loop_runs() and not test.region["quit"] and test.region.path.exists()
        assert test.state == "FINISHED"


def test_R6_leaving_a_test_that_was_taken_over_ends_it(tmp_path):
    """Whatever happens in the block: no actuator stays live with nobody to ask."""
    with running(tmp_path) as hung:
        hung._stop.set()
        with pytest.raises(ZeroDivisionError), Supervisor.attach(tmp_path, hung.rig) as test:
            raise ZeroDivisionError
        assert test.state == "FINISHED" and not test.loop_runs()
        assert test.region["stored"] == test.region["head"] and not test.region.path.exists()


def test_R6_where_stopping_is_interrupted_everything_is_stopped_at_once(tmp_path, monkeypatch):
    def again(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), running(tmp_path) as test:
        monkeypatch.setattr(test, "stop", again)
        test.close()
    assert test.state == "ESTOP" and not test.loop_runs()


def test_R6_a_loop_that_does_not_answer_is_not_waited_for(tmp_path, monkeypatch):
    """A ramp may take minutes; one that nobody took the word for, none."""
    with running(tmp_path) as test, monkeypatch.context() as change:
        asked = []

        def unheard(event):
            asked.append(event)
            raise RunError(f"no answer to {event}")

        change.setattr(test, "ask", unheard)
        change.setattr(test, "_until", lambda *_: pytest.fail("it waits"))
        test.stop()
        assert asked == ["END", "KILL"] and test.notes[-2:] == ["no answer to END", "no answer to KILL"]


def test_R6_the_operator_is_asked_each_time_a_test_pauses(tmp_path):
    """Also where it pauses again before anybody has looked: the same sample is refused a few ticks later."""
    slow = RIG.replace("velocity = 50.0", "velocity = 0.05").replace("velocity = 5.0", "velocity = 0.05")
    made = deployment("shm", text=slow)
    answers = ["RESUME", "RESUME", "END"]
    with made.virtual_rig(tmp_path), made.supervisor(tmp_path, 10.0, rehearsal=True) as test:
        record = test.run(on_pause=lambda causes: answers.pop(0))
    assert answers == [] and record.state == "FINISHED" and "COMMAND_VELOCITY" in record.causes


def test_R6_a_guardian_that_hangs_pauses_the_test(tmp_path):
    """Nobody would see the loop hang."""
    with running(tmp_path) as test:
        os.kill(test.region["guardian_pid"], signal.SIGSTOP)
        try:
            assert wait_for(lambda: test.state == "PAUSED", PATIENCE)
            assert test.region.causes == ["SUPERVISOR_SILENT"]
            with pytest.raises(Refused, match="RESUME was refused in state PAUSED"):
                test.ask("RESUME")
        finally:
            os.kill(test.region["guardian_pid"], signal.SIGCONT)


def test_R6_what_the_rig_file_does_not_describe_cannot_be_asked_for(tmp_path):
    with running(tmp_path) as test:
        with pytest.raises(Refused, match="FADE was refused: the rig file does not say what is faded out"):
            test.ask("FADE")
        test.ask("END")
        test.watch()
        for event in ("RESET", "CONFIGURE"):
            test.ask(event)
        with pytest.raises(Refused, match="ARM was refused in state CONFIGURED: a test has run already"):
            test.ask("ARM")


def test_R16_a_device_that_is_no_virtual_rig_is_not_rehearsed_with(tmp_path, monkeypatch):
    """Late ticks are overlooked in a rehearsal: nothing but a model may be at the other end."""
    made = deployment("shm", text=SLOWLY)
    sources = {name: text.replace(".bits = HD_VIRTUAL | ", ".bits = ") for name, text in rig_sources(made.cut).items()}
    assert sources != rig_sources(made.cut)
    monkeypatch.setattr(made, "rig_executable", lambda: build_executable(sources, "rig"))
    with (
        made.virtual_rig(tmp_path),
        made.supervisor(tmp_path, 60.0, rehearsal=True) as test,
        pytest.raises(Refused, match="RESET was refused in state ESTOP: a rehearsal needs a virtual rig, and this"),
    ):
        test.check_timing(0.05)


def test_R9_rows_that_no_logger_took_are_kept(tmp_path):
    made = deployment("shm", text=SLOWLY)
    with made.virtual_rig(tmp_path):
        with made.supervisor(tmp_path, 60.0, rehearsal=True) as test:
            os.kill(test.processes["logger"].pid, signal.SIGKILL)
            assert wait_for(lambda: test.region["head"] > test.region["stored"] + 20, PATIENCE)
        try:
            assert not test.loop_runs() and test.region["head"] > test.region["stored"]
            assert test.region.path.exists(), "what was not stored is nowhere else"
        finally:
            test.region.path.unlink(missing_ok=True)


def test_R5_a_loop_that_ends_leaves_the_device_safe(tmp_path):
    """Told so by the loop: it does not have to find out by itself."""
    made = deployment("shm", text=SLOWLY)
    with made.virtual_rig(tmp_path) as (rig, _):
        with made.supervisor(tmp_path, 60.0, rehearsal=True) as test:
            test.check_timing(0.05)
        assert wait_for(lambda: list(STATES)[rig["state"]] == "ESTOP", PATIENCE), "ESTOP stands for safe in a rig"
        assert rig["device_bits"] == 0, "not tripped"


def test_R5_the_guardian_stays_as_long_as_the_loop_drives_the_device(tmp_path):
    with running(tmp_path) as test:
        test.region["quit"] = 1
        for _ in range(5):
            beat = test.region["guardian_beat"]
            assert wait_for(lambda beat=beat: test.region["guardian_beat"] != beat, PATIENCE)
        assert test.processes["guardian"].running() and test.state == "RUNNING"
        test.ask("END")
        assert wait_for(lambda: not test.loop_runs() and not test.processes["guardian"].running(), PATIENCE)
        assert test.state == "FINISHED"
