"""Finds the newest checkpoint, and compares the copies of it that are kept elsewhere with the file of checkpoints."""

from collections.abc import Iterator, Sequence

from handrail.kernel.checkpoint import Checkpoint, InvalidCheckpoint, hash_line, read_checkpoint, verify_checkpoint
from handrail.ports.errors import Failure
from handrail.ports.record import CheckpointCopy


def newest_checkpoint(lines: Sequence[bytes] | Iterator[bytes]) -> tuple[bytes | None, Checkpoint | None]:
    """The readable checkpoint with the highest number; of an iterator, which goes backwards, the first readable one."""
    newest: tuple[bytes | None, Checkpoint | None] = None, None
    for line in lines:
        try:
            checkpoint = read_checkpoint(line)
        except InvalidCheckpoint:
            continue
        if not isinstance(lines, Sequence):
            return line, checkpoint
        if newest[1] is None or checkpoint.number >= newest[1].number:
            newest = line, checkpoint
    return newest


def copy_faults(last: bytes | None, places: Sequence[CheckpointCopy]) -> Iterator[str]:
    """Differences between the copies and `last`, the newest line in the file of checkpoints."""
    number = 0 if last is None else read_checkpoint(last).number
    expected = () if last is None else read_checkpoint(last).places
    for place in places:
        try:
            copy = place.read()
        except Failure as failure:
            yield failure.message.removesuffix(".")
            continue
        if copy is None:
            if place.name in expected:
                yield f"{place.name} is missing or was rolled back: it knows no checkpoint"
            continue
        try:
            theirs = verify_checkpoint(copy.line)
        except InvalidCheckpoint as wrong:
            yield f"the checkpoint in {place.name} was changed: {wrong}"
            continue
        if theirs.number > number and copy.is_settled:
            yield (
                f"checkpoints were rolled back or removed: there are {number}, and {place.name} knows {theirs.number}"
            )
        elif theirs.number < number and place.name in expected:
            yield f"{place.name} was rolled back: it knows checkpoint {theirs.number} of {number}"
        elif theirs.number == number and hash_line(copy.line) != hash_line(last):
            yield f"checkpoint {number} is not the one that {place.name} knows"
