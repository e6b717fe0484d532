"""Queues records for the audit, so that no event loop waits for its lock or the disk.

One thread writes at a time. All waiting records are written together, with one disk access. While another process has
the log locked, callers don't wait for records that needn't be durable: these stay queued and are written later.
"""

import asyncio
import logging
import os
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from handrail.ports.errors import Conflict, Failure
from handrail.ports.journal import OutcomeUnknown
from handrail.ports.waiting import finish

logger = logging.getLogger(__name__)

_GRACE = 0.005
_MOST_LATE = 10_000


class Append(Protocol):
    def __call__(self, spelled: Sequence[bytes], *, durable: bool, patience: float | None = None) -> object:
        """Appends all of them or none. Conflict: another process has held the log for `patience` seconds."""
        ...


class _Entry:
    def __init__(self, spelled: bytes, durable: bool) -> None:
        self.spelled = spelled
        self.durable = durable
        self.written: Future[None] = Future()

    @property
    def is_late(self) -> bool:
        """Its caller no longer waits for it."""
        return self.written.done()

    def succeed(self) -> None:
        if not self.written.done():
            self.written.set_result(None)

    def fail(self, failure: BaseException) -> None:
        if not self.written.done():
            self.written.set_exception(failure)
        else:
            logger.error("a record of the audit is lost: %s", failure)


class AuditQueue:
    def __init__(self, append: Append) -> None:
        self._append = append
        self._begin()

    def _begin(self) -> None:
        self._turn = threading.Condition(threading.Lock())
        self._waiting: list[_Entry] = []
        self._is_writing = False
        self._is_held_up = False
        self._is_closing = False
        self._thread: ThreadPoolExecutor | None = None
        self._process = os.getpid()

    def add_now(self, spelled: bytes) -> bool:
        """Appends without waiting; returns False if that isn't possible."""
        if self._is_writing:
            return False
        try:
            self._append((spelled,), durable=False, patience=0)
        except Conflict:
            return False
        return True

    async def add(self, spelled: bytes, *, durable: bool) -> None:
        """Returns once the record is written, or on disk if `durable`. A cancelled caller still waits for that."""
        written = self._put(_Entry(spelled, durable))
        if not written.done():
            await finish(asyncio.wrap_future(written))
        else:
            written.result()

    def put(self, spelled: bytes, *, durable: bool) -> None:
        """Like `add`, for a thread: it writes the record itself if no other thread is writing. Blocks."""
        entry = _Entry(spelled, durable)
        if not self._start_writing():
            self._put(entry).result()
            return
        self._write_batch([entry])
        with self._turn:
            if self._waiting:
                self._write_in_thread()
            else:
                self._rest()
        entry.written.result()

    def drain(self) -> None:
        """Waits until the queue is empty."""
        if self._process == os.getpid():
            with self._turn:
                self._turn.wait_for(lambda: not self._is_writing)

    def close(self) -> None:
        """Records without a waiting caller that can't be written in time are lost; the program's log says so."""
        self._is_closing = True
        self.drain()
        if self._thread is not None and self._process == os.getpid():
            self._thread.shutdown()
        self._thread = None
        self._is_closing = False

    def _start_writing(self) -> bool:
        """False if another thread is already writing."""
        self._leave_parent()
        with self._turn:
            was_writing, self._is_writing = self._is_writing, True
        return not was_writing

    def _leave_parent(self) -> None:
        if self._process != os.getpid():
            self._begin()  # the thread did not survive the fork

    def _put(self, entry: _Entry) -> "Future[None]":
        self._leave_parent()
        with self._turn:
            self._waiting.append(entry)
            if self._is_held_up and not entry.durable and len(self._waiting) < _MOST_LATE:
                entry.succeed()
            if not self._is_writing:
                self._is_writing = True
                self._write_in_thread()
        return entry.written

    def _write_in_thread(self) -> None:
        self._thread = self._thread or ThreadPoolExecutor(1, "audit")
        self._thread.submit(self._write_all)

    def _rest(self) -> None:
        self._is_writing = self._is_held_up = False
        self._turn.notify_all()

    def _write_all(self) -> None:
        while True:
            with self._turn:
                batch, self._waiting = self._waiting, []
                if not batch:
                    self._rest()
                    return
            self._write_batch(batch)

    def _write_batch(self, batch: list[_Entry]) -> None:
        try:
            self._write(batch)
        except BaseException as fault:  # noqa: BLE001 - raised where the records are awaited
            for entry in batch:
                entry.fail(fault)

    def _write(self, batch: list[_Entry]) -> None:
        try:
            self._append_all(batch, _GRACE)
        except Conflict:
            self._let_go(batch)
            self._write_patiently(batch)

    def _write_patiently(self, batch: list[_Entry]) -> None:
        try:
            self._append_all(batch, None)
        except Conflict as held:
            late = [] if self._is_closing else [entry for entry in batch if entry.is_late]
            for entry in batch:
                if entry not in late:
                    entry.fail(held)
            with self._turn:
                self._waiting[:0] = late
        else:
            self._is_held_up = False

    def _let_go(self, batch: list[_Entry]) -> None:
        with self._turn:
            self._is_held_up = True
            for entry in [*batch, *self._waiting]:
                if not entry.durable:
                    entry.succeed()

    def _append_all(self, batch: Sequence[_Entry], patience: float | None) -> None:
        try:
            self._append(
                [entry.spelled for entry in batch], durable=any(entry.durable for entry in batch), patience=patience
            )
        except Conflict:
            raise
        except OutcomeUnknown as unknown:
            for entry in batch:
                entry.fail(unknown)
            return
        except Failure as failure:
            if len(batch) == 1:
                batch[0].fail(failure)
                return
            for entry in batch:  # the fault may be in only one of them
                self._append_all([entry], patience)
            return
        for entry in batch:
            entry.succeed()
