"""Real clients with a scripted model: their own shell and file tools pass the gate, and the record matches the disk."""

import json
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from handrail.features.hooks.offers import hook_settings
from tests.clients.places import Places
from tests.clients.real_clients import CLAUDE, CODEX, GEMINI, RealClient, running
from tests.clients.script import Say, Turn, Use
from tests.e2e.console_person import up
from tests.e2e.servers import audit_records
from tests.effort import first_of
from tests.persons import HANDRAIL

BEFORE = "The door is open.\n"


@dataclass(frozen=True, slots=True)
class OwnTools:
    """How a client names its shell and file tools, and how it is configured to leave approvals to its hook."""

    client: RealClient
    options: Sequence[str]
    shell: Callable[[str], tuple[str, Mapping[str, Any]]]
    write: Callable[[Path, str], tuple[str, Mapping[str, Any]]]
    reports: bool = True


def _patch(file: Path, content: str) -> str:
    lines = "".join(f"+{line}\n" for line in content.splitlines())
    return f"*** Begin Patch\n*** Add File: {file.name}\n{lines}*** End Patch\n"


OWN_TOOLS = (
    OwnTools(
        CODEX,
        ["--dangerously-bypass-hook-trust", "-s", "danger-full-access"],
        lambda command: ("exec_command", {"cmd": command}),
        lambda file, content: ("exec_command", {"cmd": f"apply_patch <<'EOF'\n{_patch(file, content)}EOF\n"}),
    ),
    OwnTools(
        CLAUDE,
        ["--permission-mode", "default"],
        lambda command: ("Bash", {"command": command, "description": "Work"}),
        lambda file, content: ("Write", {"file_path": str(file), "content": content}),
    ),
    OwnTools(
        GEMINI,
        ["--approval-mode", "yolo"],
        lambda command: ("run_shell_command", {"command": command}),
        lambda file, content: ("write_file", {"file_path": str(file), "content": content}),
    ),
)


def set_up_hook(client: RealClient, places: Places) -> None:
    """As `handrail connect` writes it."""
    settings = hook_settings(client.name, [HANDRAIL], str(places.state))
    assert settings is not None
    file = places.home / settings.file
    file.parent.mkdir(parents=True, exist_ok=True)
    hooks = {event: [entry] for event, entry in settings.entries.items()}
    file.write_text(json.dumps({"hooks": hooks, **settings.top}))


@pytest.mark.parametrize("own", first_of("clients", *((own,) for own in OWN_TOOLS)), ids=lambda own: own.client.name)
def test_a_clients_own_tools_do_only_what_a_person_allows(own: OwnTools, tmp_path: Path) -> None:
    places = Places.below(tmp_path)
    file, other = places.project / "door.txt", places.project / "gate.txt"
    file.write_text(BEFORE)
    set_up_hook(own.client, places)
    turns: list[Turn] = [
        Use(*own.shell("cat door.txt"), expects="The door is open."),
        Use(*own.shell("echo closed > door.txt")),
        Use(*own.shell("rm door.txt"), expects="keep that file"),
        Use(*own.shell(f"cat {places.state}/console.key"), expects="handrail's own"),
        Use(*own.write(other, "A gate.\n")),
        Say("Done."),
    ]
    with (
        up(places.project, places.state),
        running(own.client, places.project, places.home, turns, options=own.options) as client_process,
    ):
        assert places.person.answers("--ok")["prompt"]["command"] == "echo closed > door.txt"
        places.person.answers("--cancel", "--remark", "keep that file")
        prompt = places.person.answers("--ok")["prompt"]
        assert "+A gate." in prompt.get("diff", prompt.get("command", ""))
        transcript = client_process.finish()
    assert transcript.status == 0, transcript.err
    assert (file.read_text(), other.read_text()) == ("closed\n", "A gate.\n")
    key = (places.state / "console.key").read_text().strip()
    assert not any(key in result for result in transcript.results)

    records = [each for each in audit_records(places.state) if str(each.get("tool", "")).startswith("native_")]
    ends = [
        (each["tool"], each["ok"]) for each in records if each["event"] == "end" and each["tool"] != "native_outcome"
    ]
    write = "native_shell" if own.client is CODEX else "native_edit"
    assert ends == [
        ("native_shell", True),
        ("native_shell", True),
        ("native_shell", False),
        ("native_shell", False),
        (write, True),
    ]
    if own.client is CLAUDE:
        outcomes = [each for each in records if each["tool"] == "native_outcome"]
        files = json.loads(
            (places.project / ".handrail" / outcomes[-1]["evidence"]["dir"] / "outcome.json").read_text()
        )
        assert files["asShown"] == {str(other): True}
    assert len({each["identity"] for each in records}) == 1, "every hook of one client is the same agent"


@pytest.mark.trial("clients", is_long=True)
@pytest.mark.parametrize("own", OWN_TOOLS, ids=lambda own: own.client.name)
def test_a_hook_that_is_killed_blocks_the_tool(own: OwnTools, tmp_path: Path) -> None:
    """Codex and Gemini CLI run the tool if a hook fails other than by its status."""
    places = Places.below(tmp_path)
    file = places.project / "door.txt"
    file.write_text(BEFORE)
    set_up_hook(own.client, places)
    turns: list[Turn] = [Use(*own.shell("rm door.txt")), Say("Done.")]
    with (
        up(places.project, places.state),
        running(own.client, places.project, places.home, turns, options=own.options) as client_process,
    ):
        places.person.sees()
        os.kill(hook_of(places), signal.SIGKILL)
        client_process.finish()
    assert file.read_text() == BEFORE


def hook_of(places: Places) -> int:
    """The process of the waiting hook."""
    state = os.fsencode(places.state)
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if b"hook" in words and state in words:
                return int(folder.name)
    raise AssertionError("no hook is running")
