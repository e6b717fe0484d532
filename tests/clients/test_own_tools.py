"""A new user's path: `handrail connect`, then a client's own shell is seen, asked about and recorded."""

from pathlib import Path

import pytest

from tests.clients.places import Places
from tests.clients.real_clients import CLAUDE, GEMINI, RealClient, running
from tests.clients.script import Say, Turn, Use
from tests.e2e.servers import audit_records

SHELL = {"claude": ("Bash", "command"), "gemini": ("run_shell_command", "command")}


@pytest.mark.parametrize("client", [CLAUDE, GEMINI], ids=lambda client: client.name)
def test_a_clients_own_shell_asks_and_is_recorded(client: RealClient, tmp_path: Path) -> None:
    places = Places.below(tmp_path)
    file = places.project / "door.txt"
    file.write_text("The door is open.\n")
    places.handrail("connect", client.name, "--yes")
    tool, parameter = SHELL[client.name]
    edit, remove = "sed -i s/open/closed/ door.txt", "rm door.txt"
    turns: list[Turn] = [
        Use(tool, {parameter: edit, "description": "Close the door"}),
        Use(tool, {parameter: remove, "description": "Remove it"}),
        Say("Done."),
    ]
    options = ["--allowedTools", "Bash"] if client is CLAUDE else ["--approval-mode", "yolo"]
    with running(client, places.project, places.home, turns, options=options) as started:
        asked = places.person.answers("--ok")
        assert edit in str(asked["prompt"])
        assert file.read_text() == "The door is open.\n"
        places.person.answers("--cancel")
        transcript = started.finish()
    assert (transcript.status, file.read_text()) == (0, "The door is closed.\n")
    shell = [each for each in audit_records(places.state) if each.get("tool") == "native_shell"]
    assert [(each["event"], each.get("ok")) for each in shell] == [("begin", None), ("end", True), ("end", False)]
