"""Verifies a team's copies of its nodes' audits, also against what the team's own audit says about them."""

from collections.abc import Iterator, Mapping

from handrail.kernel.audit import Audit
from handrail.kernel.chain import Link
from handrail.kernel.chain_check import BrokenChain
from handrail.ports.journal import Journal

EVENT = "node"


def node_faults(record: Audit, copies: Mapping[str, Journal]) -> Iterator[str]:
    """`copies` by the node's id. Blocks."""
    expected: dict[str, dict[int, str]] = {}
    for entry in record.entries():
        if entry.get("event") == EVENT:
            expected.setdefault(str(entry["node"]), {})[int(entry["records"])] = str(entry["digest"])
    for node in sorted({*expected, *copies}):
        if node not in copies:
            yield f"the copy of the audit of the node {node} is missing"
        else:
            yield from _faults(node, copies[node], expected.get(node, {}))


def _faults(node: str, copy: Journal, expected: Mapping[int, str]) -> Iterator[str]:
    missing = dict(expected)

    def compare(link: Link, line: bytes) -> None:
        if missing.get(link.seq) == link.hash:
            del missing[link.seq]

    try:
        Audit(copy).verify(compare)
    except BrokenChain as broken:
        yield f"the copy of the audit of the node {node}: {broken.details['reason']}"
    if missing:
        yield f"the copy of the audit of the node {node} is not what the record says of it (record {min(missing)})"
