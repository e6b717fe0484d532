"""RE2 behind the port: never backtracks, and what may take long runs in a child process, which can be stopped.

Linear time is text times pattern, and a pattern may have thousands of steps: too long to wait for a thread.
"""

import subprocess
import sys
from collections.abc import Callable
from tempfile import TemporaryFile
from typing import Any

from handrail.features.workspace.backends.regexes import replacement as program
from handrail.features.workspace.backends.regexes.replacement import (
    MAX_RESULT,
    TOO_LARGE,
    compiled,
    packed,
    replaced,
    unpacked,
)
from handrail.ports.errors import InputOutput, InvalidParams, TooLarge

_SMALL = 40_000_000  # steps: about a second at the worst
_LEAST_STEPS = 400  # a byte costs as much, where each one is a match
_LOOK_EVERY = 0.1


class Re2Replacer:
    def replace(
        self, text: bytes, pattern: str, replacement: bytes, checkpoint: Callable[[], None]
    ) -> tuple[bytes, int]:
        regex = _compiled(pattern)
        if len(text) * max(regex.programsize, _LEAST_STEPS) <= _SMALL:
            done = replaced(regex, text, replacement)
        else:
            done = _in_child(pattern.encode(), replacement, text, checkpoint)
        if done is None:
            raise TooLarge(f"The result would be larger than {MAX_RESULT} bytes.", maxBytes=MAX_RESULT)
        return done


def _compiled(pattern: str) -> Any:
    import re2

    try:
        return compiled(pattern.encode())
    except re2.error as error:
        reason = error.args[0] if error.args else error
        message = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise InvalidParams(
            f"The regular expression can't be compiled: {message}", hint="The syntax is RE2's.", find=pattern[:200]
        ) from None


def _in_child(
    pattern: bytes, replacement: bytes, text: bytes, checkpoint: Callable[[], None]
) -> tuple[bytes, int] | None:
    """Over files without a name, so that nobody waits for the other end of a pipe."""
    with TemporaryFile() as task, TemporaryFile() as answer:
        task.write(packed(pattern, replacement, text))
        task.seek(0)
        with subprocess.Popen([sys.executable, "-P", program.__file__], stdin=task, stdout=answer) as child:
            try:
                _wait(child, checkpoint)
            except BaseException:
                child.kill()
                raise
        if child.returncode == TOO_LARGE:
            return None
        if child.returncode != 0:
            raise InputOutput(f"The replacement ended with status {child.returncode}.")
        answer.seek(0)
        result, count = unpacked(answer.read())
        return result, int(count)


def _wait(child: "subprocess.Popen[bytes]", checkpoint: Callable[[], None]) -> None:
    while True:
        try:
            child.wait(_LOOK_EVERY)
            return
        except subprocess.TimeoutExpired:
            checkpoint()
