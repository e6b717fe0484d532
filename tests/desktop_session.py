"""A desktop for tests: X server, D-Bus, accessibility bus, window manager, and the programs started on it.

`python -m tests.desktop_session -- COMMAND …` runs a command on such a desktop; without one it prints the environment
and keeps the desktop until it is interrupted. What is tested is never asked whether it
works.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from tests import desktop_environment, desktop_keeper
from tests.desktop_eyes import BusEyes, Eyes, X11Eyes
from tests.waiting import until

SIZE = (1920, 1080)
Sign = Literal["accessible", "window", "nothing"]
T = TypeVar("T")


class NotReady(Exception):
    """Something didn't happen before the timeout."""


@dataclass(frozen=True)
class App:
    """A started program. `pid` is the process that was started; the accessible process may be a descendant."""

    name: str
    pid: int
    log: Path

    @property
    def said(self) -> str:
        return self.log.read_text(errors="replace")

    @property
    def pids(self) -> set[int]:
        return {self.pid} | desktop_keeper.below({self.pid})

    @property
    def is_running(self) -> bool:
        return bool(desktop_keeper.living({self.pid}))


class DesktopSession:
    def __init__(self, size: tuple[int, int] = SIZE) -> None:
        self._size = size
        self._folder = Path(tempfile.mkdtemp(prefix="handrail-desktop-"))
        self._keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", desktop_keeper.__file__, str(self._folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._started = 0
        self._env = desktop_environment.make(self._folder)
        self._bus = BusEyes(self._env["DBUS_SESSION_BUS_ADDRESS"])

    def __enter__(self) -> Self:
        try:
            self._open()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    @property
    def env(self) -> dict[str, str]:
        """The complete environment of a program on this desktop."""
        return dict(self._env)

    @property
    def folder(self) -> Path:
        """Removed at the end of the session."""
        return self._folder

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Puts this process itself on the desktop within the context."""
        before = dict(os.environ)
        os.environ.update(self._env)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)

    def start(
        self,
        argv: Sequence[str],
        *,
        wait_for: Sign = "accessible",
        env: Mapping[str, str] | None = None,
        within: float = 40,
    ) -> App:
        """Starts a program and returns when its first window is mapped and, unless told otherwise, can be read."""
        app = self._launch(argv, {**self._env, **(env or {})})
        if wait_for != "nothing":
            self._wait(lambda: self.windows_of(app), f"no window of {app.name}", within, app)
        if wait_for == "accessible":
            self._wait(lambda: self._bus.names_of(app.pids), f"{app.name} is not on the accessibility bus", within, app)
        return app

    def end(self, app: App) -> None:
        """Ends a program and its descendants."""
        self._order({"end": app.pid})

    def windows_of(self, app: App) -> list[int]:
        return self.eyes.windows_of(app.pids)

    def restart_accessibility_bus(self) -> None:
        """Like after a crash: all connections are lost, and a new bus has another address."""
        self.end(self._launcher)
        self._start_accessibility_bus()

    def close(self) -> None:
        if hasattr(self, "eyes"):
            self.eyes.close()
        assert self._keeper.stdin is not None
        assert self._keeper.stdout is not None
        self._keeper.stdin.close()
        self._keeper.wait()
        self._keeper.stdout.close()

    def _open(self) -> None:
        self._open_display()
        daemon = self._start_session_bus()
        self._start_accessibility_bus()
        self._wait(self._is_managed, "no window manager", 20, daemon)

    def _start_session_bus(self) -> App:
        bus = self._env["DBUS_SESSION_BUS_ADDRESS"]
        daemon = self._launch(["dbus-daemon", "--session", "--nofork", f"--address={bus}", "--print-address=1"])
        self._wait(lambda: "unix:" in daemon.said, "no session bus", 20, daemon)
        return daemon

    def _open_display(self) -> None:
        width, height = self._size
        # The server picks a free number and reports it when it listens.
        self.display_server = server = self._launch(
            ["Xvfb", "-displayfd", "1", "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp", "-noreset"]
        )
        number = self._wait(lambda: _first_number(server.said), "no X server", 20, server)
        self._env["DISPLAY"] = f":{number}"
        self.eyes: Eyes = X11Eyes(self._env["DISPLAY"])
        self._launch(["openbox", "--sm-disable"])

    def _is_managed(self) -> bool:
        return not isinstance(self.eyes, X11Eyes) or self.eyes.has_window_manager()

    def _start_accessibility_bus(self) -> None:
        self._launcher = self._launch(["/usr/libexec/at-spi-bus-launcher", "--launch-immediately", "--a11y=1"])
        self._wait(self._bus.find_bus, "no accessibility bus", 20, self._launcher)

    def _launch(self, argv: Sequence[str], env: Mapping[str, str] | None = None) -> App:
        self._started += 1
        name = Path(argv[0]).name
        log = self._folder / "logs" / f"{self._started}-{name}"
        home = str(self._folder / "home")
        answer = self._order({"argv": list(argv), "env": dict(env or self._env), "cwd": home, "log": str(log)})
        return App(name, int(answer["pid"]), log)

    def _order(self, order: Mapping[str, object]) -> dict[str, Any]:
        assert self._keeper.stdin is not None
        assert self._keeper.stdout is not None
        print(json.dumps(order), file=self._keeper.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self._keeper.stdout.readline())
        if "error" in answer:
            raise NotReady(answer["error"])
        return answer

    def _wait(self, look: Callable[[], T], complaint: str, within: float, app: App) -> T:
        def look_while_running() -> T:
            if not (value := look()) and not app.is_running:
                raise NotReady(f"{complaint}: {app.name} has ended. It said: {app.said}")
            return value

        return until(look_while_running, lambda: f"{complaint}. {app.name} said: {app.said}", within=within)


def _first_number(text: str) -> str:
    """Returns the first complete line that is an integer."""
    return next((line.strip() for line in text.split("\n")[:-1] if line.strip().isdigit()), "")


def run_on(desktop: DesktopSession) -> int:
    command = sys.argv[2:] if sys.argv[1:2] == ["--"] else sys.argv[1:]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with desktop as session:
            if command:
                return subprocess.run(command, env=session.env, check=False).returncode
            for name, value in session.env.items():
                print(f"export {name}={shlex.quote(value)}")
            print(flush=True)
            signal.pause()
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(run_on(DesktopSession()))
