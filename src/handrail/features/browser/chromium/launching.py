"""Starting a Chromium that listens to a pipe of ours, and so ends with us, however we end."""

import asyncio
import fcntl
import os
import subprocess
import sys
from collections.abc import Sequence

from handrail.features.browser.chromium.wire import Wire

FLAGS = (
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-breakpad",
    "--disable-domain-reliability",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-search-engine-choice-screen",
    "--hide-crash-restore-bubble",
    "--window-size=1280,800",
)
# Chromium reads the pipe at 3 and writes at 4, and these numbers may be taken here.
_WITH_PIPE = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)
_ABOVE_THE_PIPE = 10
_MAX_MESSAGE = 64 * 1024 * 1024


async def launched(command: Sequence[str], *, temporary: str | None = None) -> tuple[asyncio.subprocess.Process, Wire]:
    """`command` begins with an absolute path.

    With a folder for all that is temporary, it is in a group of its own, to be ended with all that it starts.
    """
    to_it, ours_out = _pipe_ends()
    ours_in, from_it = _pipe_ends()
    arguments = [*command, *(("--no-sandbox",) if os.geteuid() == 0 else ())]  # its sandbox refuses to run as root
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", "-c", _WITH_PIPE, str(to_it), str(from_it), *arguments,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(to_it, from_it), start_new_session=temporary is not None,
            env=os.environ if temporary is None else {**os.environ, "TMPDIR": temporary},
        )  # fmt: skip
    except BaseException:
        os.close(ours_out)
        os.close(ours_in)
        raise
    finally:
        os.close(to_it)
        os.close(from_it)
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader(limit=_MAX_MESSAGE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(ours_in, "rb"))
    writer, _ = await loop.connect_write_pipe(asyncio.Protocol, os.fdopen(ours_out, "wb", 0))
    return process, Wire(reader, writer)


def _pipe_ends() -> tuple[int, int]:
    """Reading and writing end, with numbers that don't stand in the way of the child's own."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _ABOVE_THE_PIPE) for end in ends]
    for end in ends:
        os.close(end)
    return moved[0], moved[1]
