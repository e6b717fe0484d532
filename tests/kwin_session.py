"""A desktop for tests with KWin on Wayland, without a screen.

`python -m tests.kwin_session -- COMMAND …` runs a command on it.
"""

import re
import shutil
import subprocess
import sys

from handrail.features.desktop.desktop_port import Rect
from tests.desktop_session import DesktopSession, run_on

_UUID = re.compile(r"\{[0-9a-f-]{36}\}")


class KWinSession(DesktopSession):
    def _open(self) -> None:
        self._start_session_bus()
        self._open_display()
        self._start_accessibility_bus()

    def _open_display(self) -> None:
        width, height = self._size
        environment = dict(self._env)
        del environment["QT_QPA_PLATFORM"]
        self._env |= {"XDG_SESSION_TYPE": "wayland", "GDK_BACKEND": "wayland", "QT_QPA_PLATFORM": "wayland"}
        # Debian's file has a capability with which it can't be started in a container; a copy has none.
        program = self._folder / "kwin_wayland"
        shutil.copy("/usr/bin/kwin_wayland", program)
        command = [str(program), "--virtual", "--no-lockscreen", "--socket", "wayland-0"]
        self.display_server = self._launch([*command, "--width", str(width), "--height", str(height)], environment)
        self._env["WAYLAND_DISPLAY"] = "wayland-0"

        def answers() -> bool:
            return bool(self._ask_kwin("/KWin", "org.kde.KWin.currentDesktop"))

        self._wait(answers, "no compositor", 40, self.display_server)

    def uuids(self, title: str) -> list[str]:
        """Returns the windows that KWin's own search finds."""
        return _UUID.findall(self._ask_kwin("/WindowsRunner", "org.kde.krunner1.Match", f"string:{title}"))

    def outer_frame(self, uuid: str) -> Rect:
        """Returns a window's frame with its decoration."""
        answer = self._ask_kwin("/KWin", "org.kde.KWin.getWindowInfo", f"string:{uuid}")
        numbers = dict(re.findall(r'string "(x|y|width|height)"\s+variant\s+double (\S+)', answer))
        return Rect(*(int(float(numbers[name])) for name in ("x", "y", "width", "height")))

    def _ask_kwin(self, path: str, method: str, *arguments: str) -> str:
        bus = f"--bus={self._env['DBUS_SESSION_BUS_ADDRESS']}"
        command = ["dbus-send", bus, "--print-reply", "--dest=org.kde.KWin", path, method, *arguments]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


if __name__ == "__main__":
    sys.exit(run_on(KWinSession()))
