"""In lockstep, on a virtual clock, every driver waits until its last frame is answered, or gives up."""

from __future__ import annotations

import threading
import time

import pytest
from driver_bench import (
    ERROR,
    LINKS,
    LONG,
    NONE,
    NOTHING,
    OK,
    SAFE,
    VIRTUAL,
    Link,
)


@pytest.fixture(params=LINKS, ids=lambda kind: ("faulty " if kind[1] else "") + kind[0])
def kind(request):
    return request.param


@pytest.fixture
def step(kind):
    """A link in lockstep whose patience is short: only a test in which nothing comes waits for it."""
    with Link(kind[0], wrapped=kind[1], lockstep=1, patience=0.2) as made:
        yield made


@pytest.fixture
def patient(kind):
    with Link(kind[0], wrapped=kind[1], lockstep=1, patience=LONG) as made:
        yield made


def test_in_lockstep_read_waits_for_the_answer(patient):
    def device():
        for _ in range(50):
            command = patient.peer.next()
            patient.peer.answer(command.tick, (command.values[0] ** 2, 0.0, 0.0))

    thread = threading.Thread(target=device)
    thread.start()
    for tick in range(50):
        patient.driver.write(tick, (float(tick), 0.0))
        status, got = patient.driver.read()
        assert (status, got.tick, got.values[0]) == (OK, tick, tick**2)
    thread.join()


def test_in_lockstep_read_passes_over_answers_to_earlier_commands(patient):
    patient.send(0)
    patient.peer.answer(0)
    patient.send(1)
    patient.peer.answer(1, (1.0, 0.0, 0.0))
    patient.driver.safe()
    assert patient.peer.next().mode == SAFE
    patient.peer.answer(1, (2.0, 0.0, 0.0))
    status, got = patient.driver.read()
    assert (status, got.values[0]) == (OK, 2.0)


def test_in_lockstep_read_gives_up_after_its_patience(step):
    assert step.driver.read()[0] == NONE, "nothing was written, so there is nothing to wait for"
    step.send(0)
    assert step.driver.read()[0] == ERROR
    step.peer.answer(0)
    assert step.driver.read()[0] == OK


def test_in_lockstep_a_lost_frame_is_none_at_once(patient):
    patient.send(0)
    patient.peer.answer(0, bits=VIRTUAL | NOTHING, count=0)
    assert patient.driver.read()[0] == NONE
    patient.send(1)
    patient.peer.answer(1)
    assert patient.driver.read()[0] == OK


def test_in_lockstep_a_watcher_wakes_the_device(kind):
    with Link(kind[0], wrapped=kind[1], lockstep=1, patience=LONG) as link:
        watcher, got = link.another(lockstep=1), []
        assert watcher.open() == OK
        thread = threading.Thread(target=lambda: got.append(link.peer.wait(10 * LONG)[1].mode))
        thread.start()
        time.sleep(0.02)  # most likely it waits by now; if not, the test is only weaker
        watcher.safe()
        thread.join(LONG)
        woken = not thread.is_alive()
        link.driver.safe()
        thread.join()
        watcher.close()
        assert woken and got == [SAFE]
