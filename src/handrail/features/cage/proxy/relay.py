"""Copies data between two connections in both directions until both have ended."""

import asyncio
from contextlib import suppress

from handrail.features.cage.connections import Stream

CHUNK = 65536


async def relay(here: Stream, there: Stream) -> None:
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(copy(here[0], there[1]))
            group.create_task(copy(there[0], here[1]))
    finally:
        await close_writer(there[1])


async def copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await source.read(CHUNK):
            sink.write(piece)
            await sink.drain()
    with suppress(OSError):
        if sink.can_write_eof():
            sink.write_eof()


async def close_writer(writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        writer.close()
        await writer.wait_closed()
