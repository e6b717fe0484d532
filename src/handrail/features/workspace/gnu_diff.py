"""Runs GNU diff on two texts in memory."""

import os
import select
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

_SAME, _DIFFERENT = 0, 1
_CHUNK = 1 << 20


def gnu_diff(options: list[str], old: bytes, new: bytes, seconds: float, last: bytes = b"") -> bytes | None:
    """Returns diff's output, or None if it failed, couldn't start or took too long.

    If `last` is an LF, the text after the last LF counts as a line of its own.
    """
    try:
        with ExitStack() as stack:
            files = [stack.enter_context(_anonymous_file(text, last)) for text in (old, new)]
            process = subprocess.Popen(
                ["diff", "--text", *options, "--", *(f"/dev/fd/{file}" for file in files)],
                pass_fds=files,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"LC_ALL": "C", "PATH": os.environ.get("PATH", os.defpath)},
            )
    except OSError:
        return None
    with process:
        output = _output(process, seconds)
    return output if process.returncode in (_SAME, _DIFFERENT) else None


def _output(process: "subprocess.Popen[bytes]", seconds: float) -> bytes:
    """Reads the child's output and kills it after the time limit.

    Popen's own timeouts poll for the child's end, which is slower.
    """
    assert process.stdout is not None
    pipe = process.stdout.fileno()
    waiting = select.poll()
    waiting.register(pipe, select.POLLIN)
    deadline = time.monotonic() + seconds
    chunks: list[bytes] = []
    while waiting.poll(max(0, deadline - time.monotonic()) * 1000):
        chunk = os.read(pipe, _CHUNK)
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)
    process.kill()
    return b""


@contextmanager
def _anonymous_file(content: bytes, last: bytes) -> Iterator[int]:
    """In memory on Linux, an unlinked file elsewhere."""
    if not hasattr(os, "memfd_create"):
        with tempfile.TemporaryFile() as file:
            file.write(content + last)
            file.seek(0)
            yield file.fileno()
        return
    with open(os.memfd_create("handrail-diff"), "wb") as file:
        file.write(content)
        file.write(last)
        file.seek(0)
        yield file.fileno()
