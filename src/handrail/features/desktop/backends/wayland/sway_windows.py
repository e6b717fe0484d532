"""Windows as sway tells them over its own socket: also where they are, which no Wayland protocol tells."""

import os
import socket
import struct
from collections.abc import Iterator
from typing import Any

import msgspec

from handrail.features.desktop.backends.compositor import TopWindow, TopWindows
from handrail.features.desktop.desktop_port import Rect, WindowChange
from handrail.ports.errors import Conflict, PermissionMissing, Timeout, Unsupported

_MAGIC = b"i3-ipc"
_HEADER = struct.Struct("=6sII")
_RUN_COMMAND, _GET_TREE = 0, 4
_ANSWER_SECONDS = 1.0


def socket_path() -> str | None:
    return os.environ.get("SWAYSOCK") or None


class SwayWindows(TopWindows):
    frames_are_relative = True

    def __init__(self, path: str) -> None:
        self._path = path

    def all(self) -> list[TopWindow]:
        return [_window(node) for node in self._views()]

    def shown(self) -> list[TopWindow]:
        return [_window(node) for node in self._views() if node.get("visible")]

    def read(self, window_id: int) -> TopWindow | None:
        node = self._node(window_id)
        return None if node is None else _window(node)

    def focused_window(self) -> int | None:
        return next((node["id"] for node in self._views() if node.get("focused")), None)

    def request_front(self, window_id: int) -> None:
        self._run(window_id, "focus")

    def is_on_top(self, window_id: int, x: int, y: int) -> bool:
        point = Rect(x, y, 1, 1)
        above = [one for one in self.shown() if one.frame is not None and one.frame.intersection(point)]
        return bool(above) and above[-1].id == window_id

    async def arrange(self, window_id: int, change: WindowChange) -> None:
        node = self._node(window_id) or {}
        is_floating = node.get("type") == "floating_con"
        if change.kind in ("move", "resize") and not is_floating:
            raise Conflict("The window is tiled: sway itself decides about its place and size.")
        if change.kind == "maximize":
            raise Unsupported("sway doesn't maximize windows.")
        rect, inner = node.get("rect", {}), node.get("window_rect", {})
        commands = {
            "close": "kill",
            "move": f"move absolute position {change.x - inner.get('x', 0)} px {change.y - inner.get('y', 0)} px",
            "resize": f"resize set {change.width + rect.get('width', 0) - inner.get('width', 0)} px "
            f"{change.height + rect.get('height', 0) - inner.get('height', 0)} px",
            "minimize": "move scratchpad",
            "restore": "scratchpad show" if not node.get("visible") else "fullscreen disable",
        }
        self._run(window_id, commands[change.kind])

    def _node(self, window_id: int) -> dict[str, Any] | None:
        return next((node for node in self._views() if node["id"] == window_id), None)

    def _views(self) -> list[dict[str, Any]]:
        """From the bottom to the top: tiled ones, then those that float, then those that fill the screen."""
        found = list(_views(self._ask(_GET_TREE)))
        return sorted(found, key=lambda node: (bool(node.get("fullscreen_mode")), node["type"] == "floating_con"))

    def _run(self, window_id: int, command: str) -> None:
        answers = self._ask(_RUN_COMMAND, f"[con_id={window_id}] {command}".encode())
        if failed := [one.get("error", "") for one in answers if not one.get("success")]:
            raise Conflict(f"sway refused: {failed[0]}")

    def _ask(self, kind: int, payload: bytes = b"") -> Any:
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as wire:
                wire.settimeout(_ANSWER_SECONDS)
                wire.connect(self._path)
                wire.sendall(_HEADER.pack(_MAGIC, len(payload), kind) + payload)
                _, length, _ = _HEADER.unpack(_received(wire, _HEADER.size))
                return msgspec.json.decode(_received(wire, length))
        except TimeoutError:
            raise Timeout("sway doesn't answer.", hint="If it was stopped, resume it; then try again.") from None
        except (OSError, EOFError) as broken:
            raise PermissionMissing(f"sway can't be reached: {broken}", hint="SWAYSOCK must belong to it.") from None


def _received(wire: socket.socket, length: int) -> bytes:
    content = bytearray()
    while len(content) < length:
        if not (part := wire.recv(length - len(content))):
            raise EOFError("it closed the connection")
        content += part
    return bytes(content)


def _views(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if node.get("pid"):
        yield node
    for child in [*node.get("nodes", ()), *node.get("floating_nodes", ())]:
        yield from _views(child)


def _window(node: dict[str, Any]) -> TopWindow:
    rect, inner = node["rect"], node["window_rect"]
    x11 = node.get("window_properties") or {}
    names = (node.get("app_id"), x11.get("instance"), x11.get("class"))
    return TopWindow(
        id=node["id"],
        pid=node["pid"],
        classes=tuple(name for name in names if name),
        title=node.get("name") or "",
        frame=Rect(rect["x"] + inner["x"], rect["y"] + inner["y"], inner["width"], inner["height"]),
    )
