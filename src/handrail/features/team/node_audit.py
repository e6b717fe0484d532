"""The copy of a node's audit: its lines as the node wrote them, taken only where they continue the chain."""

import re

from handrail.kernel.chain import Head, Unsealed, read_head, unseal
from handrail.kernel.chain_check import BrokenChain, check_chain
from handrail.ports.errors import Conflict, InvalidParams
from handrail.ports.journal import Journal


def keep(journal: Journal, start: int, data: bytes) -> Head:
    """Where the copy ends now. Conflict: these are not the next records. Blocks."""
    lines = re.findall(rb"[^\n]*\n", data)
    if not lines:
        raise InvalidParams("There are no records.", field="body")
    with journal.hold(is_durable=True) as held:
        before = read_head(held.mark) if held.mark is not None else Head()
        if before is None or start != held.size:
            raise Conflict("The team has another part of this audit.", size=held.size)
        head = _continued(before, lines)
        for line in lines:
            held.append(line[:-1])
        held.set_mark(head.spelled())
    return head


def _continued(before: Head, lines: list[bytes]) -> Head:
    try:
        last = unseal(lines[-1])
        head = Head(last.seq, before.size + sum(map(len, lines)), last.hash)
        check_chain(lines, head.size, head, after=before)
    except (Unsealed, BrokenChain) as broken:
        why = "This does not continue the audit that the team knows of this node"
        raise Conflict(f"{why}: {broken}", hint="A machine that was set up again needs a new token.") from None
    return head
