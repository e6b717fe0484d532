"""The programs that the tour starts: each has its own log, is ended by its process id, and never outlives the tour."""

import asyncio
import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from demo.tour_folder import TourFailed

_POLL_SECONDS = 0.02
_GRACE_SECONDS = 12.0
_LOG_TAIL = 600


@dataclass(frozen=True)
class Program:
    name: str
    process: "subprocess.Popen[bytes]"
    log: Path
    ends_by: signal.Signals

    async def wait_for_output(self, pattern: str, within: float = 40) -> str:
        """Waits until its output matches the pattern; returns the first group or the match."""
        deadline, expression = time.monotonic() + within, re.compile(pattern, re.MULTILINE)
        while (match := expression.search(self.log.read_text(errors="replace"))) is None:
            if self.process.poll() is not None:
                raise TourFailed(f"{self.name} has ended. {self.log_tail}")
            if time.monotonic() > deadline:
                raise TourFailed(f"{self.name} was not ready within {within:g} s. {self.log_tail}")
            await asyncio.sleep(_POLL_SECONDS)
        return match[1] if expression.groups else match[0]

    @property
    def log_tail(self) -> str:
        return f"Its log, {self.log}, ends with: {self.log.read_text(errors='replace')[-_LOG_TAIL:].strip() or '–'}"


class Programs:
    def __init__(self, logs: Path) -> None:
        self._logs = logs
        self._started: list[Program] = []

    def start(
        self,
        name: str,
        argv: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
        ends_by: signal.Signals = signal.SIGTERM,
    ) -> Program:
        """In its own session, so that Ctrl-C reaches only the tour. It ends with us, even if we are killed."""
        path = self._logs / f"{name.replace(' ', '-')}.log"
        command = ["setpriv", "--pdeathsig", "TERM", *argv]
        try:
            with path.open("wb") as log:
                process = subprocess.Popen(
                    command,
                    env=dict(env),
                    cwd=cwd,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
        except FileNotFoundError:
            raise TourFailed("setpriv isn't installed. It is in Debian's package util-linux.") from None
        program = Program(name, process, path, ends_by)
        self._started.append(program)
        return program

    def end(self) -> None:
        """Newest first, because later programs depend on earlier ones."""
        while self._started:
            program = self._started.pop()
            with suppress(ProcessLookupError):
                program.process.send_signal(program.ends_by)
            with suppress(subprocess.TimeoutExpired):
                program.process.wait(_GRACE_SECONDS)
            with suppress(ProcessLookupError):  # also ends what it has left in its session
                os.killpg(program.process.pid, signal.SIGKILL)
            program.process.wait()
