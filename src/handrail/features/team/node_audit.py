"""Keeps a copy of a node's audit: unchanged lines, accepted only if they continue the chain."""

from handrail.kernel.chain import Head, read_head
from handrail.kernel.chain_check import follow_records
from handrail.ports.errors import Conflict, InvalidParams
from handrail.ports.journal import Journal


def append_records(journal: Journal, start: int, data: bytes) -> Head:
    """Returns where the copy now ends. Conflict: these are not the next records. Blocks."""
    if not data:
        raise InvalidParams("There are no records.", field="body")
    with journal.lock(is_durable=True) as locked:
        before = read_head(locked.mark) if locked.mark is not None else Head()
        if before is None or start != locked.size:
            raise Conflict("The team has another part of this audit.", size=locked.size)
        count, last, end = follow_records(before.count, before.hash, data)
        if end != len(data):
            raise Conflict(
                "This does not continue the team's copy of this node's audit.",
                hint="A machine that was set up again needs a new token.",
            )
        for line in data[:-1].split(b"\n"):
            locked.append(line)
        head = Head(count, locked.size, last)
        locked.set_mark(head.spelled())
    return head
