"""A Wayland connection in plain Python.

libwayland waits for answers forever. Here every wait has a timeout, so that a stopped compositor blocks nothing else.
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
_MAX_BYTES = 4096
_MAX_DESCRIPTORS = 28
_FIXED_POINT_ONE = 256
_DISPLAY_ID = 1


class Lost(PermissionMissing):
    """The compositor has closed the connection."""


class Proxy:
    """An object of the compositor. The handlers in `on` are called with an event's arguments."""

    def __init__(self, connection: "Connection", id: int, interface: Interface) -> None:
        self._connection = connection
        self.id = id
        self.interface = interface
        self.on: dict[str, Callable[..., object]] = {}

    def send(self, request: str, *arguments: Any) -> "Proxy":
        """Sends a request. Returns the new object if it creates one; otherwise this one."""
        return self._connection.request(self, request, arguments)

    def destroy(self) -> None:
        self.send("destroy")


class Connection:
    """PermissionMissing if there is no compositor; Timeout if it doesn't respond."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(_ANSWER_SECONDS)
        try:
            self._socket.connect(path)
        except OSError as error:
            self._socket.close()
            raise PermissionMissing(
                f"The Wayland compositor can't be reached: {error.strerror or error}",
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

    def bind(self, interface: str, version: int = 1, *, name: int | None = None, wire_name: str | None = None) -> Proxy:
        """Binds a global, in this version or an older one. `wire_name` is set if its name on the wire differs."""
        wire_name = wire_name or interface
        offered = self.globals.get(wire_name)
        if not offered:
            raise PermissionMissing(f"This Wayland compositor has no {wire_name}.")
        global_name, highest = next((one for one in offered if name in (None, one[0])), offered[0])
        new_object = self._new(INTERFACES[interface])
        bound = (global_name, wire_name, min(version, highest), new_object.id)
        self._write(self._registry, 0, _encode(("u", "s", "u", "n:"), bound))
        return new_object

    def bind_data_control(self) -> Proxy:
        wire_name = EXT_DATA_CONTROL if self.has(EXT_DATA_CONTROL) else None
        return self.bind("zwlr_data_control_manager_v1", wire_name=wire_name)

    def request(self, proxy: Proxy, request: str, arguments: tuple[Any, ...]) -> Proxy:
        opcode, message = proxy.interface.opcode(request)
        new_object, remaining, values, descriptors = proxy, iter(arguments), [], []
        for kind in message.arguments:
            if kind.startswith("n:"):
                new_object = self._new(INTERFACES[kind[2:]])
                values.append(new_object.id)
            elif kind == "h":
                descriptors.append(next(remaining))
            else:
                value = next(remaining)
                values.append(value.id if isinstance(value, Proxy) else value or 0 if kind == "o" else value)
        kinds = tuple(kind for kind in message.arguments if kind != "h")
        self._write(proxy, opcode, _encode(kinds, tuple(values)), descriptors)
        return new_object

    def roundtrip(self) -> None:
        """Waits until the compositor has handled all requests, and handles the events that it has sent."""
        is_done: list[int] = []
        self._display.send("sync").on = {"done": is_done.append}
        self.wait(lambda: bool(is_done))

    def wait(self, is_done: Callable[[], bool], within: float = _ANSWER_SECONDS) -> None:
        deadline = time.monotonic() + within
        while not is_done():
            if (remaining_seconds := deadline - time.monotonic()) <= 0:
                raise _no_answer()
            self._socket.settimeout(remaining_seconds)
            self._receive()

    def dispatch(self) -> None:
        """Handles what has arrived, without waiting."""
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
        new_object = self._objects[self._next_id] = Proxy(self, self._next_id, interface)
        self._next_id += 1
        return new_object

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
        except OSError as error:
            self.is_lost = True
            raise Lost(str(error)) from None

    def _receive(self) -> None:
        space = socket.CMSG_SPACE(_MAX_DESCRIPTORS * array.array("i").itemsize)
        try:
            data, extra, _, _ = self._socket.recvmsg(_MAX_BYTES, space, socket.MSG_CMSG_CLOEXEC)
        except TimeoutError:
            raise _no_answer() from None
        except BlockingIOError:
            raise
        except OSError as error:
            self.is_lost = True
            raise Lost(str(error)) from None
        for _, _, content in extra:
            descriptors = array.array("i")
            descriptors.frombytes(content[: len(content) - len(content) % descriptors.itemsize])
            self._descriptors += descriptors
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
        offset = 0
        for kind in event.arguments:
            if kind == "h":
                arguments.append(self._descriptors.pop(0))
            elif kind in "sa":
                (length,) = struct.unpack_from("=I", payload, offset)
                content = payload[offset + 4 : offset + 4 + length]
                arguments.append(content if kind == "a" else content[:-1].decode("utf-8", "replace"))
                offset += 4 + (length + 3) // 4 * 4
            else:
                (value,) = struct.unpack_from("=i" if kind in "if" else "=I", payload, offset)
                offset += 4
                if kind.startswith("n:"):
                    self._objects[value] = Proxy(self, value, INTERFACES[kind[2:]])
                    value = self._objects[value]
                arguments.append(value / _FIXED_POINT_ONE if kind == "f" else value)
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


def _encode(kinds: tuple[str, ...], values: tuple[Any, ...]) -> bytes:
    parts = []
    for kind, value in zip(kinds, values, strict=True):
        if kind == "s":
            content = value.encode() + b"\0"
            parts.append(struct.pack("=I", len(content)) + content + bytes(-len(content) % 4))
        elif kind == "f":
            parts.append(struct.pack("=i", round(value * _FIXED_POINT_ONE)))
        else:
            parts.append(struct.pack("=i" if kind == "i" else "=I", value))
    return b"".join(parts)


def _no_answer() -> Timeout:
    return Timeout("The Wayland compositor doesn't answer.", hint="If it was stopped, resume it; then try again.")
