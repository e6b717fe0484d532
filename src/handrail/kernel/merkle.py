"""A Merkle tree over lines (RFC 6962): one root for all lines, and short proofs about single ones.

`Tree` stores only the roots of whole subtrees, so adding a line is fast however many there are.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256


def leaf(line: bytes) -> bytes:
    return sha256(b"\0" + line).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


class Tree:
    """`frontier` has the roots of the whole subtrees over `count` lines, the largest first."""

    def __init__(self, count: int = 0, frontier: Iterable[bytes] = ()) -> None:
        self.count = count
        self.frontier = list(frontier)

    def add(self, line: bytes) -> None:
        node, size = leaf(line), self.count
        while size & 1:
            node = _node(self.frontier.pop(), node)
            size >>= 1
        self.frontier.append(node)
        self.count += 1

    def copy(self) -> "Tree":
        return Tree(self.count, self.frontier)

    @property
    def is_sound(self) -> bool:
        return len(self.frontier) == self.count.bit_count()

    @property
    def root(self) -> bytes:
        if not self.frontier:
            return sha256().digest()
        *left, root = self.frontier
        for node in reversed(left):
            root = _node(node, root)
        return root


def root_of(leaves: Sequence[bytes]) -> bytes:
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256().digest()
    split = _split(len(leaves))
    return _node(root_of(leaves[:split]), root_of(leaves[split:]))


def inclusion_proof(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """Proof that the line with this index is in the tree (RFC 6962, 2.1.1)."""
    if len(leaves) < 2:
        return []
    split = _split(len(leaves))
    if index < split:
        return [*inclusion_proof(leaves[:split], index), root_of(leaves[split:])]
    return [*inclusion_proof(leaves[split:], index - split), root_of(leaves[:split])]


def consistency_proof(leaves: Sequence[bytes], older: int) -> list[bytes]:
    """Proof that the first `older` lines are unchanged (RFC 6962, 2.1.2)."""
    return [] if older in (0, len(leaves)) else _consistency(leaves, older, is_whole=True)


def _consistency(leaves: Sequence[bytes], older: int, *, is_whole: bool) -> list[bytes]:
    if older == len(leaves):
        return [] if is_whole else [root_of(leaves)]
    split = _split(len(leaves))
    if older <= split:
        return [*_consistency(leaves[:split], older, is_whole=is_whole), root_of(leaves[split:])]
    return [*_consistency(leaves[split:], older - split, is_whole=False), root_of(leaves[:split])]


def is_included(node: bytes, index: int, count: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Verifies an inclusion proof (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < count:
        return False
    last = count - 1
    for sibling in proof:
        if last == 0:
            return False
        if index & 1 or index == last:
            node = _node(sibling, node)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            node = _node(node, sibling)
        index, last = index >> 1, last >> 1
    return last == 0 and node == root


def is_consistent(older: int, old_root: bytes, newer: int, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Verifies a consistency proof (RFC 9162, 2.1.4.2)."""
    if older == newer:
        return not proof and old_root == new_root
    if older == 0:
        return not proof
    if older > newer or not proof:
        return False
    path = list(proof) if older & (older - 1) else [old_root, *proof]
    index, last = older - 1, newer - 1
    while index & 1:
        index, last = index >> 1, last >> 1
    old = new = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if index & 1 or index == last:
            old, new = _node(sibling, old), _node(sibling, new)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            new = _node(new, sibling)
        index, last = index >> 1, last >> 1
    return last == 0 and old == old_root and new == new_root


def _split(count: int) -> int:
    """The largest power of two below `count`."""
    return 1 << (count - 1).bit_length() - 1
