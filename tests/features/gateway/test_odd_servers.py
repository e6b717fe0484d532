"""Servers that lie or break, behind the real program: each call ends in a clear error, and no other server suffers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.effort import first_of
from tests.features.gateway.rig import SAY, Mcp, Rig, odd_command
from tests.waiting import until

LIMITS = {"HANDRAIL_SERVER_CALL_SECONDS": "4", "HANDRAIL_SERVER_START_SECONDS": "4"}
OFF_SCHEMA = {
    **SAY,
    "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
}
FAILING = {
    "wrong_id": ("E_SERVER_ANSWER", "never sent"),
    "text_id": ("E_SERVER_ANSWER", "never sent"),
    "only_garbage": ("E_SERVER_ANSWER", "doesn't speak MCP"),
    "hang_initialize": ("E_SERVER_OFFLINE", "didn't start within"),
    "hang_list": ("E_SERVER_OFFLINE", "didn't start within"),
    "hang_call": ("E_TIMEOUT", "did not finish"),
    "dies_at_start": ("E_SERVER_OFFLINE", "ended"),
    "dies_in_call": ("E_SERVER_OFFLINE", "ended"),
    "half_line": ("E_SERVER_OFFLINE", "ended"),
    "floods": ("E_SERVER_ANSWER", "unsolicited messages"),
    "off_schema": ("E_SERVER_ANSWER", "doesn't fit its own schema"),
    "null_result": ("E_SERVER_ANSWER", "isn't a tool result"),
    "both": ("E_SERVER_REPORTED", "both"),
    "neither": ("E_SERVER_ANSWER", "neither a result nor an error"),
    "own_error": ("E_SERVER_REPORTED", "No such"),
    "bad_base64": ("E_SERVER_ANSWER", "isn't base64"),
    "unknown_part": ("E_SERVER_ANSWER", "a content type that MCP doesn't have"),
    "deep": ("E_SERVER_ANSWER", "can't be read"),
    "nan": ("E_SERVER_ANSWER", "can't be read"),
    "wrong_version": ("E_SERVER_ANSWER", "no version of MCP"),
    "endless_pages": ("E_SERVER_ANSWER", "endlessly"),
    "not_tools": ("E_NOT_FOUND", "no longer has the tool say"),
    "no_such_program": ("E_SERVER_OFFLINE", "No such file"),
}
WORKING = {
    "good": "hello",
    "garbage": "hello",
    "twice": "hello",
    "floods_stderr": "hello",
    "asks_too_much": "hello",
    "schema_bomb": "hello",
    "remote_reference": "hello",
    "duplicates": "hello",
    "odd_names": "hello",
    "huge_definition": "hello",
    "sampling": "doesn't let servers use the agent's model",
    "roots": "offers no roots/list",
}


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Rig:
    rig = Rig(tmp_path_factory.mktemp("odd"))
    for behaviour in (*FAILING, *WORKING):
        command = odd_command(behaviour) if behaviour != "no_such_program" else ("/no/such/program",)
        rig.pin(behaviour.replace("_", "-"), command, OFF_SCHEMA if behaviour == "off_schema" else SAY)
    return rig


@pytest.fixture(scope="module")
def mcp(rig: Rig) -> Iterator[Mcp]:
    client = Mcp(rig, "--answer", "allow", environ=LIMITS)
    yield client
    client.close()


@pytest.mark.parametrize("behaviour", first_of("servers", *((each,) for each in FAILING), suite=8))
def test_a_broken_server_causes_a_clear_error_and_affects_no_other_server(rig: Rig, mcp: Mcp, behaviour: str) -> None:
    slow = mcp.begin("tools/call", {"name": f"{behaviour.replace('_', '-')}__say", "arguments": {"text": "hello"}})
    assert mcp.text("good__say", text="meanwhile") == "meanwhile"
    result = mcp.answer(slow)
    code, words = FAILING[behaviour]
    assert result["isError"] is True
    error = json.loads(result["content"][0]["text"])["error"]
    assert (error["code"], words in json.dumps(error)) == (code, True), error
    assert "\x1b" not in error["message"]


@pytest.mark.parametrize("behaviour", WORKING)
def test_harmless_mistakes_are_ignored_and_others_are_refused(mcp: Mcp, behaviour: str) -> None:
    assert WORKING[behaviour] in mcp.text(f"{behaviour.replace('_', '-')}__say", text="hello")


def test_a_duplicate_answer_counts_once(mcp: Mcp) -> None:
    assert [mcp.text("twice__say", text=str(number)) for number in range(3)] == ["0", "1", "2"]


def test_a_server_that_keeps_failing_is_started_again_after_a_pause(rig: Rig, mcp: Mcp) -> None:
    def message() -> str:
        return str(mcp.error("dies-at-start__say")["message"])

    assert until(lambda: "times in a row and will be restarted in" in message())
    assert "fatal: no configuration" in until(lambda: rig.run("servers", "logs", "dies-at-start").stdout)


def test_an_answer_that_is_too_long_is_refused(tmp_path: Path) -> None:
    """Without the short timeout of the other tests, because this takes long on a busy machine."""
    rig = Rig(tmp_path)
    rig.pin("huge", odd_command("huge"))
    mcp = Mcp(rig)
    error = mcp.error("huge__say", text="hello")
    mcp.close()
    assert (error["code"], "more than 33554432 bytes" in error["message"]) == ("E_SERVER_ANSWER", True)


@pytest.mark.parametrize("behaviour", ["hang_call", "dies_in_call", "only_garbage", "dies_at_start"])
def test_a_call_that_may_have_been_carried_out_says_so_and_is_not_retryable(tmp_path: Path, behaviour: str) -> None:
    rig = Rig(tmp_path)
    rig.pin("odd", odd_command(behaviour), reads=False)
    mcp = Mcp(rig, "--answer", "allow", environ={**LIMITS, "HANDRAIL_SERVER_CALL_SECONDS": "1"})
    error = mcp.error("odd__say")
    mcp.close()
    was_sent = behaviour != "dies_at_start"
    assert ("It may have been done." in error["message"], error["retryable"]) == (was_sent, not was_sent)
    assert error.get("details", {}).get("mayHaveBeenDone", False) is was_sent


@pytest.mark.trial("servers", is_long=True)
def test_unusable_definitions_are_left_out_and_the_log_says_why(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    expected = {
        "schema_bomb": "expands to more than",
        "remote_reference": "can't be used",
        "duplicates": "listed more than once",
        "odd_names": "other characters",
        "huge_definition": "more than 128 KB",
    }
    for behaviour, why in expected.items():
        name = behaviour.replace("_", "-")
        rig.add(name, *odd_command(behaviour))
        output = json.loads(rig.run("servers", "show", name, "--json").stdout)
        assert [each["name"] for each in output["accepted"]] == ["say"]
        assert why in rig.run("servers", "logs", name).stdout


def test_names_that_collide_when_shortened_stay_distinct(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.add("colliding", *odd_command("colliding"))
    mcp = Mcp(rig)
    names = [name for name in mcp.names() if name.startswith("colliding__")]
    mcp.close()
    assert len(set(names)) == len(names) == 5
    assert all(len(name) <= 64 for name in names)


def test_injected_text_and_hidden_characters_stay_inside_the_quote(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.add("injection", *odd_command("injection"))
    mcp = Mcp(rig)
    (tool,) = [tool for tool in mcp.request("tools/list")["tools"] if tool["name"] == "injection__say"]
    mcp.close()
    first, *rest = tool["description"].split("\n")
    assert first == "From the MCP server injection, in its own words:"
    assert all(line.startswith("> ") for line in rest)
    assert "\u202e" not in tool["description"]
    assert "\\u{202e}" in tool["description"]


def test_a_resources_address_is_prefixed_with_its_servers_name(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    log = tmp_path / "seen"
    rig.pin("files", odd_command("resource", log), resources=True)
    mcp = Mcp(rig)
    (entry,) = [each for each in mcp.request("resources/list")["resources"] if each["uri"].startswith("mcp://files/")]
    assert "/" not in entry["uri"].removeprefix("mcp://files/")
    read = mcp.request("resources/read", {"uri": entry["uri"]})
    assert read["contents"][0]["uri"] == entry["uri"]
    assert log.read_text() == "file:///etc/../etc/passwd"
    mcp.close()


def test_cancelling_reaches_the_server(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    notes = tmp_path / "told"
    rig.pin("slow", odd_command("cancellable", notes))
    mcp = Mcp(rig)
    number = mcp.begin("tools/call", {"name": "slow__say", "arguments": {}, "_meta": {"progressToken": 1}})
    mcp.note("notifications/progress")
    mcp.cancel(number)
    until(lambda: notes.exists() and notes.read_text())
    assert json.loads(notes.read_text())["reason"] == "cancelled"
    mcp.close()


@pytest.mark.trial("servers", is_long=True)
@pytest.mark.parametrize("end", ["close", "kill"])
def test_a_server_and_its_children_end_with_handrail(tmp_path: Path, end: str) -> None:
    rig = Rig(tmp_path)
    pids = tmp_path / "pids"
    rig.pin("stubborn", odd_command("stubborn", pids))
    mcp = Mcp(rig)
    mcp.text("stubborn__say", text="hello")
    running = [Path("/proc") / pid for pid in pids.read_text().split()]
    assert all(process.exists() for process in running)
    if end == "close":
        mcp.close()
    else:
        mcp.kill()
    until(lambda: not any(process.exists() for process in running))
