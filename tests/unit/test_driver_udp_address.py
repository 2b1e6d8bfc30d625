"""Driver "udp": which addresses it takes, and a device that is not there."""

from __future__ import annotations

import pytest
from driver_bench import (
    ERROR,
    OK,
    DriverEnd,
    Link,
    PeerEnd,
    eventually,
    free_address,
)


def test_a_device_that_does_not_listen_is_noticed_and_recovers():
    address = free_address("udp")
    driver, peer = DriverEnd("udp", address), PeerEnd("udp", address)
    assert driver.open() == OK

    def noticed():
        driver.write(0)
        driver.read()
        return driver.health() == ERROR

    eventually(noticed)
    assert peer.open() == OK, peer.why
    driver.write(1)
    peer.next()
    peer.answer(1)
    eventually(lambda: driver.read()[0] == OK)
    assert driver.health() == OK
    driver.close()
    peer.close()


@pytest.mark.parametrize("address", ["0.0.0.0:5000", "0.1.2.3:5000", "255.255.255.255:5000", "224.0.0.1:5000"])
def test_an_address_that_is_not_one_host_is_refused(address):
    for end in (DriverEnd("udp", address), PeerEnd("udp", address)):
        assert end.open() == ERROR
        assert end.why == f"'{address[:-5]}' is not one host: name the address of one network card, or 127.0.0.1."


@pytest.mark.parametrize(
    "address",
    [":5000", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:5000x", "127.0.0.1:-1", "127.0.0.1: 5", "5000", "::1:5000", "rig.example:5000", "127.1:5000", "*:5000"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused(address):
    for end in (DriverEnd("udp", address), PeerEnd("udp", address)):
        assert end.open() == ERROR
        assert "udp is" in end.why


def test_udp_needs_a_key():
    for end in (DriverEnd("udp", free_address("udp"), key=None), PeerEnd("udp", free_address("udp"), key=None)):
        assert end.open() == ERROR
        assert "key" in end.why


def test_localhost_is_this_machine():
    peer = PeerEnd("udp", free_address("udp").replace("127.0.0.1", "localhost"))
    assert peer.open() == OK, peer.why
    peer.close()


def test_a_port_in_use_is_refused():
    with Link("udp") as link:
        second = PeerEnd("udp", link.address)
        assert second.open() == ERROR
        assert "cannot be listened on" in second.why
