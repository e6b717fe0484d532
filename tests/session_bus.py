"""A session bus of the tests' own, with a home of its own: it starts what is installed there, and nothing else."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).parents[1]


class SessionBus:
    """A real dbus-daemon. Programs that it starts, or that are started by `start`, end with it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="handrail-bus-"))
        self.log = self.folder / "log"
        self.home = self.folder / "home"
        self.data = self.home / ".local" / "share"
        runtime = self.folder / "runtime"
        for folder in (self.data, runtime, self.folder / "empty"):
            folder.mkdir(parents=True, mode=0o700)
        self.address = f"unix:path={runtime}/bus"
        shared = {name: os.environ[name] for name in ("PATH", "TZ", "VIRTUAL_ENV") if name in os.environ}
        self.env = {
            **shared,
            "LANG": "C.UTF-8",
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(runtime),
            "XDG_DATA_HOME": str(self.data),
            # The machine's own services are none of the tests' business.
            "XDG_DATA_DIRS": str(self.folder / "empty"),
            "DBUS_SESSION_BUS_ADDRESS": self.address,
            "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH")))),
        }
        self._programs: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "SessionBus":
        with self.log.open("wb") as log:
            self._daemon = subprocess.Popen(
                ["dbus-daemon", "--session", "--nofork", f"--address={self.address}", "--print-address=1"],
                env=self.env,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,  # with everything that it will start
            )
        assert self._daemon.stdout is not None
        if not self._daemon.stdout.readline():
            raise RuntimeError(f"no session bus: {self.log.read_text()}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, where: TracebackType | None
    ) -> None:
        for program in self._programs:
            program.kill()
            program.wait()
        os.killpg(self._daemon.pid, signal.SIGKILL)
        self._daemon.wait()
        assert self._daemon.stdout is not None
        self._daemon.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *command: str, env: Mapping[str, str] | None = None) -> str:
        """What a program in this session printed; it must succeed."""
        done = subprocess.run(
            command, env={**self.env, **(env or {})}, check=False, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, *command: str, env: Mapping[str, str] | None = None) -> "subprocess.Popen[bytes]":
        """A program in this session that is ended with it."""
        with self.log.open("ab") as log:
            program = subprocess.Popen(
                command, env={**self.env, **(env or {})}, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self._programs.append(program)
        return program
