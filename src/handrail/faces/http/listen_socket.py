"""Opens the sockets that the server listens on, by default on this machine's loopback addresses only."""

import errno
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

from handrail.ports.errors import Conflict, InputOutput, Unsupported

_BACKLOG = 512
_TRIES = 20
"""How often a port that was picked for one loopback address may be taken on the other one."""
_ADDRESSES = {
    "127.0.0.1": (socket.AF_INET, "127.0.0.1"),
    "localhost": (socket.AF_INET, "127.0.0.1"),
    "::1": (socket.AF_INET6, "::1"),
    "[::1]": (socket.AF_INET6, "::1"),
}


def listen(host: str, port: int, *, is_for_all: bool = False) -> socket.socket:
    """Port 0 picks a free one. `is_for_all` also accepts other machines."""
    if host not in _ADDRESSES and not is_for_all:
        raise Unsupported(
            f"handrail doesn't listen on {host}: anyone who can reach it could act on this machine.",
            hint="Use --host 127.0.0.1 (or ::1); from another machine, use an SSH tunnel.",
        )
    other_family = socket.AF_INET6 if ":" in host else socket.AF_INET
    family, address = _ADDRESSES.get(host, (other_family, host.strip("[]")))
    listener: socket.socket | None = None
    try:
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(_BACKLOG)  # two sockets can bind the same port, but only one can listen
    except OSError as refusal:
        if listener is not None:
            listener.close()
        if refusal.errno == errno.EADDRINUSE:
            raise Conflict(
                f"Port {port} is in use by another program.", hint="Choose another with --port; 0 picks a free one."
            ) from None
        raise InputOutput(f"Can't listen on {host} port {port}: {refusal.strerror}.") from None
    return listener


@contextmanager
def open_listeners(
    host: str, port: int, *, allow_other_port: bool = False, is_for_all: bool = False
) -> Iterator[list[socket.socket]]:
    """The listening sockets, closed when left; the first is the one for `host`.

    With `allow_other_port`, another port is picked if this one is in use.
    """
    with ExitStack() as opened:
        try:
            listeners = _listen_on_both(host, port, is_for_all=is_for_all)
        except Conflict:
            if not allow_other_port:
                raise
            listeners = _listen_on_both(host, 0)
        for listener in listeners:
            opened.enter_context(closing(listener))
        yield listeners


def _listen_on_both(host: str, port: int, *, is_for_all: bool = False) -> list[socket.socket]:
    """A picked port is free on both loopback addresses."""
    tries = 1 if port else _TRIES
    while True:
        first, tries = listen(host, port, is_for_all=is_for_all), tries - 1
        try:
            sibling = _listen_on_other_loopback(first) if host in _ADDRESSES else None
            return [first] if sibling is None else [first, sibling]
        except Conflict:
            first.close()
            if not tries:
                raise


def _listen_on_other_loopback(listener: socket.socket) -> socket.socket | None:
    """The same port on the other loopback address. None if this machine has no such address.

    Conflict if another program listens there: browsers and agents that open `localhost` could reach it instead of
    handrail, and would give it sign-in codes, tokens and the page's secret.
    """
    is_first = listener.family == socket.AF_INET
    family, address = (socket.AF_INET6, "::1") if is_first else (socket.AF_INET, "127.0.0.1")
    port = listener.getsockname()[1]
    sibling: socket.socket | None = None
    try:
        sibling = socket.socket(family, socket.SOCK_STREAM)
        sibling.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sibling.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sibling.bind((address, port))
        sibling.listen(_BACKLOG)
    except OSError as refusal:
        if sibling is not None:
            sibling.close()
        if refusal.errno == errno.EADDRINUSE:
            raise Conflict(
                f"Another program listens on {address} port {port}, which `localhost` also means.",
                hint="Stop it, or choose another port with --port; 0 picks a free one.",
            ) from None
        return None
    return sibling


def url(host: str, port: int) -> str:
    return f"http://[{host.strip('[]')}]:{port}" if ":" in host else f"http://{host}:{port}"
