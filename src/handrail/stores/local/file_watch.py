"""Waits until a file changes or is created, with inotify or by polling.

It compares the file's state, so a change between two waits isn't missed.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncinotify import Inotify

_EVENTS_AT_ONCE = 200

# inotify doesn't report changes by other machines on a network drive.
_LOOK_EVERY_SECONDS = 5.0
_LOOK_EVERY_SECONDS_WITHOUT_INOTIFY = 0.1

FileState = tuple[int, int, int] | None
"""Device, inode and size."""


class FollowedFile:
    """All watches of an event loop share one inotify instance, because their number is limited."""

    def __init__(self, path: Path, *, with_inotify: bool = sys.platform == "linux") -> None:
        self._path = path
        self._with_inotify = with_inotify
        self._alarms: set[asyncio.Event] = set()
        self._listening: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def watching(self) -> AsyncIterator["Watch"]:
        alarm = asyncio.Event()
        self._alarms.add(alarm)
        try:
            yield Watch(self, alarm)
        finally:
            self._alarms.discard(alarm)
            if not self._alarms and self._listening is not None:
                listening, self._listening = self._listening, None
                listening.cancel()
                await asyncio.wait([listening])

    async def listen(self) -> float:
        """Starts inotify if possible; returns the seconds until the next poll."""
        if self._with_inotify:
            if "asyncinotify" not in sys.modules:  # importing it runs a program that looks for libc
                await asyncio.to_thread(import_module, "asyncinotify")
            if self._listening is None or self._listening.done():
                self._listening = self._listen()
        return _LOOK_EVERY_SECONDS_WITHOUT_INOTIFY if self._listening is None else _LOOK_EVERY_SECONDS

    def look(self) -> FileState:
        try:
            status = os.stat(self._path)
        except OSError:
            return None
        return status.st_dev, status.st_ino, status.st_size

    def _listen(self) -> asyncio.Task[None] | None:
        """None if there is no free inotify instance or no folder to watch."""
        from asyncinotify import Inotify, Mask

        with suppress(OSError):
            inotify = Inotify(cache_size=_EVENTS_AT_ONCE)
            try:
                inotify.add_watch(self._path.parent, Mask.MODIFY | Mask.MOVED_TO | Mask.CREATE | Mask.ONLYDIR)
            except OSError:
                inotify.close()
                raise
            return asyncio.create_task(self._forward_events(inotify))
        return None

    async def _forward_events(self, inotify: "Inotify") -> None:
        """Runs until the folder is removed. An event without a name means lost events or a removed folder."""
        from asyncinotify import Mask

        with inotify:
            async for event in inotify:
                if event.name is None or event.name.name == self._path.name:
                    for alarm in self._alarms:
                        alarm.set()
                if Mask.IGNORED in event.mask:
                    return


class Watch:
    def __init__(self, file: FollowedFile, alarm: asyncio.Event) -> None:
        self._file = file
        self._alarm = alarm
        self._last_state: FileState | bool = False

    async def change(self) -> None:
        """Returns when the file has changed since the last return; at once the first time."""
        while True:
            seconds = await self._file.listen()
            self._alarm.clear()
            now = self._file.look()
            if now != self._last_state:
                self._last_state = now
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._alarm.wait()
