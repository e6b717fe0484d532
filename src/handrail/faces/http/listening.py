"""The socket that the server listens on: this machine's own, and nobody else's."""

import errno
import socket

from handrail.ports.errors import Conflict, InputOutput, Unsupported

_BACKLOG = 512
_ADDRESSES = {
    "127.0.0.1": (socket.AF_INET, "127.0.0.1"),
    "localhost": (socket.AF_INET, "127.0.0.1"),
    "::1": (socket.AF_INET6, "::1"),
    "[::1]": (socket.AF_INET6, "::1"),
}


def listen(host: str, port: int) -> socket.socket:
    """Port 0 takes a free one."""
    if host not in _ADDRESSES:
        raise Unsupported(
            f"handrail does not listen on {host}: whoever reaches it can act on this machine.",
            hint="Use --host 127.0.0.1 (or ::1); from elsewhere, come through an SSH tunnel.",
        )
    family, address = _ADDRESSES[host]
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


def url(host: str, port: int) -> str:
    return f"http://[{host.strip('[]')}]:{port}" if ":" in host else f"http://{host}:{port}"
