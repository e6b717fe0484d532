"""Real clients with a scripted model use handrail's tools through the configuration that `handrail connect` wrote."""

import hashlib
import json
from pathlib import Path

import pytest

from tests.clients.places import Places
from tests.clients.real_clients import REAL_CLIENTS, RealClient, running
from tests.clients.script import Say, Turn, Use
from tests.e2e.servers import audit_records
from tests.effort import first_of

BEFORE = "The door is open.\n"
AFTER = "The door is closed.\n"


@pytest.mark.parametrize(
    "client", first_of("clients", *((client,) for client in REAL_CLIENTS), suite=0), ids=lambda client: client.name
)
def test_a_client_reads_and_a_person_approves_its_write(client: RealClient, tmp_path: Path) -> None:
    places = Places.below(tmp_path)
    file = places.project / "door.txt"
    file.write_text(BEFORE)
    places.handrail("connect", client.name, "--yes")
    turns: list[Turn] = [
        Use("read_file", {"path": "door.txt"}, server="handrail", expects="The door is open."),
        Use("replace_in_file", {"path": "door.txt", "find": "open", "replace": "closed"}, "handrail", expects="count"),
        Use(
            "replace_in_file",
            {"path": "door.txt", "find": "door", "replace": "gate"},
            "handrail",
            expects="E_POLICY_VIOLATION",
        ),
        Say("The door is closed now."),
    ]
    with running(client, places.project, places.home, turns) as client_process:
        question = places.person.answers("--ok")
        assert "-The door is open.\n+The door is closed." in json.dumps(question).encode().decode("unicode_escape")
        places.person.answers("--cancel")
        transcript = client_process.finish()
    assert (transcript.status, file.read_text()) == (0, AFTER)
    assert "The door is closed now." in transcript.out

    records = [each for each in audit_records(places.state) if each.get("tool") in ("read_file", "replace_in_file")]
    assert [(each["tool"], each["event"], each.get("ok")) for each in records] == [
        ("read_file", "end", True),
        ("replace_in_file", "begin", None),
        ("replace_in_file", "end", True),
        ("replace_in_file", "end", False),
    ]
    evidence = places.project / ".handrail" / records[2]["evidence"]["dir"]
    hashes = {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in evidence.iterdir()}
    assert records[2]["evidence"]["sha256"] == hashes
    assert "+The door is closed." in (evidence / "diff.patch").read_text()
