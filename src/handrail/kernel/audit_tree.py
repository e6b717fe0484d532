"""The Merkle tree over the audit's records, with the place in the log where it ends."""

from collections.abc import Iterator

from handrail.kernel.chain import NO_HASH, InvalidRecord, read_record
from handrail.kernel.checkpoint import Checkpoint
from handrail.kernel.merkle import Tree
from handrail.ports.errors import Damaged


class AuditTree:
    """`size` and `head`: where the tree's last record ends in the log, and its hash."""

    def __init__(self, tree: Tree, size: int, head: str) -> None:
        self.tree = tree
        self.size = size
        self.head = head

    def copy(self) -> "AuditTree":
        return AuditTree(self.tree.copy(), self.size, self.head)

    def add(self, line: bytes, sealed: str, size: int) -> None:
        self.tree.add(line)
        self.size, self.head = size, sealed

    def catch_up(self, lines: Iterator[bytes]) -> None:
        """Adds records that other processes have written since. Damaged: they don't follow."""
        for line in lines:
            size = self.size + len(line)
            try:
                link = read_record(line)
            except InvalidRecord:
                self.size = size  # a torn line; only `verify` checks whether the next record repairs it
                continue
            if link.seq != self.tree.count + 1 or link.prev != self.head:
                raise Damaged(f"record {link.seq} of the audit does not follow record {self.tree.count}")
            self.add(line.removesuffix(b"\n"), link.hash, size)


def empty_tree() -> AuditTree:
    return AuditTree(Tree(), 0, NO_HASH)


def tree_at(last: Checkpoint | None) -> AuditTree:
    return empty_tree() if last is None else AuditTree(last.tree, last.size, last.head)
