"""What a person trusts, stored by content, with many processes at once."""

import stat
from pathlib import Path

from handrail.stores.local.trust import TrustFile
from tests.stores.processes import finish, release_together, start

TRUST_AND_DISTRUST = """
import sys
from pathlib import Path
from handrail.stores.local.trust import TrustFile

state, name = Path(sys.argv[1]), sys.argv[2]
trust = TrustFile(state)
print("ready", flush=True)
sys.stdin.readline()
for number in range(20):
    trust.add(f"{name} {number}".encode(), "policy.json")
    if number % 2:
        assert trust.remove(f"{name} {number}".encode())
"""


def test_trust_applies_until_it_is_revoked(tmp_path: Path) -> None:
    trust = TrustFile(tmp_path)
    assert not trust.holds(b"a")
    trust.add(b"a", "policy.json")
    assert (trust.holds(b"a"), trust.holds(b"b")) == (True, False)
    assert (trust.remove(b"a"), trust.remove(b"a")) == (True, False)
    assert not trust.holds(b"a")
    assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}


def test_concurrent_trust_decisions_are_all_kept(tmp_path: Path) -> None:
    people = [start(TRUST_AND_DISTRUST, tmp_path, name) for name in "abcd"]
    release_together(people)
    for person in people:
        finish(person)
    trust = TrustFile(tmp_path)
    for name in "abcd":
        held = [number for number in range(20) if trust.holds(f"{name} {number}".encode())]
        assert held == list(range(0, 20, 2))
