"""The tree over the audit's lines, against RFC 6962's own examples and against itself."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.kernel.merkle import Tree, consistency_proof, inclusion_proof, is_consistent, is_included, leaf, root_of

# The lines and roots of Certificate Transparency's reference tests.
LINES = [bytes.fromhex(text) for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657")]
LINES.append(bytes.fromhex("606162636465666768696a6b6c6d6e6f"))
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def test_the_root_is_the_one_of_the_reference_tests() -> None:
    tree = Tree()
    assert tree.root == sha256().digest()
    for line, root in zip(LINES, ROOTS, strict=True):
        tree.add(line)
        assert tree.root.hex() == root
        assert tree.is_sound
        assert root_of([leaf(each) for each in LINES[: tree.count]]).hex() == root


@given(st.integers(1, 70), st.data())
def test_every_line_and_every_older_tree_can_be_proved(count: int, data: st.DataObject) -> None:
    leaves = [leaf(b"%d" % number) for number in range(count)]
    root = root_of(leaves)
    index = data.draw(st.integers(0, count - 1))
    proof = inclusion_proof(leaves, index)
    assert is_included(leaves[index], index, count, proof, root)
    assert not is_included(leaf(b"another"), index, count, proof, root)
    older = data.draw(st.integers(0, count))
    steps = consistency_proof(leaves, older)
    assert is_consistent(older, root_of(leaves[:older]), count, root, steps)
    if 0 < older < count:
        assert not is_consistent(older, leaf(b"another"), count, root, steps)
        assert not is_consistent(older, root_of(leaves[:older]), count, leaf(b"another"), steps)
        assert not is_consistent(older, root_of(leaves[:older]), count, root, steps[:-1])


@pytest.mark.parametrize("proof", [[], [b"x" * 32], [b"x" * 32] * 40])
def test_a_wrong_proof_proves_nothing(proof: list[bytes]) -> None:
    leaves = [leaf(b"%d" % number) for number in range(7)]
    assert not is_included(leaves[3], 3, 7, proof, root_of(leaves))
    assert not is_consistent(3, root_of(leaves[:3]), 7, root_of(leaves), proof)
