"""Every client that can be installed, doing the same work: reads, a dry run, a picture, writes that a person approves
in time or late, and a call that is cancelled."""

import base64
import json
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.clients.places import Places
from tests.clients.real_clients import (
    CLINE,
    GEMINI,
    MORE_CLIENTS,
    OPENCODE,
    PATIENCE,
    REAL_CLIENTS,
    RealClient,
    running,
)
from tests.clients.script import Result, Say, Turn, Use
from tests.persons import HANDRAIL
from tests.waiting import until

BEFORE, AFTER = "The door is open.\n", "The door is closed.\n"
CLOSE = {"path": "door.txt", "find": "open", "replace": "closed"}
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
PATIENT_SECONDS = 20
CLIENTS = (*MORE_CLIENTS, *REAL_CLIENTS)


def every(*clients: RealClient) -> pytest.MarkDecorator:
    long = pytest.mark.trial("client libraries", is_long=True)
    return pytest.mark.parametrize("client", [pytest.param(each, marks=long, id=each.name) for each in clients])


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Places]:
    """With a running server, as after the first start of any client."""
    made = Places.below(tmp_path)
    (made.project / "door.txt").write_text(BEFORE)
    (made.project / "pixel.png").write_bytes(PIXEL)
    with made.served():
        yield made


def environment(client: RealClient, places: Places, seconds: float = 600) -> dict[str, str]:
    """Connects the client; libraries get their settings as variables."""
    command = [HANDRAIL, "mcp", "--project", str(places.project), "--state", str(places.state)]
    if not client.is_library:
        places.handrail("connect", client.name, "--project", str(places.project), "--yes")
    return {"MCP_SERVER": json.dumps(command), "CALL_SECONDS": str(seconds)}


def impatient(client: RealClient, places: Places) -> None:
    """As if `handrail connect` had written a limit of a few seconds instead of an hour."""
    for file in (file for file in places.home.rglob("*") if file.suffix in (".json", ".toml")):
        text = file.read_text()
        if "mcp_servers" in text or "mcpServers" in text:
            file.write_text(text.replace("3600000", f"{PATIENT_SECONDS}000").replace("3600", str(PATIENT_SECONDS)))


def wait_for_question(places: Places) -> None:
    """Waits until a person is asked: a client takes time to start."""
    until(places.person.pending, "nothing was asked", within=PATIENCE)


def use(client: RealClient, tool: str, arguments: dict[str, Any], expects: str = "") -> Use:
    return Use(tool, arguments, server=client.server, expects=expects)


def interrupt(client: RealClient, pid: int) -> None:
    """These two run in a child of the process that is started, so all processes get it, as Ctrl-C sends it."""
    if client in (GEMINI, OPENCODE):
        os.killpg(pid, signal.SIGINT)
    else:
        os.kill(pid, signal.SIGINT)


@every(*CLIENTS)
def test_a_client_reads_tries_sees_and_writes(client: RealClient, places: Places) -> None:
    turns: list[Turn] = [
        use(client, "read_file", {"path": "door.txt"}, expects="The door is open."),
        use(
            client,
            "write_to_file",
            {"path": "door.txt", "content": AFTER, "dryRun": True},
            expects="The door is closed.",
        ),
        use(client, "tools_call", {"name": "read_media", "arguments": {"path": "pixel.png"}}),
        use(client, "replace_in_file", CLOSE, expects="count"),
        Say("The door is closed now."),
    ]
    with running(client, places.project, places.home, turns, environment=environment(client, places)) as client_process:
        wait_for_question(places)
        places.person.answers("--ok")
        transcript = client_process.finish()
    assert (transcript.status, (places.project / "door.txt").read_text()) == (0, AFTER)
    assert "The door is closed now." in transcript.out
    pictures = base64.b64encode(PIXEL).decode() in json.dumps([each.body for each in client_process.model.requests])
    print(client.name, "shows its model the picture" if pictures else "shows its model no picture")


@every(*CLIENTS)
def test_a_cancelled_call_changes_nothing_until_it_is_repeated(client: RealClient, places: Places) -> None:
    """An approval that comes later counts once, for the same call of the same client."""
    file = places.project / "door.txt"
    settings = environment(client, places)
    turns: list[Turn] = [use(client, "replace_in_file", CLOSE)]
    later: list[Turn] = [
        use(client, "read_file", {"path": "door.txt"}, expects="The door is open."),
        Say("It is open."),
    ]
    with running(
        client, places.project, places.home, [*turns, *(later if client.is_library else [])], environment=settings
    ) as client_process:
        wait_for_question(places)
        interrupt(client, client_process.process.pid)
        client_process.finish(complete=client.is_library)
    places.person.answers("--ok")
    assert file.read_text() == BEFORE
    again: list[Turn] = [use(client, "replace_in_file", CLOSE, expects="count"), Say("Now it is closed.")]
    with running(client, places.project, places.home, again, environment=settings) as client_process:
        client_process.finish()
    assert file.read_text() == AFTER


@every(*(each for each in CLIENTS if each not in (OPENCODE, CLINE)))
def test_an_approval_after_the_clients_timeout_applies_to_the_same_call(client: RealClient, places: Places) -> None:
    """opencode's limit begins again with each progress message; Cline's is also that of its start, too short here."""
    file = places.project / "door.txt"

    def approve(results: Sequence[Result]) -> Use:
        places.person.answers("--ok")
        assert file.read_text() == BEFORE
        return use(client, "replace_in_file", CLOSE, expects="count")

    turns: list[Turn] = [use(client, "replace_in_file", CLOSE), approve, Say("It is closed.")]
    settings = environment(client, places, seconds=PATIENT_SECONDS)
    impatient(client, places)
    with running(client, places.project, places.home, turns, environment=settings) as client_process:
        client_process.finish()
    assert file.read_text() == AFTER
