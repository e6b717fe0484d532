"""What a person trusts, kept by content and place, from many processes at once."""

import json
import stat
from hashlib import sha256
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
        assert trust.remove(f"{name} {number}".encode(), "policy.json")
"""


def test_what_was_trusted_counts_until_it_is_taken_back(tmp_path: Path) -> None:
    trust, place = TrustFile(tmp_path), "/a/policy.json"
    assert not trust.holds(b"a", place)
    trust.add(b"a", place)
    assert (trust.holds(b"a", place), trust.holds(b"b", place)) == (True, False)
    assert not trust.holds(b"a", "/b/policy.json"), "the same content in another project"
    assert (trust.remove(b"a", place), trust.remove(b"a", place)) == (True, False)
    assert not trust.holds(b"a", place)
    assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}


def test_of_many_who_trust_at_once_nobody_is_lost(tmp_path: Path) -> None:
    people = [start(TRUST_AND_DISTRUST, tmp_path, name) for name in "abcd"]
    release_together(people)
    for person in people:
        finish(person)
    trust = TrustFile(tmp_path)
    for name in "abcd":
        held = [number for number in range(20) if trust.holds(f"{name} {number}".encode(), "policy.json")]
        assert held == list(range(0, 20, 2))


def test_what_was_trusted_before_its_place_counted_is_trusted_in_that_place(tmp_path: Path) -> None:
    entry = {"policy": "/a/policy.json", "at": "2026-01-01T00:00:00+00:00"}
    (tmp_path / "trusted.json").write_text(json.dumps({sha256(b"a").hexdigest(): entry}))
    trust = TrustFile(tmp_path)
    assert (trust.holds(b"a", "/a/policy.json"), trust.holds(b"a", "/b/policy.json")) == (True, False)
    assert trust.remove(b"a", "/a/policy.json")
    assert not trust.holds(b"a", "/a/policy.json")
