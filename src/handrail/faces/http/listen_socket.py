"""The socket that the server listens on: this machine's own, and nobody else's."""

import errno
import logging
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager

from handrail.ports.errors import Conflict, InputOutput, Unsupported

_BACKLOG = 512
logger = logging.getLogger(__name__)
_ADDRESSES = {
    "127.0.0.1": (socket.AF_INET, "127.0.0.1"),
    "localhost": (socket.AF_INET, "127.0.0.1"),
    "::1": (socket.AF_INET6, "::1"),
    "[::1]": (socket.AF_INET6, "::1"),
}


def listen(host: str, port: int, *, is_for_all: bool = False) -> socket.socket:
    """Port 0 takes a free one. `is_for_all`: other machines may come, too."""
    if host not in _ADDRESSES and not is_for_all:
        raise Unsupported(
            f"handrail does not listen on {host}: whoever reaches it can act on this machine.",
            hint="Use --host 127.0.0.1 (or ::1); from elsewhere, come through an SSH tunnel.",
        )
    other = socket.AF_INET6 if ":" in host else socket.AF_INET
    family, address = _ADDRESSES.get(host, (other, host.strip("[]")))
    listener: socket.socket | None = None
    try:
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(_BACKLOG)  # two can bind the same port, only one can listen
    except OSError as refusal:
        if listener is not None:
            listener.close()
        if refusal.errno == errno.EADDRINUSE:
            raise Conflict(
                f"Port {port} is in use by another program.", hint="Choose another with --port; 0 takes a free one."
            ) from None
        raise InputOutput(f"Can't listen on {host} port {port}: {refusal.strerror}.") from None
    return listener


@contextmanager
def listening(
    host: str, port: int, *, is_any_right: bool = False, is_for_all: bool = False
) -> Iterator[list[socket.socket]]:
    """While inside, these take connections; the first is the one that was asked for.

    With `is_any_right` it has another port where that one is taken.
    """
    try:
        listener = listen(host, port, is_for_all=is_for_all)
    except Conflict:
        if not is_any_right:
            raise
        listener = listen(host, 0)
    with closing(listener) as first:
        beside = _listen_beside(first) if host in _ADDRESSES else None
        if beside is None:
            yield [first]
            return
        with closing(beside):
            yield [first, beside]


def _listen_beside(listener: socket.socket) -> socket.socket | None:
    """The same port on the other loopback address: `localhost` means both, and to a browser they are one origin.

    None where this machine has no such address, or another program is there already.
    """
    is_first = listener.family == socket.AF_INET
    family, address = (socket.AF_INET6, "::1") if is_first else (socket.AF_INET, "127.0.0.1")
    beside: socket.socket | None = None
    try:
        beside = socket.socket(family, socket.SOCK_STREAM)
        beside.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            beside.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        beside.bind((address, listener.getsockname()[1]))
        beside.listen(_BACKLOG)
    except OSError as refusal:
        if beside is not None:
            beside.close()
        if refusal.errno == errno.EADDRINUSE:
            port = listener.getsockname()[1]
            logger.warning("another program listens on %s port %s: don't open the console as localhost", address, port)
        return None
    return beside


def url(host: str, port: int) -> str:
    return f"http://[{host.strip('[]')}]:{port}" if ":" in host else f"http://{host}:{port}"
