"""A Wayland desktop for tests: sway without a screen, the same buses, and programs on it.

`python -m tests.sway_session -- COMMAND …` runs a command on it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from handrail.features.desktop.desktop_port import Rect
from tests.desktop_session import SIZE, DesktopSession, run_on
from tests.features.desktop.conformance import png

CONFIG = """
output HEADLESS-1 resolution {width}x{height} position 0 0 bg #203040 solid_color
default_border normal
for_window [title=".*"] floating enable, focus
focus_on_window_activation focus
focus_follows_mouse no
seat seat0 fallback true
"""
NOBODY = 1000
"""sway doesn't run as root."""


class SwayEyes:
    """What swaymsg and grim report."""

    def __init__(self, env: dict[str, str]) -> None:
        self._env = env

    def close(self) -> None:
        pass

    def windows_of(self, pids: set[int]) -> list[int]:
        return [node["id"] for node in self._views() if node["pid"] in pids]

    def frame_of(self, window: int) -> Rect:
        """Returns the window's frame without its decoration."""
        node = self._view(window)
        rect, inner = node["rect"], node["window_rect"]
        return Rect(rect["x"] + inner["x"], rect["y"] + inner["y"], inner["width"], inner["height"])

    def classes_of(self, window: int) -> set[str]:
        return {self._view(window)["app_id"]} - {None}

    def move(self, window: int, x: int, y: int) -> None:
        inner = self._view(window)["window_rect"]
        self.message(f"[con_id={window}] move absolute position {x - inner['x']} px {y - inner['y']} px")

    def pixels(self, area: Rect) -> bytes:
        """Returns red, green, blue of every pixel, row by row."""
        command = ["grim", "-g", f"{area.x},{area.y} {area.width}x{area.height}", "-"]
        return png.pixels(subprocess.run(command, env=self._env, stdout=subprocess.PIPE, check=True).stdout)

    def has_pressed_keys(self) -> bool:
        """Wayland has no request for that; tests check what the programs received instead."""
        return False

    def message(self, *command: str) -> Any:
        output = subprocess.run(["swaymsg", *command], env=self._env, stdout=subprocess.PIPE, check=True)
        return json.loads(output.stdout or b"null") if "-t" in command else None

    def _views(self) -> list[dict[str, Any]]:
        matches, queue = [], [self.message("-t", "get_tree")]
        while queue:
            node = queue.pop()
            queue += [*node.get("nodes", ()), *node.get("floating_nodes", ())]
            if node.get("pid"):
                matches.append(node)
        return matches

    def _view(self, window: int) -> dict[str, Any]:
        return next(node for node in self._views() if node["id"] == window)


class SwaySession(DesktopSession):
    def __init__(self, size: tuple[int, int] = SIZE, outputs: int = 1) -> None:
        self._outputs = outputs
        super().__init__(size)

    def _open_display(self) -> None:
        width, height = self._size
        self._env |= {"XDG_SESSION_TYPE": "wayland", "GDK_BACKEND": "wayland", "QT_QPA_PLATFORM": "wayland"}
        runtime = Path(self._env["XDG_RUNTIME_DIR"])
        own = self._folder / "sway"
        own.mkdir(mode=0o700)
        config = own / "config"
        config.write_text(CONFIG.format(width=width, height=height))
        env = {
            **self._env,
            "XDG_RUNTIME_DIR": str(own),
            "WLR_BACKENDS": "headless",
            "WLR_RENDERER": "pixman",
            "WLR_LIBINPUT_NO_DEVICES": "1",
            "WLR_HEADLESS_OUTPUTS": str(self._outputs),
            "SWAYSOCK": str(own / "ipc"),
        }
        command = ["sway", "--config", str(config)]
        if os.getuid() == 0:
            for path in (own, config):
                os.chown(path, NOBODY, NOBODY)
            self._folder.chmod(0o711)
            command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *command]
        self.display_server = self._launch(command, env)

        def sockets() -> list[Path]:
            return [path for path in own.glob("wayland-*") if path.suffix != ".lock" and (own / "ipc").exists()]

        socket = self._wait(sockets, "no compositor", 20, self.display_server)[0]
        (runtime / "wayland-0").symlink_to(socket)
        self._env |= {"WAYLAND_DISPLAY": "wayland-0", "SWAYSOCK": str(own / "ipc")}
        self.eyes = SwayEyes(self._env)


if __name__ == "__main__":
    sys.exit(run_on(SwaySession()))
