"""Serves the app on stdin and stdout: one JSON text per line each way, answers as they are ready."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

from handrail.aai.envelope import INVALID_REQUEST, MAX_REQUEST, failure
from handrail.aai.serving import Answer, Workload, first_of, stop_signals
from handrail.kernel.line_framer import LineFramer

_CHUNK = 1 << 16
_TOO_LONG = failure("", INVALID_REQUEST, f"A request has at most {MAX_REQUEST} bytes.")


async def serve(answer: Answer, *, idle: float | None) -> None:
    """Serves until the input has ended and everything is answered, until stopped, or until idle for long enough."""
    incoming, outgoing = _private_streams()
    workload, sending, ended = Workload(), asyncio.Lock(), asyncio.Event()
    loop = asyncio.get_running_loop()

    async def reply(line: bytes | None) -> None:
        text = _TOO_LONG if line is None else await answer(line)
        async with sending:
            try:
                await asyncio.to_thread(_write, outgoing, text.encode() + b"\n")
            except OSError:  # the reader has closed the pipe
                ended.set()

    def heard(line: bytes | None) -> None:
        loop.call_soon_threadsafe(lambda: workload.add(reply(line)))

    def over() -> None:
        loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=_listen, args=(incoming, heard, over), name="stdin", daemon=True).start()
    async with stop_signals() as stop:
        if await first_of(stop.wait(), ended.wait(), workload.until_idle(idle)) == 1:
            await first_of(workload.until_empty(), stop.wait())
        await workload.cancel()


def _private_streams() -> tuple[int, int]:
    """Reserves the streams for the protocol: tools print to stderr and have an empty stdin."""
    sys.stdout.flush()
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return incoming, outgoing


def _listen(descriptor: int, heard: Callable[[bytes | None], None], over: Callable[[], None]) -> None:
    """Non-blank lines as they arrive; None for a line that was too long and was skipped."""
    with suppress(RuntimeError):  # the loop has ended
        framer = LineFramer(MAX_REQUEST)
        while part := _read(descriptor):
            for line in framer.feed(part):
                heard(line if isinstance(line, bytes) else None)
        for line in framer.end():
            heard(line if isinstance(line, bytes) else None)
        over()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _CHUNK)
    except OSError:
        return b""


def _write(descriptor: int, data: bytes) -> None:
    remaining = memoryview(data)
    while remaining:
        remaining = remaining[os.write(descriptor, remaining) :]
