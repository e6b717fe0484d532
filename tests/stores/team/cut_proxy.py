"""A connection to PostgreSQL that is cut after the server has carried out a command and before it can answer."""

import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit, urlunsplit

_READY = b"Z\x00\x00\x00\x05"


class CutProxy:
    """`url` is the same database through the proxy. `arm` cuts the next connection that sends these bytes, once."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._upstream = (parts.hostname or "127.0.0.1", parts.port or 5432)
        self._listener = socket.create_server(("127.0.0.1", 0))
        credentials = parts.netloc.rpartition("@")[0]
        place = f"{credentials}@127.0.0.1:{self._listener.getsockname()[1]}"
        self.url = urlunsplit(parts._replace(netloc=place))
        self._trigger: bytes | None = None
        self.was_cut = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self, trigger: bytes) -> None:
        self._trigger = trigger

    def close(self) -> None:
        """Accepts no new connections and keeps the existing ones."""
        _shut(self._listener)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._upstream)
                is_over = threading.Event()
                for pump in (self._to_server, self._to_client):
                    threading.Thread(target=pump, args=(client, server, is_over), daemon=True).start()

    def _to_server(self, client: socket.socket, server: socket.socket, is_over: threading.Event) -> None:
        with suppress(OSError):
            while data := client.recv(65536):
                if self._trigger is not None and self._trigger in data:
                    self._trigger = None
                    is_over.set()
                server.sendall(data)
        _shut(server)

    def _to_client(self, client: socket.socket, server: socket.socket, is_over: threading.Event) -> None:
        with suppress(OSError):
            while data := server.recv(65536):
                if not is_over.is_set():
                    client.sendall(data)
                elif _READY in data:  # the server has carried it out
                    self.was_cut.set()
                    break
        for each in (client, server):
            _shut(each)


def _shut(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
