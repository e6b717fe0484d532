"""The copy of a node's audit: its lines as the node wrote them, taken only where they continue the chain."""

from handrail.kernel.chain import Head, read_head
from handrail.kernel.chain_check import follow_records
from handrail.ports.errors import Conflict, InvalidParams
from handrail.ports.journal import Journal


def keep(journal: Journal, start: int, data: bytes) -> Head:
    """Where the copy ends now. Conflict: these are not the next records. Blocks."""
    if not data:
        raise InvalidParams("There are no records.", field="body")
    with journal.lock(is_durable=True) as held:
        before = read_head(held.mark) if held.mark is not None else Head()
        if before is None or start != held.size:
            raise Conflict("The team has another part of this audit.", size=held.size)
        count, last, end = follow_records(before.count, before.hash, data)
        if end != len(data):
            raise Conflict(
                "This does not continue the audit that the team knows of this node.",
                hint="A machine that was set up again needs a new token.",
            )
        for line in data[:-1].split(b"\n"):
            held.append(line)
        head = Head(count, held.size, last)
        held.set_mark(head.spelled())
    return head
