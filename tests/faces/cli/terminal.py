"""A person at a terminal: runs `handrail` in a pseudo-terminal, presses keys and reads the screen."""

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.faces.cli.machine import HANDRAIL, Machine
from tests.quick_start import take_terminal

PATIENCE = 90.0
PROMPT = "with a remark"


class Terminal:
    """stdin and stderr are the terminal, stdout is a pipe, as in `handrail call … | jq`."""

    def __init__(
        self,
        machine: Machine,
        *words: str,
        columns: int = 100,
        stdout_is_terminal: bool = False,
        stderr: Path | None = None,
        program: str | Path = HANDRAIL,
        **environ: str,
    ) -> None:
        self._screen, keyboard = pty.openpty()
        fcntl.ioctl(keyboard, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        self._shown = b""
        self._read_to = 0

        errors = None if stderr is None else stderr.open("wb")
        # readline exports the size of the terminal that runs the tests, which is not the size of this one.
        inherited = {name: value for name, value in machine.environ().items() if name not in ("COLUMNS", "LINES")}
        try:
            self._process = subprocess.Popen(
                [program, *words],
                stdin=keyboard,
                stdout=keyboard if stdout_is_terminal else subprocess.PIPE,
                stderr=errors or keyboard,
                cwd=machine.project,
                env={**inherited, **environ},
                preexec_fn=take_terminal,
            )
        finally:
            os.close(keyboard)
            if errors is not None:
                errors.close()

    def wait_for(self, text: str) -> str:
        """Returns everything on the screen up to and including `text`, from the end of the last wait."""
        start = self._read_to
        self.wait_for_any(text)
        return self._shown[start : self._read_to].decode()

    def wait_for_any(self, *texts: str) -> str:
        """Returns the first of the texts that appears after the end of the last wait."""
        deadline = time.monotonic() + PATIENCE
        while not (places := self._places(texts)):
            remaining = deadline - time.monotonic()
            more = self._more() if remaining > 0 and self._has_more(remaining) else None
            assert more is not None, f"{texts!r} did not appear in {self._shown!r}"
            self._shown += more
        at, text = min(places)
        self._read_to = at + len(text.encode())
        return text

    def _places(self, texts: Sequence[str]) -> list[tuple[int, str]]:
        places = [(self._shown.find(text.encode(), self._read_to), text) for text in texts]
        return [place for place in places if place[0] >= 0]

    def press(self, keys: str) -> None:
        os.write(self._screen, keys.encode())

    def end(self) -> tuple[int, bytes]:
        """Returns status and stdout; the rest of the output is on `screen`."""
        out, _ = self._process.communicate(timeout=PATIENCE)
        while self._has_more(0) and (more := self._more()):
            self._shown += more
        os.close(self._screen)
        return self._process.returncode, out or b""

    def _has_more(self, seconds: float) -> bool:
        screen = select.poll()
        screen.register(self._screen, select.POLLIN)
        return bool(screen.poll(seconds * 1000))

    def first_line(self) -> bytes:
        """Returns stdout if that is not the terminal."""
        assert self._process.stdout is not None
        return bytes(self._process.stdout.readline())

    def result(self) -> tuple[int, Any]:
        status, out = self.end()
        return status, json.loads(out)

    @property
    def screen(self) -> str:
        return self._shown.decode().replace("\r\n", "\n")

    @property
    def pid(self) -> int:
        return self._process.pid

    def _more(self) -> bytes | None:
        try:
            return os.read(self._screen, 65536)
        except OSError:  # EIO: the other side was closed
            return None
