"""Which tools a client is shown at first, and that all others can be found and called."""

import json
from pathlib import Path

from tests.wire.clients import Start, Stdio
from tests.wire.stage import START, furnish, put, trust

FINDER = {"tools_search", "tools_describe", "tools_call"}
FILES = {"read_file", "write_to_file", "replace_in_file", "search_files", "list_files", "get_runtime_info"}
PEOPLE = {"prompt_choices", "prompt_key_values", "ask_followup_question", "attempt_completion"}
CONTRACT = {"validate_script", "list_project_resources", "preview_scene"}
SHORT = {"HANDRAIL_ALL_TOOLS": "false"}
NOTES = {
    "schema_version": "1.0",
    "app": {"id": "com.example.notes", "name": "Notes", "description": "Keeps notes."},
    "execution": {"type": "http", "base_url": "http://127.0.0.1:9"},
    "tools": [
        {
            "name": "list_notes",
            "description": "List all notes.",
            "parameters": {"type": "object", "properties": {}},
            "execution": {"path": "/notes", "method": "GET"},
        }
    ],
}


def names(client: object) -> set[str]:
    assert isinstance(client, Stdio)
    return {tool["name"] for tool in client.request("tools/list", {})["tools"]}


def test_files_people_and_the_finder_are_listed_and_the_rest_is_found(start: Start, tmp_path: Path) -> None:
    project = tmp_path / "plain"
    project.mkdir()
    client = start("stdio", project, tmp_path / "state", environ=SHORT)
    assert isinstance(client, Stdio)
    listing = names(client)
    assert listing >= FINDER | FILES | PEOPLE
    assert not listing & (CONTRACT | {"browser_click", "desktop_click", "apps_list"})
    match = client.request("tools/call", {"name": "tools_search", "arguments": {"query": "apps"}})
    assert "apps_list: " in match["content"][0]["text"]
    result = client.request("tools/call", {"name": "tools_call", "arguments": {"name": "apps_list"}})
    assert not result["isError"]
    assert {"apps_list", "validate_script"} <= set(client.ok("get_runtime_info")["tools"])


def test_in_a_game_the_contracts_tools_are_listed_as_well(start: Start, tmp_path: Path) -> None:
    project = tmp_path / "game"
    put(project, START, "intro:hello;\n")
    put(project, "game/config.txt", "Game_name:Test;\n")
    assert names(start("stdio", project, tmp_path / "state", environ=SHORT)) >= CONTRACT | FINDER | FILES


def test_all_lists_every_tool_and_surfaces_only_their_own(start: Start, tmp_path: Path) -> None:
    project = tmp_path / "plain"
    project.mkdir()
    everything = names(start("stdio", project, tmp_path / "a", environ=SHORT, tools="all"))
    assert everything >= CONTRACT | FILES | PEOPLE | {"browser_click", "apps_list"}
    assert not everything & FINDER
    assert names(start("stdio", project, tmp_path / "b", environ=SHORT, tools="people")) == PEOPLE


def test_a_client_is_told_that_developer_mode_adds_tools(start: Start, tmp_path: Path) -> None:
    project, state = tmp_path / "game", tmp_path / "state"
    client = start("stdio", furnish(project), state, environ=SHORT)
    assert isinstance(client, Stdio)
    assert "execute_command" not in names(client)
    put(project, ".handrail/policy.json", json.dumps({"mode": "developer"}))
    trust(project, state)
    assert client.receive_any()["method"] == "notifications/tools/list_changed"
    assert "execute_command" in names(client)


def test_a_client_is_told_that_an_app_was_installed(start: Start, tmp_path: Path) -> None:
    project = tmp_path / "plain"
    project.mkdir()
    environ = {**SHORT, "HANDRAIL_APP_TOOLS": "true", "HOME": str(tmp_path)}
    client = start("stdio", project, tmp_path / "state", environ=environ)
    assert isinstance(client, Stdio)
    before = names(client)
    put(tmp_path, ".aai/com.example.notes/aai.json", json.dumps(NOTES))
    assert client.receive_any()["method"] == "notifications/tools/list_changed"
    assert names(client) - before == {"com-example-notes-list_notes"}
