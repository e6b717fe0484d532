"""A session bus for tests with its own home: it starts only what is installed there."""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus

from tests.waiting import until

ROOT = Path(__file__).parents[1]
# The usual configuration would also start the services of this machine.
_CONFIG = """\
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>{address}</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{services}</servicedir>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
  <limit name="max_message_size">134217728</limit>
</busconfig>
"""
_FIRST_NUMBER = re.compile(r"^(\d+)$", re.MULTILINE)


class SessionBus:
    """A real dbus-daemon. Programs started by it or by `start` end with it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="handrail-bus-"))
        self.log = self.folder / "log"
        self.home = self.folder / "home"
        self.data = self.home / ".local" / "share"
        runtime = self.folder / "runtime"
        for folder in (self.data / "dbus-1" / "services", runtime):
            folder.mkdir(parents=True, mode=0o700)
        self.address = f"unix:path={runtime}/bus"
        shared = {name: os.environ[name] for name in ("PATH", "TZ", "VIRTUAL_ENV") if name in os.environ}
        self.env = {
            **shared,
            "LANG": "C.UTF-8",
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(runtime),
            "XDG_DATA_HOME": str(self.data),
            "DBUS_SESSION_BUS_ADDRESS": self.address,
            "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH")))),
        }
        self._programs: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "SessionBus":
        config = self.folder / "bus.conf"
        config.write_text(_CONFIG.format(address=self.address, services=self.data / "dbus-1" / "services"))
        with self.log.open("wb") as log:
            self._daemon = subprocess.Popen(
                ["dbus-daemon", f"--config-file={config}", "--nofork", "--print-address=1"],
                env=self.env,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,  # includes everything that it starts
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
        """Returns the output of a program in this session; it must succeed."""
        result = subprocess.run(
            command, env={**self.env, **(env or {})}, check=False, capture_output=True, text=True, timeout=60
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    def start(self, *command: str, env: Mapping[str, str] | None = None) -> "subprocess.Popen[bytes]":
        """Starts a program in this session that ends with it."""
        with self.log.open("ab") as log:
            program = subprocess.Popen(
                command, env={**self.env, **(env or {})}, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self._programs.append(program)
        return program

    def ask(self, app: str, tool: str, **params: Any) -> Any:
        """Calls a tool of an app as a minimal client does, and returns the whole answer."""
        return asyncio.run(self._asked(app, tool, params))

    def show_display(self) -> None:
        """From now on, programs of this session have a display."""
        server = self.start("Xvfb", "-displayfd", "2", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset")
        until(lambda: self._display() or server.poll() is not None, "no X server")
        assert server.poll() is None, self.log.read_text()
        self.env["DISPLAY"] = f":{self._display()}"

    def _display(self) -> str:
        number = _FIRST_NUMBER.search(self.log.read_text(errors="replace"))
        return number[1] if number else ""

    async def _asked(self, app: str, tool: str, params: dict[str, Any]) -> Any:
        request = {"version": "1.0", "tool": tool, "params": params, "request_id": "req_1"}
        bus = await MessageBus(bus_address=self.address).connect()
        try:
            reply = await bus.call(
                Message(
                    destination=app,
                    path="/com/aai/Executor",
                    interface="com.aai.Executor",
                    member="Execute",
                    signature="s",
                    body=[json.dumps(request)],
                )
            )
        finally:
            bus.disconnect()
        assert reply.message_type is MessageType.METHOD_RETURN, reply.body
        return json.loads(reply.body[0])
