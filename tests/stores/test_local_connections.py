"""Which process is at the other end of a TCP connection on this machine, with real sockets."""

import os
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from handrail.stores.local.peers import local_connections
from handrail.stores.local.peers.local_connections import client_at
from handrail.stores.local.peers.socket_diag import Address


@contextmanager
def connected(family: socket.AddressFamily, to: str, listening: str) -> Iterator[tuple[Address, Address]]:
    """The ends of a connection as the server sees them."""
    with socket.socket(socket.AF_INET6 if ":" in listening else socket.AF_INET) as server, socket.socket(family) as end:
        server.bind((listening, 0))
        server.listen()
        end.connect((to, server.getsockname()[1]))
        with closing(server.accept()[0]) as accepted:
            yield accepted.getpeername()[:2], accepted.getsockname()[:2]


@pytest.mark.parametrize(
    ("family", "to", "listening"),
    [
        (socket.AF_INET, "127.0.0.1", "127.0.0.1"),
        (socket.AF_INET6, "::1", "::1"),
        (socket.AF_INET6, "::ffff:127.0.0.1", "127.0.0.1"),
    ],
)
@pytest.mark.parametrize("has_netlink", [True, False])
def test_the_client_of_a_connection_is_found_by_its_addresses(
    family: socket.AddressFamily, to: str, listening: str, has_netlink: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_netlink:

        def refuse(*ends: Address) -> int | None:
            raise OSError

        monkeypatch.setattr(local_connections, "inode_of", refuse)
    with connected(family, to, listening) as (client, server):
        assert client_at(client, server, []) == os.getpid()
        assert client_at(client, server, [1, os.getpid()]) == os.getpid()
        assert client_at((client[0], 1), server, [os.getpid()]) is None
