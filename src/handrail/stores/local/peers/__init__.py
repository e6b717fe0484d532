"""Identifies the peer process of a Unix socket."""

import socket
import sys

from handrail.ports.peers import PeerProcess


def identify(connection: socket.socket) -> PeerProcess:
    if sys.platform == "darwin":
        from handrail.stores.local.peers.macos import MacCaller

        return MacCaller.of(connection)
    from handrail.stores.local.peers.linux import LinuxCaller

    return LinuxCaller.of(connection)
