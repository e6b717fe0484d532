"""Windows as sway reports them on its own socket, including their places, which no Wayland protocol reports."""

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
_SCRATCHPAD = "__i3_scratch"
"""The hidden workspace of minimized windows."""


def socket_path() -> str | None:
    return os.environ.get("SWAYSOCK") or None


class SwayWindows(TopWindows):
    frames_are_relative = True

    def __init__(self, path: str) -> None:
        self._path = path

    def all(self) -> list[TopWindow]:
        return [_window(node) for node in self._window_nodes()]

    def shown(self) -> list[TopWindow]:
        return [_window(node) for node in self._window_nodes() if node.get("visible")]

    def read(self, window_id: int) -> TopWindow | None:
        node = self._node(window_id)
        return None if node is None else _window(node)

    def focused_window(self) -> int | None:
        return next((node["id"] for node in self._window_nodes() if node.get("focused")), None)

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
            raise Conflict("The window is tiled, so sway controls its place and size.")
        if change.kind == "maximize":
            raise Unsupported("sway doesn't maximize windows.")
        rect, content = node.get("rect", {}), node.get("window_rect", {})
        title_height = node.get("deco_rect", {}).get("height", 0)  # sway counts the title as part of the window
        left, top = change.x - content.get("x", 0), change.y - content.get("y", 0) - title_height
        commands = {
            "close": "kill",
            "move": f"move absolute position {left} px {top} px",
            "resize": f"resize set {change.width + rect.get('width', 0) - content.get('width', 0)} px "
            f"{change.height + rect.get('height', 0) - content.get('height', 0) + title_height} px",
            "minimize": "move scratchpad",
            "restore": "scratchpad show" if not node.get("visible") else "fullscreen disable",
        }
        self._run(window_id, commands[change.kind])

    def _node(self, window_id: int) -> dict[str, Any] | None:
        return next((node for node in self._window_nodes() if node["id"] == window_id), None)

    def _window_nodes(self) -> list[dict[str, Any]]:
        """Lists windows from the bottom to the top: tiled, then floating, then fullscreen ones."""
        nodes = list(_window_nodes(self._ask(_GET_TREE)))
        return sorted(nodes, key=lambda node: (bool(node.get("fullscreen_mode")), node["type"] == "floating_con"))

    def _run(self, window_id: int, command: str) -> None:
        answers = self._ask(_RUN_COMMAND, f"[con_id={window_id}] {command}".encode())
        if failed := [one.get("error", "") for one in answers if not one.get("success")]:
            raise Conflict(f"sway refused: {failed[0]}")

    def _ask(self, kind: int, payload: bytes = b"") -> Any:
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
                sock.settimeout(_ANSWER_SECONDS)
                sock.connect(self._path)
                sock.sendall(_HEADER.pack(_MAGIC, len(payload), kind) + payload)
                _, length, _ = _HEADER.unpack(_receive(sock, _HEADER.size))
                return msgspec.json.decode(_receive(sock, length))
        except TimeoutError:
            raise Timeout("sway doesn't answer.", hint="If it was stopped, resume it; then try again.") from None
        except (OSError, EOFError) as error:
            raise PermissionMissing(f"sway can't be reached: {error}", hint="SWAYSOCK must belong to it.") from None


def _receive(sock: socket.socket, length: int) -> bytes:
    content = bytearray()
    while len(content) < length:
        if not (part := sock.recv(length - len(content))):
            raise EOFError("it closed the connection")
        content += part
    return bytes(content)


def _window_nodes(node: dict[str, Any], *, is_hidden: bool = False) -> Iterator[dict[str, Any]]:
    if node.get("pid"):
        yield {**node, "is_minimized": is_hidden and not node.get("visible")}
    for child in [*node.get("nodes", ()), *node.get("floating_nodes", ())]:
        yield from _window_nodes(child, is_hidden=is_hidden or node.get("name") == _SCRATCHPAD)


def _window(node: dict[str, Any]) -> TopWindow:
    rect, content = node["rect"], node["window_rect"]
    x11 = node.get("window_properties") or {}
    names = (node.get("app_id"), x11.get("instance"), x11.get("class"))
    return TopWindow(
        id=node["id"],
        pid=node["pid"],
        classes=tuple(name for name in names if name),
        title=node.get("name") or "",
        frame=Rect(rect["x"] + content["x"], rect["y"] + content["y"], content["width"], content["height"]),
        is_minimized=node["is_minimized"],
    )
