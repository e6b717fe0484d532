"""The chain of checkpoints: checks it, and replaces old checkpoints with a summary in a newer one.

The newest checkpoint's root covers every record, so verifying the audit needs no old checkpoints. What only they
contain (earlier contents of other files, faults) goes into the summary, which is signed with its checkpoint.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from handrail.kernel.chain import NO_HASH
from handrail.kernel.checkpoint import (
    Checkpoint,
    CompactedCheckpoints,
    InvalidCheckpoint,
    hash_line,
    read_checkpoint,
    verify_checkpoint,
)
from handrail.kernel.file_history import FileHistory
from handrail.ports.record import StateFiles

MAX_CHECKPOINTS = 1000
REMAINING_CHECKPOINTS = 200
_CONTENTS = 50
"""How many earlier contents of each file a summary keeps."""


@dataclass(slots=True)
class CheckedChain:
    """`checkpoints` has those since a person last accepted the state."""

    checkpoints: list[Checkpoint] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def readable_checkpoints(lines: Sequence[bytes]) -> Iterator[Checkpoint]:
    for line in lines:
        try:
            yield read_checkpoint(line)
        except InvalidCheckpoint:
            continue


def check_lines(lines: Sequence[bytes]) -> CheckedChain:
    """Checks that each is signed and follows the previous one; the first follows the newest summary."""
    checked = CheckedChain()
    folded = newest_compaction(lines)
    number, before = (0, NO_HASH) if folded is None else (folded.number, folded.hash)
    if folded is not None and folded.accepted:
        checked.notes.append(_accepted(folded.accepted))
    for line in lines:
        number += 1
        try:
            checkpoint = verify_checkpoint(line)
        except InvalidCheckpoint as wrong:
            checked.faults.append(f"checkpoint {number} was changed: {wrong}")
            before = hash_line(line)
            continue
        _add(checked, checkpoint, number, follows=checkpoint.number == number and checkpoint.before == before)
        before = hash_line(line)
    return checked


def _add(checked: CheckedChain, checkpoint: Checkpoint, number: int, *, follows: bool) -> None:
    if checkpoint.accepted:
        checked.checkpoints, checked.faults = [], []
        checked.notes.append(_accepted(checkpoint.ts))
    elif not follows:
        checked.faults.append(f"checkpoint {number} does not follow the one before it: some were removed")
    if checked.checkpoints:
        last = checked.checkpoints[-1]
        if last.key != checkpoint.key:
            checked.faults.append(f"checkpoint {number} is signed by another key than the one before")
        if checkpoint.count < last.count:
            checked.faults.append(f"checkpoint {number} has fewer records than the one before")
    checked.checkpoints.append(checkpoint)


def standing_faults(lines: Sequence[bytes]) -> list[str]:
    """The faults in checkpoints since a person last accepted the state."""
    folded = newest_compaction(lines)
    faults: list[str] = [] if folded is None else [*folded.faults]
    for checkpoint in readable_checkpoints(lines):
        faults = [] if checkpoint.accepted else [*faults, *checkpoint.faults]
    return faults


def compact(lines: Sequence[bytes], files: StateFiles) -> tuple[CompactedCheckpoints, list[bytes]] | None:
    """A summary of the oldest checkpoints, and the lines that remain.

    None while there are few, or if something is wrong: then all of them stay, so that a person can examine them.
    """
    if (
        len(lines) < MAX_CHECKPOINTS
        or check_lines(lines).faults
        or list(FileHistory(readable_checkpoints(lines)).damage(files))
    ):
        return None
    gone, remaining = lines[:-REMAINING_CHECKPOINTS], list(lines[-REMAINING_CHECKPOINTS:])
    sightings, growing = FileHistory(readable_checkpoints(gone)), set(files.growing())
    accepted = [each.ts for each in readable_checkpoints(gone) if each.accepted]
    before = newest_compaction(gone)
    folded = CompactedCheckpoints(
        number=read_checkpoint(gone[-1]).number,
        hash=hash_line(gone[-1]),
        files={name: tuple(seen[-1 if name in growing else -_CONTENTS :]) for name, seen in sightings.seen.items()},
        starts={
            name: _hash_until(files, name, seen[-1][1].size or 0)
            for name, seen in sightings.seen.items()
            if name in growing
        },
        faults=tuple(standing_faults(gone)),
        accepted=accepted[-1] if accepted else "" if before is None else before.accepted,
    )
    return folded, remaining


def newest_compaction(lines: Sequence[bytes]) -> CompactedCheckpoints | None:
    """The newest summary. It counts only if its checkpoint's signature is valid."""
    for line in reversed(lines):
        try:
            folded = read_checkpoint(line).folded
            if folded is not None:
                return verify_checkpoint(line).folded
        except InvalidCheckpoint:
            continue
    return None


def _hash_until(files: StateFiles, name: str, size: int) -> str:
    digest = sha256()
    for part in files.read(name, 0, size):
        digest.update(part)
    return digest.hexdigest()


def _accepted(ts: str) -> str:
    return f"on {ts} a person accepted the state as it was"
