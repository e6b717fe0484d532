"""Makes checkpoints of the audit: in batches, not for each record, and at the end of a process.

Follows the tree as this process writes, so that a checkpoint signs what was written and not what a file says later.
Never takes a fault for granted: what does not fit stays in the checkpoints until a person accepts it.
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
"""From the first record that is not signed to the checkpoint that signs it."""
RECORDS = 1000


WrittenRecord = tuple[bytes, str, int]
"""A record's line without LF, its hash, and where it ends."""


class CheckpointMaker:
    """`is_left_to_another`: whether a server makes the checkpoints, so that a short command need not."""

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
        self._growth: AuditTree | None = None
        self._noted: list[tuple[int, str, Sequence[WrittenRecord]]] = []
        self._new = 0
        self._is_hurried = False
        self._timer: threading.Timer | None = None

    @cached_property
    def stores(self) -> RecordStores:
        return self._open()

    def note(self, seq: int, before: str, written: Sequence[WrittenRecord]) -> None:
        """Records that this process has just written, from number `seq` on, after the one with the hash `before`."""
        with self._turn:
            self._growth = self._growth or self._begun()
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
        return self._begun().tree.count

    def close(self) -> None:
        self._stop()
        if self._new and not self._is_left_to_another():
            self._run()
            self._stop()  # the checkpoint may have added a record itself
        if "stores" in vars(self):
            self.stores.checkpoints.close()

    def checkpoint(self, *, accepts: bool = False) -> Checkpoint | None:
        """None where nothing is new. Blocks."""
        with self._making, self.stores.lock():
            return self._checkpoint(accepts)

    def _start(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._run)
        self._timer.daemon = True
        self._timer.start()

    def _stop(self) -> None:
        with self._turn:
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()

    def _run(self) -> None:
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
        growth = self._followed(last, accepts=accepts)
        # A power cut must not take what a checkpoint knows.
        self._named(last, growth.size).sync(self._evidence)
        self._audit.flush()
        tree = growth.tree
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
        folding = None if accepts or faults or not self._is_told(lines) else compact(lines, self.stores.files)
        checkpoint = Checkpoint(
            number=1 if last is None else last.number + 1,
            ts=datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            record=self.stores.id,
            count=tree.count,
            size=growth.size,
            head=growth.head,
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
        """By records that no checkpoint has signed yet."""
        named = RecordedEvidence()
        for line in self._audit.lines(0 if last is None else last.size, until):
            if mentions_evidence(line):
                with suppress(InvalidRecord):  # that is for `verify` to find
                    named.add(read_record(line).seq, line)
        return named

    def _store(self, line: bytes, places: Sequence[CheckpointCopy], kept: Sequence[bytes] | None) -> None:
        """Announced elsewhere before it is in the file: whoever knows less than the file was rolled back.

        `kept` are the earlier ones that stay, where it stands for others.
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
                _tell(self.stores)
            except (Failure, OSError) as failure:
                logger.warning("%s did not get the checkpoint: %s", self.stores.witness.name, failure)

    def _is_told(self, lines: Sequence[bytes]) -> bool:
        """A witness that is set up has all of them: only then may some go."""
        if self.stores.witness is None or len(lines) < MAX_CHECKPOINTS:
            return True
        try:
            has = set(self.stores.witness.lines())
        except (Failure, OSError):
            return False
        return all(line.removesuffix(b"\n") in has for line in lines)

    def _followed(self, last: Checkpoint | None, *, accepts: bool) -> AuditTree:
        """Our own tree, brought up to the audit's end on a copy: nobody who writes waits for that."""
        with self._turn:
            growth = self._grown_by_notes()
        head = self._head()  # only now: what others write meanwhile is after what the copy has
        if growth is None or (last is not None and last.count > growth.tree.count):
            growth = tree_at(last)
        try:
            if head.count < growth.tree.count:
                raise Damaged(
                    f"the audit has {head.count} records, and checkpoints know {growth.tree.count}",
                    hint="`handrail audit verify` says more.",
                )
            growth.catch_up(self._audit.lines(growth.size, head.size))
        except Damaged:
            if not accepts:
                raise
            growth = empty_tree()
            growth.catch_up(self._audit.lines(0, head.size))
        with self._turn:
            if accepts or self._growth is None or self._growth.tree.count < growth.tree.count:
                self._growth = growth.copy()
        return growth

    def _grown_by_notes(self) -> AuditTree | None:
        """A copy of our tree, with all that was noted: hashing it is not for those who write records."""
        growth, noted = self._growth, self._noted
        self._noted = []
        if growth is None:
            return None
        for seq, before, written in noted:
            if (growth.tree.count, growth.head) == (seq - 1, before):
                for record in written:
                    growth.add(*record)
        return growth.copy()

    def _head(self) -> Head:
        snapshot = self._audit.snapshot()
        if snapshot.mark is None and not snapshot.size:
            return Head()
        head = read_head(snapshot.mark or b"")
        if head is None:
            raise Damaged("the audit's head is missing or was changed", hint="`handrail audit verify` says more.")
        return head

    def _begun(self) -> AuditTree:
        try:
            return tree_at(newest_checkpoint(self.stores.checkpoints.lines_backwards())[1])
        except Failure:
            return empty_tree()


def _tell(stores: RecordStores) -> None:
    """Also what the witness missed while it was away."""
    assert stores.witness is not None
    has = set(stores.witness.lines())
    for each in stores.checkpoints.lines():
        if each.removesuffix(b"\n") not in has:
            stores.witness.add(each.removesuffix(b"\n"))
