"""Makes checkpoints of the audit, after a batch of records and at the end of a process.

It updates the tree as this process writes records, so a checkpoint signs what was written and not what the file has
later. Faults stay in the checkpoints until a person accepts the state.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from handrail.kernel.audit_tree import AuditTree, empty_tree, tree_at
from handrail.kernel.chain import Head, InvalidRecord, read_head, read_record
from handrail.kernel.checkpoint import (
    Checkpoint,
    hash_line,
    sign_checkpoint,
)
from handrail.kernel.checkpoint_chain import MAX_CHECKPOINTS, compact, readable_checkpoints, standing_faults
from handrail.kernel.checkpoint_copies import copy_faults, newest_checkpoint
from handrail.kernel.file_history import FileHistory
from handrail.kernel.recorded_evidence import RECOVERED, OpenEvidence, RecordedEvidence, mentions_evidence
from handrail.ports.errors import Damaged, Failure
from handrail.ports.journal import Journal
from handrail.ports.record import CheckpointCopy, KnownCheckpoint, RecordStores

logger = logging.getLogger(__name__)

SECONDS = 5.0
"""The longest time from a record to the checkpoint that signs it."""
RECORDS = 1000


WrittenRecord = tuple[bytes, str, int]
"""A record's line without LF, its hash, and where it ends."""


class CheckpointMaker:
    """`is_left_to_another` returns whether a server makes the checkpoints, so that a short command needn't."""

    def __init__(
        self,
        audit: Journal,
        stores: Callable[[], RecordStores],
        *,
        evidence: OpenEvidence = lambda project: None,
        is_left_to_another: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.time,
        seconds: float = SECONDS,
    ) -> None:
        self._audit = audit
        self._open = stores
        self._evidence = evidence
        self.append: Callable[[Mapping[str, Any]], object] | None = None
        """Adds a record to the audit; its owner sets this."""
        self._is_left_to_another = is_left_to_another
        self._clock = clock
        self._seconds = seconds
        self._turn = threading.Lock()
        self._making = threading.Lock()
        self._audit_tree: AuditTree | None = None
        self._noted: list[tuple[int, str, Sequence[WrittenRecord]]] = []
        self._new = 0
        self._is_hurried = False
        self._timer: threading.Timer | None = None
        self._running: set[threading.Thread] = set()

    @cached_property
    def stores(self) -> RecordStores:
        return self._open()

    def note(self, seq: int, before: str, written: Sequence[WrittenRecord]) -> None:
        """Notes written records: the first has the number `seq` and follows the one with the hash `before`."""
        with self._turn:
            self._audit_tree = self._audit_tree or self._signed_tree()
            self._noted.append((seq, before, written))
            self._new += len(written)
            if self._timer is None:
                self._start(self._seconds)
            elif self._new >= RECORDS and not self._is_hurried:
                self._is_hurried = True
                self._timer.cancel()
                self._start(0)

    @property
    def signed(self) -> int:
        """How many records the newest checkpoint has signed. Blocks."""
        return self._signed_tree().tree.count

    def close(self) -> None:
        """Returns when no checkpoint is being made any more."""
        self._stop()
        if self._new and not self._is_left_to_another():
            self._make()
            self._stop()  # because the checkpoint may have added a record
        if "stores" in vars(self):
            self.stores.checkpoints.close()

    def checkpoint(self, *, accepts: bool = False) -> Checkpoint | None:
        """Makes a checkpoint; None if nothing is new. `accepts`: a person accepts the current state. Blocks."""
        with self._making, self.stores.lock():
            return self._checkpoint(accepts)

    def _start(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._run)
        self._timer.daemon = True
        self._timer.start()

    def _stop(self) -> None:
        with self._turn:
            timer, self._timer = self._timer, None
            running = tuple(self._running)
        if timer is not None:
            timer.cancel()
        for thread in running:
            thread.join()

    def _run(self) -> None:
        """What the timer's thread does."""
        this = threading.current_thread()
        with self._turn:
            if this is not self._timer:
                return  # canceled when it had already begun
            self._running.add(this)
        self._make()
        with self._turn:
            self._running.discard(this)

    def _make(self) -> None:
        with self._turn:
            self._timer, self._new, self._is_hurried = None, 0, False
        try:
            self.checkpoint()
        except (Failure, OSError) as failure:
            logger.warning("no checkpoint of the audit was made: %s", failure)

    def _checkpoint(self, accepts: bool) -> Checkpoint | None:
        lines = list(self.stores.checkpoints.lines())
        last_line, last = newest_checkpoint(lines)
        self._note_lost_evidence(last)
        audit_tree = self._current_tree(last, accepts=accepts)
        # A power cut must not lose anything that a checkpoint covers.
        self._named(last, audit_tree.size).sync(self._evidence)
        self._audit.flush()
        tree = audit_tree.tree
        key = self.stores.signer.make().hex()
        sightings = FileHistory(readable_checkpoints(lines))
        self.stores.files.settle(accepts=accepts)
        files = (FileHistory(()) if accepts else sightings).changes(self.stores.files).new
        faults = [] if accepts else list(copy_faults(last_line, self.stores.places))
        if last is not None and last.key != key and not accepts:
            faults.append("the key that signs checkpoints is not the one that signed before")
        faults = [fault for fault in faults if fault not in standing_faults(lines)]
        if last is not None and tree.count == last.count and not files and not faults and not accepts:
            return None
        places = [place for place in self.stores.places if place.is_used()]
        folding = None if accepts or faults or not self._is_witnessed(lines) else compact(lines, self.stores.files)
        checkpoint = Checkpoint(
            number=1 if last is None else last.number + 1,
            ts=datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            record=self.stores.id,
            count=tree.count,
            size=audit_tree.size,
            head=audit_tree.head,
            root=tree.root.hex(),
            frontier=tuple(node.hex() for node in tree.frontier),
            before=hash_line(last_line),
            places=tuple(place.name for place in places),
            key=key,
            files=files,
            faults=tuple(faults),
            accepted=accepts,
            folded=None if folding is None else folding[0],
        )
        self.stores.files.sync()
        self._store(
            sign_checkpoint(checkpoint, self.stores.signer.sign), places, None if folding is None else folding[1]
        )
        return checkpoint

    def _note_lost_evidence(self, last: Checkpoint | None) -> None:
        if self.append is not None and (lost := self._named(last).newly_lost(self._evidence)):
            self.append({"event": RECOVERED, "lostEvidence": lost})

    def _named(self, last: Checkpoint | None, until: int | None = None) -> RecordedEvidence:
        """Evidence in records that no checkpoint has signed yet."""
        named = RecordedEvidence()
        for line in self._audit.lines(0 if last is None else last.size, until):
            if mentions_evidence(line):
                with suppress(InvalidRecord):  # `verify` reports it
                    named.add(read_record(line).seq, line)
        return named

    def _store(self, line: bytes, places: Sequence[CheckpointCopy], kept: Sequence[bytes] | None) -> None:
        """Writes the copies before the file, so that a copy that is older than the file was rolled back.

        `kept` are the earlier checkpoints that remain, if this one summarizes the others.
        """
        for place in places:
            place.write(KnownCheckpoint(line, is_settled=False))
        if kept is None:
            self.stores.checkpoints.append(line, is_durable=True)
        else:
            self.stores.rewrite([*(each.removesuffix(b"\n") for each in kept), line])
        for place in places:
            place.write(KnownCheckpoint(line, is_settled=True))
        if self.stores.witness is not None:
            try:
                _send_to_witness(self.stores)
            except (Failure, OSError) as failure:
                logger.warning("%s did not get the checkpoint: %s", self.stores.witness.name, failure)

    def _is_witnessed(self, lines: Sequence[bytes]) -> bool:
        """Whether the witness, if there is one, has all of them; only then may some be removed."""
        if self.stores.witness is None or len(lines) < MAX_CHECKPOINTS:
            return True
        try:
            witnessed = set(self.stores.witness.lines())
        except (Failure, OSError):
            return False
        return all(line.removesuffix(b"\n") in witnessed for line in lines)

    def _current_tree(self, last: Checkpoint | None, *, accepts: bool) -> AuditTree:
        """A copy of our tree, extended to the audit's end; writers don't have to wait for that."""
        with self._turn:
            audit_tree = self._tree_with_notes()
        head = self._head()  # read after copying, so that it isn't older than the copy
        if audit_tree is None or (last is not None and last.count > audit_tree.tree.count):
            audit_tree = tree_at(last)
        try:
            if head.count < audit_tree.tree.count:
                raise Damaged(
                    f"the audit has {head.count} records, and checkpoints know {audit_tree.tree.count}",
                    hint="`handrail audit verify` says more.",
                )
            audit_tree.catch_up(self._audit.lines(audit_tree.size, head.size))
        except Damaged:
            if not accepts:
                raise
            audit_tree = empty_tree()
            audit_tree.catch_up(self._audit.lines(0, head.size))
        with self._turn:
            if accepts or self._audit_tree is None or self._audit_tree.tree.count < audit_tree.tree.count:
                self._audit_tree = audit_tree.copy()
        return audit_tree

    def _tree_with_notes(self) -> AuditTree | None:
        """A copy of our tree with all noted records. They are hashed here, so that writers don't have to."""
        audit_tree, noted = self._audit_tree, self._noted
        self._noted = []
        if audit_tree is None:
            return None
        for seq, before, written in noted:
            if (audit_tree.tree.count, audit_tree.head) == (seq - 1, before):
                for record in written:
                    audit_tree.add(*record)
        return audit_tree.copy()

    def _head(self) -> Head:
        snapshot = self._audit.snapshot()
        if snapshot.mark is None and not snapshot.size:
            return Head()
        head = read_head(snapshot.mark or b"")
        if head is None:
            raise Damaged("the audit's head is missing or was changed", hint="`handrail audit verify` says more.")
        return head

    def _signed_tree(self) -> AuditTree:
        try:
            return tree_at(newest_checkpoint(self.stores.checkpoints.lines_backwards())[1])
        except Failure:
            return empty_tree()


def _send_to_witness(stores: RecordStores) -> None:
    """Sends all checkpoints that the witness doesn't have, also those that it missed earlier."""
    assert stores.witness is not None
    witnessed = set(stores.witness.lines())
    for each in stores.checkpoints.lines():
        if each.removesuffix(b"\n") not in witnessed:
            stores.witness.add(each.removesuffix(b"\n"))
