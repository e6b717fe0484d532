"""A Wayland connection in plain Python.

libwayland waits for an answer for ever; here each wait ends, so that a stopped compositor stops nobody else.
"""

import array
import os
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from handrail.features.desktop.backends.wayland.protocols import EXT_DATA_CONTROL, INTERFACES, Interface
from handrail.ports.errors import PermissionMissing, Timeout

_ANSWER_SECONDS = 1.0
_HEADER = struct.Struct("=IHH")
_MOST_BYTES = 4096
_MOST_DESCRIPTORS = 28
_FIXED = 256
_DISPLAY_ID = 1


class Lost(PermissionMissing):
    """The compositor has closed the connection."""


class Proxy:
    """An object of the compositor. Handlers are called with an event's arguments."""

    def __init__(self, connection: "Connection", id: int, interface: Interface) -> None:
        self._connection = connection
        self.id = id
        self.interface = interface
        self.on: dict[str, Callable[..., object]] = {}

    def send(self, request: str, *arguments: Any) -> "Proxy":
        """The new object if the request makes one; otherwise this one."""
        return self._connection.request(self, request, arguments)

    def destroy(self) -> None:
        self.send("destroy")


class Connection:
    """Raises PermissionMissing where there is no compositor, Timeout where it doesn't answer."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(_ANSWER_SECONDS)
        try:
            self._socket.connect(path)
        except OSError as refused:
            self._socket.close()
            raise PermissionMissing(
                f"The Wayland compositor can't be reached: {refused.strerror or refused}",
                hint="Start in a graphical session; WAYLAND_DISPLAY and XDG_RUNTIME_DIR must belong to it.",
            ) from None
        self._received = b""
        self._descriptors: list[int] = []
        self._next_id = _DISPLAY_ID + 1
        self._display = Proxy(self, _DISPLAY_ID, INTERFACES["wl_display"])
        self._display.on = {"error": self._on_error, "delete_id": self._on_deleted}
        self._objects: dict[int, Proxy] = {_DISPLAY_ID: self._display}
        self.is_lost = False
        self.globals: dict[str, list[tuple[int, int]]] = {}
        """Names and versions by interface."""
        self._registry = self._display.send("get_registry")
        self._registry.on = {"global": self._on_global, "global_remove": self._on_global_removed}
        self.roundtrip()

    def fileno(self) -> int:
        return self._socket.fileno()

    def has(self, interface: str) -> bool:
        return bool(self.globals.get(interface))

    def bind(self, interface: str, version: int = 1, *, name: int | None = None, spelled: str | None = None) -> Proxy:
        """Up to this version. `spelled` is the interface's name on the wire, if it is another."""
        spelled = spelled or interface
        offered = self.globals.get(spelled)
        if not offered:
            raise PermissionMissing(f"This Wayland compositor has no {spelled}.")
        known, highest = next((one for one in offered if name in (None, one[0])), offered[0])
        made = self._new(INTERFACES[interface])
        bound = (known, spelled, min(version, highest), made.id)
        self._write(self._registry, 0, _spelled(("u", "s", "u", "n:"), bound))
        return made

    def bind_data_control(self) -> Proxy:
        spelled = EXT_DATA_CONTROL if self.has(EXT_DATA_CONTROL) else None
        return self.bind("zwlr_data_control_manager_v1", spelled=spelled)

    def request(self, proxy: Proxy, request: str, arguments: tuple[Any, ...]) -> Proxy:
        opcode, message = proxy.interface.opcode(request)
        made, given, sent, descriptors = proxy, iter(arguments), [], []
        for kind in message.arguments:
            if kind.startswith("n:"):
                made = self._new(INTERFACES[kind[2:]])
                sent.append(made.id)
            elif kind == "h":
                descriptors.append(next(given))
            else:
                value = next(given)
                sent.append(value.id if isinstance(value, Proxy) else value or 0 if kind == "o" else value)
        kinds = tuple(kind for kind in message.arguments if kind != "h")
        self._write(proxy, opcode, _spelled(kinds, tuple(sent)), descriptors)
        return made

    def roundtrip(self) -> None:
        """Until the compositor has handled all requests, and we all events that it sent before."""
        is_done: list[int] = []
        self._display.send("sync").on = {"done": is_done.append}
        self.wait(lambda: bool(is_done))

    def wait(self, is_done: Callable[[], bool], within: float = _ANSWER_SECONDS) -> None:
        deadline = time.monotonic() + within
        while not is_done():
            if (left := deadline - time.monotonic()) <= 0:
                raise _no_answer()
            self._socket.settimeout(left)
            self._receive()

    def dispatch(self) -> None:
        """What has arrived, without waiting."""
        self._socket.settimeout(0)
        with suppress(BlockingIOError, Lost):
            while True:
                self._receive()

    def close(self) -> None:
        self.is_lost = True
        self._socket.close()
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = []

    def _new(self, interface: Interface) -> Proxy:
        made = self._objects[self._next_id] = Proxy(self, self._next_id, interface)
        self._next_id += 1
        return made

    def _write(self, proxy: Proxy, opcode: int, payload: bytes, descriptors: list[int] | None = None) -> None:
        data = _HEADER.pack(proxy.id, opcode, _HEADER.size + len(payload)) + payload
        self._socket.settimeout(_ANSWER_SECONDS)
        try:
            if descriptors:
                socket.send_fds(self._socket, [data], descriptors)
            else:
                self._socket.sendall(data)
        except TimeoutError:
            raise _no_answer() from None
        except OSError as broken:
            self.is_lost = True
            raise Lost(str(broken)) from None

    def _receive(self) -> None:
        space = socket.CMSG_SPACE(_MOST_DESCRIPTORS * array.array("i").itemsize)
        try:
            data, extra, _, _ = self._socket.recvmsg(_MOST_BYTES, space, socket.MSG_CMSG_CLOEXEC)
        except TimeoutError:
            raise _no_answer() from None
        except BlockingIOError:
            raise
        except OSError as broken:
            self.is_lost = True
            raise Lost(str(broken)) from None
        for _, _, content in extra:
            found = array.array("i")
            found.frombytes(content[: len(content) - len(content) % found.itemsize])
            self._descriptors += found
        if not data:
            self.is_lost = True
            raise Lost("The Wayland compositor closed the connection.")
        self._received += data
        for id, opcode, payload in self._messages():
            self._handle(id, opcode, payload)

    def _messages(self) -> Iterator[tuple[int, int, bytes]]:
        while len(self._received) >= _HEADER.size:
            id, opcode, size = _HEADER.unpack_from(self._received)
            if len(self._received) < size:
                return
            payload, self._received = self._received[_HEADER.size : size], self._received[size:]
            yield id, opcode, payload

    def _handle(self, id: int, opcode: int, payload: bytes) -> None:
        proxy = self._objects.get(id)
        if proxy is None or opcode >= len(proxy.interface.events):
            return
        event = proxy.interface.events[opcode]
        arguments: list[Any] = []
        at = 0
        for kind in event.arguments:
            if kind == "h":
                arguments.append(self._descriptors.pop(0))
            elif kind in "sa":
                (length,) = struct.unpack_from("=I", payload, at)
                content = payload[at + 4 : at + 4 + length]
                arguments.append(content if kind == "a" else content[:-1].decode("utf-8", "replace"))
                at += 4 + (length + 3) // 4 * 4
            else:
                (value,) = struct.unpack_from("=i" if kind in "if" else "=I", payload, at)
                at += 4
                if kind.startswith("n:"):
                    self._objects[value] = Proxy(self, value, INTERFACES[kind[2:]])
                    value = self._objects[value]
                arguments.append(value / _FIXED if kind == "f" else value)
        if (handler := proxy.on.get(event.name)) is not None:
            handler(*arguments)
        elif "h" in event.arguments:
            os.close(arguments[event.arguments.index("h")])

    def object(self, id: int) -> Proxy | None:
        return self._objects.get(id)

    def _on_error(self, id: int, code: int, message: str) -> None:
        self.is_lost = True
        raise Lost(f"The Wayland compositor refused a request: {message} ({id}, {code})")

    def _on_deleted(self, id: int) -> None:
        self._objects.pop(id, None)

    def _on_global(self, name: int, interface: str, version: int) -> None:
        self.globals.setdefault(interface, []).append((name, version))

    def _on_global_removed(self, name: int) -> None:
        for offered in self.globals.values():
            offered[:] = [one for one in offered if one[0] != name]


def _spelled(kinds: tuple[str, ...], values: tuple[Any, ...]) -> bytes:
    parts = []
    for kind, value in zip(kinds, values, strict=True):
        if kind == "s":
            content = value.encode() + b"\0"
            parts.append(struct.pack("=I", len(content)) + content + bytes(-len(content) % 4))
        elif kind == "f":
            parts.append(struct.pack("=i", round(value * _FIXED)))
        else:
            parts.append(struct.pack("=i" if kind == "i" else "=I", value))
    return b"".join(parts)


def _no_answer() -> Timeout:
    return Timeout("The Wayland compositor doesn't answer.", hint="If it was stopped, resume it; then try again.")
