"""The programs that the demonstration starts: each with a log of its own, all ended by their id, none outliving it."""

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

from demo.ground import NotPossible

_LOOK_AGAIN = 0.02
_GRACE = 12.0
_LAST_WORDS = 600


@dataclass(frozen=True)
class Program:
    name: str
    process: "subprocess.Popen[bytes]"
    log: Path
    ends_by: signal.Signals

    async def says(self, pattern: str, within: float = 40) -> str:
        """What it has written, once it has written that; its first group."""
        deadline, wanted = time.monotonic() + within, re.compile(pattern, re.MULTILINE)
        while (found := wanted.search(self.log.read_text(errors="replace"))) is None:
            if self.process.poll() is not None:
                raise NotPossible(f"{self.name} has ended. {self.last_words}")
            if time.monotonic() > deadline:
                raise NotPossible(f"{self.name} was not ready within {within:g} s. {self.last_words}")
            await asyncio.sleep(_LOOK_AGAIN)
        return found[1] if wanted.groups else found[0]

    @property
    def last_words(self) -> str:
        return f"Its log, {self.log}, ends with: {self.log.read_text(errors='replace')[-_LAST_WORDS:].strip() or '–'}"


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
        """In a session of its own, so that a Ctrl-C reaches us alone; and it ends with us, even if we are killed."""
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
            raise NotPossible("The program setpriv is not there; it is in Debian's package util-linux.") from None
        program = Program(name, process, path, ends_by)
        self._started.append(program)
        return program

    def end(self) -> None:
        """The newest first: those it stands on must outlive it."""
        while self._started:
            program = self._started.pop()
            with suppress(ProcessLookupError):
                program.process.send_signal(program.ends_by)
            with suppress(subprocess.TimeoutExpired):
                program.process.wait(_GRACE)
            with suppress(ProcessLookupError):  # and what it has left behind in its session
                os.killpg(program.process.pid, signal.SIGKILL)
            program.process.wait()
