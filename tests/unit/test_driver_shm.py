"""Driver "shm": the device in shared memory, its processes, and that no frame is torn."""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from driver_bench import (
    ERROR,
    LONG,
    NONE,
    OK,
    SAFE,
    DriverEnd,
    Link,
    PeerEnd,
    free_address,
    library,
)


def test_shm_without_a_device_is_refused():
    driver = DriverEnd("shm", free_address("shm"), patience=0.01)
    assert driver.open() == ERROR
    assert "no device" in driver.why and driver.why.endswith("start the virtual rig first.")


def test_shm_waits_for_its_device():
    address = free_address("shm")
    driver, peer, status = DriverEnd("shm", address, patience=LONG), PeerEnd("shm", address), []
    thread = threading.Thread(target=lambda: status.append(driver.open()))
    thread.start()
    assert peer.open() == OK
    thread.join()
    assert status == [OK], driver.why
    driver.close()
    peer.close()


@pytest.mark.parametrize("changes", [dict(commands=1), dict(measured=4)], ids=str)
def test_shm_with_another_number_of_channels_is_refused(changes):
    with Link("shm") as link:
        link.driver.close()
        other = link.another(patience=LONG, **changes)
        assert other.open() == ERROR
        assert "has 2 commands and 3 measured values, not" in other.why


@pytest.mark.parametrize("name", ["../etc/x", "a b", "a/b", "ä", "x" * 65, "a.b"])
def test_shm_takes_plain_names_only(name):
    for end in (DriverEnd("shm", name), PeerEnd("shm", name)):
        assert end.open() == ERROR
        assert "letters, digits" in end.why


def test_shm_is_private_and_removed_in_the_end():
    with Link("shm") as link:
        path = Path("/dev/shm", f"hybsim-{link.address}")
        assert path.stat().st_mode & 0o777 == 0o600
    assert not path.exists()


def test_shm_has_one_device_of_a_name():
    with Link("shm") as link:
        second = PeerEnd("shm", link.address)
        assert second.open() == ERROR
        assert f"process {os.getpid()} already" in second.why
        assert link.send(0).tick == 0


def test_shm_sessions_rise():
    with Link("shm", session=5) as link:
        link.driver.close()
        older = link.another(session=4)
        assert older.open() == ERROR
        assert "sessions rise" in older.why


def test_shm_whose_device_ended_is_ill():
    with Link("shm", lockstep=1, patience=LONG) as link:
        link.send(0)
        link.peer.close()
        assert link.driver.health() == ERROR
        assert link.driver.read()[0] == ERROR, "at once, not after its patience"


KILLED = """
import sys
sys.path.insert(0, {support!r})
from driver_bench import *
end = {end}
assert end.open() == OK, end.why
print("open", flush=True)
sys.stdin.read()
"""


def another_process(end):
    code = KILLED.format(end=end, support=str(Path(__file__).parent / "support"))
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"open\n"
    return process


@pytest.mark.parametrize("name", ["shm", "udp"])
def test_a_driver_that_was_killed_makes_room(name):
    with Link(name) as link:
        link.driver.close()
        process = another_process(f"DriverEnd({name!r}, {link.address!r}, session=3)")
        link.driver = link.another(session=4)
        assert link.driver.open() == ERROR
        watcher = link.another(session=3)
        assert watcher.open() == OK
        process.kill()
        if name == "shm":
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # a zombie does not count as alive
        else:
            process.wait()
        assert watcher.safe() == OK, "a watcher outlives the loop"
        assert link.peer.next().mode == SAFE
        assert link.driver.open() == OK, link.driver.why
        assert link.send(0).tick == 0
        if name == "shm":
            assert watcher.safe() == ERROR, "it is another run now"
        process.communicate()
        watcher.close()


def test_a_shm_device_that_was_killed_is_no_device_and_can_be_started_again():
    address = free_address("shm")
    process = another_process(f"PeerEnd('shm', {address!r})")
    process.kill()
    process.communicate()
    driver, peer = DriverEnd("shm", address), PeerEnd("shm", address)
    assert driver.open() == ERROR
    assert "is gone" in driver.why
    assert peer.open() == OK, peer.why
    assert driver.open() == OK, driver.why
    driver.close()
    peer.close()


FRAMES = 200_000


@pytest.mark.parametrize("way", ["answers", "commands"])
def test_no_frame_of_shm_is_torn(way):
    with Link("shm") as link:
        link.send(0)
        writer, reader = (
            (link.peer.peer, link.driver.driver) if way == "answers" else (link.driver.driver, link.peer.peer)
        )
        over, counts, last = ctypes.c_int64(0), (ctypes.c_int64 * 2)(), []
        drink, hammer = getattr(library(), f"drink_{way}"), getattr(library(), f"hammer_{way}")
        thread = threading.Thread(target=lambda: last.append(drink(ctypes.byref(reader), ctypes.byref(over), counts)))
        thread.start()
        written = hammer(ctypes.byref(writer), ctypes.c_int64(FRAMES), counts)
        over.value = 1
        thread.join()
        assert written >= FRAMES - 1
        assert last == [written], "the last one is read in any case"
        assert counts[0] >= 100 and counts[1] == 0


def test_a_writer_that_died_in_the_middle_holds_nobody_up():
    with Link("shm") as link:
        link.send(0)
        link.peer.answer(0, (1.0, 0.0, 0.0))
        link.news()
        path = Path("/dev/shm", f"hybsim-{link.address}")
        # The sequences of both slots are the words that hold 2 or 4 on a cache line of their own; make them odd.
        with path.open("r+b") as file:
            words = struct.unpack(f"<{path.stat().st_size // 8}Q", file.read())
            places = [i for i in range(8, len(words), 8) if words[i] == 2]
            assert len(places) == 2, "one frame each way"
            for place in places:
                file.seek(8 * place)
                file.write(struct.pack("<Q", 3))
        assert link.driver.read()[0] == NONE
        assert link.peer.wait()[0] == NONE
        assert link.send(1).tick == 1
        link.peer.answer(1, (2.0, 0.0, 0.0))
        assert link.news().values[0] == 2.0
