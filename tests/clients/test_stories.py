"""A person's day with a real client and a scripted model: connect, work with its own tools and another server, undo,
disconnect. What the record says is what the disk has.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.clients.places import Places
from tests.clients.real_clients import CODEX, REAL_CLIENTS, RealClient, running
from tests.clients.script import Say, Turn, Use
from tests.clients.test_own_tools_of_clients import OWN_TOOLS
from tests.e2e.console_person import up
from tests.e2e.servers import audit_records
from tests.features.gateway.rig import HANDRAIL, PEERS

HOST = "foreign.example"
EFFECTS = ("native_shell", "native_edit", "files.write_file", "files.list_allowed_directories")
FILES = {"claude": ".claude.json", "codex": ".codex/config.toml", "gemini": ".gemini/settings.json"}


def with_another_server(client: RealClient, places: Places) -> Path:
    """Adds an MCP server to the client's own file, as another program would."""
    file = places.home / FILES[client.name]
    file.parent.mkdir(parents=True, exist_ok=True)
    command, folder = str(PEERS / "mcp-server-filesystem"), str(places.project)
    if client is CODEX:
        file.write_text(f"[mcp_servers.files]\ncommand = {json.dumps(command)}\nargs = [{json.dumps(folder)}]\n")
    else:
        file.write_text(json.dumps({"mcpServers": {"files": {"command": command, "args": [folder]}}}, indent=2))
    return file


def by_server(tool: str, arguments: Mapping[str, Any], expects: str = "") -> Use:
    """Servers behind handrail are called through its tool search."""
    return Use("tools_call", {"name": f"files__{tool}", "arguments": arguments}, server="handrail", expects=expects)


@pytest.mark.parametrize("client", [each.name for each in REAL_CLIENTS])
@pytest.mark.trial("clients", is_long=True)
def test_connect_work_undo_disconnect(client: str, tmp_path: Path) -> None:
    places = Places.below(tmp_path)
    own = next(each for each in OWN_TOOLS if each.client.name == client)
    door, gate, letter = (places.project / name for name in ("door.txt", "gate.txt", "letter.txt"))
    door.write_text("The door is open.\n")
    config = with_another_server(own.client, places)
    assert "files is behind handrail" in places.handrail("connect", client, "--yes", "--move", "files")
    turns: list[Turn] = [
        Use(*own.shell("sed -i s/open/closed/ door.txt")),
        Use(*own.write(gate, "A gate.\n")),
        Use(*own.shell(f"curl -sS http://{HOST}/"), expects="They said: not from here"),
        by_server("write_file", {"path": str(letter), "content": "Dear door.\n"}),
        by_server("list_allowed_directories", {}, expects=str(places.project)),
        Say("Done."),
    ]
    with (
        up(places.project, places.state),
        running(own.client, places.project, places.home, turns, options=own.options) as client_process,
    ):
        answers = (("--ok",), ("--ok",), ("--cancel", "--remark", "not from here"), ("--ok",))
        question = [places.person.answers(*words)["prompt"] for words in answers]
        transcript = client_process.finish()
    assert transcript.status == 0, transcript.err
    assert {"name": "Connects to", "value": f"http://{HOST}"} in question[2]["card"]["facts"]
    assert "Dear door." in json.dumps(question[3]), "what the server gets is shown"
    by_shell = own.client is CODEX
    assert compared(places) == [
        ("native_shell", True, {}),
        ("native_shell", True, {}) if by_shell else ("native_edit", True, {str(gate): True}),
        ("native_shell", False, {}),
        ("files.write_file", True, {}),
        ("files.list_allowed_directories", True, {}),
    ]
    assert [file.read_text() for file in (door, gate, letter)] == ["The door is closed.\n", "A gate.\n", "Dear door.\n"]

    if not by_shell:
        assert "gate.txt" in places.handrail("undo", "--answer", "allow")
        assert [file.exists() for file in (door, gate, letter)] == [True, False, True]
    places.handrail("disconnect", client)
    assert ("mcp-server-filesystem" in config.read_text(), HANDRAIL in config.read_text()) == (True, False)


def compared(places: Places) -> list[tuple[str, bool, dict[str, bool]]]:
    """Each recorded call that changed something: whether it was allowed, and for each file whether the disk matches."""
    ends = [each for each in audit_records(places.state) if each["event"] == "end" and each.get("tool") in EFFECTS]
    return [(each["tool"], each["ok"], as_recorded(places, each)) for each in ends]


def as_recorded(places: Places, record: Mapping[str, Any]) -> dict[str, bool]:
    if "evidence" not in record:
        return {}
    kept = places.project / ".handrail" / record["evidence"]["dir"] / "result.json"
    expected = json.loads(kept.read_text())["result"].get("expected", {}) if kept.exists() else {}
    return {path: sha256(Path(path).read_bytes()).hexdigest() == digest for path, digest in expected.items()}
