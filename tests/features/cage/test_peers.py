"""Who connects to a narrow cage's endpoint, which other users of the machine can reach, too."""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from handrail.features.cage.narrow.peers import is_same_user

ANOTHER_UID = 54321


@pytest.fixture
def plain_user() -> Iterator[None]:
    """Ended connections are listed as root's."""
    own = os.geteuid()
    if own == 0:
        os.seteuid(ANOTHER_UID)
    try:
        yield
    finally:
        os.seteuid(own)


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listener:
        yield listener


@pytest.mark.usefixtures("plain_user")
def test_an_own_connection_is_recognised_even_if_another_from_its_port_has_just_ended(
    listening: socket.socket,
) -> None:
    with ExitStack() as stack, socket.create_server(("127.0.0.1", 0), backlog=100) as earlier:
        for _ in range(20):
            is_connected = _connected(earlier, 0)
            port = is_connected.getsockname()[1]
            accepted, _ = earlier.accept()
            is_connected.close()  # closed first, so that its port stays listed for a minute
            accepted.close()
            connected = stack.enter_context(_connected(listening, port))
            assert is_same_user(connected.getsockname(), listening.getsockname())


def test_a_connection_from_a_socket_of_ipv6_is_known(listening: socket.socket) -> None:
    with socket.socket(socket.AF_INET6) as connecting:
        connecting.connect(("::ffff:127.0.0.1", listening.getsockname()[1]))
        accepted, peer = listening.accept()
        with accepted:
            assert is_same_user(peer, accepted.getsockname())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_a_connection_of_another_user_is_not_ours(listening: socket.socket) -> None:
    os.seteuid(ANOTHER_UID)
    try:
        connected = socket.create_connection(listening.getsockname())
    finally:
        os.seteuid(0)
    with connected:
        assert not is_same_user(connected.getsockname(), listening.getsockname())


def test_an_address_without_a_connection_does_not_count(listening: socket.socket) -> None:
    assert not is_same_user(("127.0.0.1", 1), listening.getsockname())


def _connected(listening: socket.socket, port: int) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    client.bind(("127.0.0.1", port))
    client.connect(listening.getsockname())
    return client
