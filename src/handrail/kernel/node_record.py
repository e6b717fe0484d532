"""Holds a team's copies of its nodes' audits against themselves and against what the team's own record says of them."""

from collections.abc import Iterator, Mapping

from handrail.kernel.audit import Audit
from handrail.kernel.chain import Link
from handrail.kernel.chain_check import BrokenChain
from handrail.ports.journal import Journal

EVENT = "node"


def node_faults(record: Audit, copies: Mapping[str, Journal]) -> Iterator[str]:
    """`copies` by the node's id. Blocks."""
    said: dict[str, dict[int, str]] = {}
    for entry in record.entries():
        if entry.get("event") == EVENT:
            said.setdefault(str(entry["node"]), {})[int(entry["records"])] = str(entry["digest"])
    for node in sorted({*said, *copies}):
        if node not in copies:
            yield f"the copy of the audit of the node {node} is missing"
        else:
            yield from _faults(node, copies[node], said.get(node, {}))


def _faults(node: str, copy: Journal, said: Mapping[int, str]) -> Iterator[str]:
    left = dict(said)

    def compare(link: Link, line: bytes) -> None:
        if left.get(link.seq) == link.hash:
            del left[link.seq]

    try:
        Audit(copy).verify(compare)
    except BrokenChain as broken:
        yield f"the copy of the audit of the node {node}: {broken.details['reason']}"
    if left:
        yield f"the copy of the audit of the node {node} is not what the record says of it (record {min(left)})"
