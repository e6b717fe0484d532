"""Hostile paths in every tool, prompt and resource that takes one: nothing outside or closed is shown or changed.

`test_hostile_paths.py` compares the codes of the tools of contract 3 with what it allows.
"""

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

import pytest

from handrail import wiring
from tests.e2e.servers import Server, audit_records, leftovers, serving
from tests.e2e.test_hostile_paths import codes_for, is_linked, paths, stage
from tests.effort import chance, count, tries
from tests.wire.clients import Json
from tests.wire.stage import START

CANARY = "only-people-see-this"
CHUNK = 90
ENTIRELY = ("E_DENY_PATH", "E_BAD_ARGS")
PATH_PARAMS = {"path", "paths", "to", "files", "scenePath", "imageFile"}
WITHOUT_PATHS = {"browser_drag", "desktop_menu", "desktop_pointer"}
"""Their `path` or `to` is one of the pointer or of a menu."""
TRIED_ELSEWHERE = {"browser_upload"}
"""It needs a browser: test_browser_tools.py."""

TOOLS: Mapping[str, tuple[Callable[[str], Json], ...]] = {
    "list_files": (lambda path: {"path": path, "globs": ["**/*"]}, lambda path: {"path": ".", "globs": [path]}),
    "read_file": (lambda path: {"path": path},),
    "read_files": (lambda path: {"files": [{"path": START}, {"path": path}]},),
    "read_media": (lambda path: {"path": path},),
    "file_info": (lambda path: {"path": path},),
    "write_to_file": (lambda path: {"path": path, "content": "x", "dryRun": True},),
    "write_files": (
        lambda path: {"files": [{"path": path, "content": "x\n"}]},
        lambda path: {"files": [{"path": "beside.txt", "content": "x\n"}, {"path": path, "content": "x\n"}]},
    ),
    "edit_file": (lambda path: {"path": path, "edits": [{"oldText": CANARY, "newText": "x"}]},),
    "replace_in_file": (lambda path: {"path": path, "find": CANARY, "replace": "x"},),
    "make_folder": (lambda path: {"path": path},),
    "move_path": (
        lambda path: {"path": path, "to": "moved", "dryRun": is_harmless(path)},
        lambda path: {"path": START, "to": path, "dryRun": is_harmless(path)},
    ),
    "copy_path": (lambda path: {"path": path, "to": "copied"}, lambda path: {"path": START, "to": path}),
    "delete_path": (lambda path: {"path": path, "recursive": True, "dryRun": is_harmless(path)},),
    "search_files": (
        lambda path: {"path": path, "regex": CANARY},
        lambda path: {"path": ".", "regex": CANARY, "filePattern": path},
    ),
    "list_snapshots": (lambda path: {"path": path},),
    "restore_snapshot": (lambda path: {"snapshotId": path},),
    "validate_script": (lambda path: {"path": path},),
    "preview_scene": (lambda path: {"scenePath": path, "content": "end;", "line": 9},),
    "generate_character_profile": (lambda path: {"name": "n", "imageFile": path},),
    "execute_command": (lambda path: {"scriptName": path}, lambda path: {"scriptName": "build", "args": [path]}),
    "browser_action": (lambda path: {"action": "screenshot", "path": path},),
}
PROMPTS: Mapping[str, str] = {
    "webgal.create_scene": "name",
    "webgal.refactor_scene": "path",
    "webgal.fix_validation": "path",
}
NAMES = {"list_snapshots", "restore_snapshot", "execute_command", "generate_character_profile", "browser_action"}
NAMES |= {"preview_scene"}
"""They open no file of this name, so another code, or an empty list, is right as well."""


def test_every_tool_and_prompt_with_a_path_is_tried(project: Path, state: Path) -> None:
    tools = [one.tool for one in wiring.Wiring().describe()]
    with_paths = {tool.name for tool in tools if PATH_PARAMS & tool.input_schema.get("properties", {}).keys()}
    assert with_paths - WITHOUT_PATHS - TRIED_ELSEWHERE <= TOOLS.keys()
    with serving(project, state) as server:
        listed = server.request("prompts/list", {})["prompts"]
        assert {prompt["name"] for prompt in listed} == PROMPTS.keys()
        templates = server.request("resources/templates/list", {})["resourceTemplates"]
        assert {template["uriTemplate"] for template in templates} == {"webgal://scene/{+path}", "app:{id}"}


def is_harmless(path: str) -> bool:
    """Whether it may be done: then it is only shown, so that the project stays for other attempts."""
    return not codes_for(path) <= set(ENTIRELY)


def requests(path: str) -> list[tuple[str, Json, str | None]]:
    """Returns each method and its parameters, with the tool's name if the path alone decides whether it is refused."""
    every: list[tuple[str, Json, str | None]] = []
    for tool, ways in TOOLS.items():
        for number, way in enumerate(ways):
            is_decided = tool not in NAMES and not (number and tool in ("list_files", "search_files"))
            params = {"name": tool, "arguments": way(path)}
            every.append(("tools/call", params, tool if is_decided else None))
    for prompt, argument in PROMPTS.items():
        every.append(("prompts/get", {"name": prompt, "arguments": {argument: path}}, None))
    uris = (f"webgal://scene/{path}", f"webgal://scene/{quote(path, safe='')}", f"app:{path}")
    return every + [("resources/read", {"uri": uri}, None) for uri in uris]


def is_closed(path: str) -> bool:
    names = [name for name in path.split("/") if name not in ("", ".")]
    return not is_harmless(path) and not is_linked(names)


def protected(project: Path, outside: Path) -> dict[str, bytes | str]:
    """What no tool may change: everything outside, and what is closed inside; a link by its target."""
    places = [*outside.parent.glob("project-evil/**/*"), project / ".git/config", project / ".env", project / "id_rsa"]
    contents: dict[str, bytes | str] = {str(path): path.read_bytes() for path in places if path.is_file()}
    return {**contents, "beside": repr(sorted(path.name for path in outside.parent.iterdir()))}


@pytest.mark.trial("hostile paths")
@pytest.mark.timeout(tries(180, 3600))
def test_no_tool_prompt_or_resource_reaches_what_is_outside_or_closed(project: Path, state: Path) -> None:
    outside = stage(project)
    for path in (outside / "secret.txt", project / ".git/config", project / ".env", project / "id_rsa"):
        path.write_text(f"{CANARY}\n")
    by = chance()
    combinations = [(path, request) for path in by.sample(paths(), len(paths())) for request in requests(path)]
    chosen = by.sample(combinations, tries(900, 100_000))
    with serving(project, state) as server:
        before = protected(project, outside)
        for at in range(0, len(chosen), CHUNK):
            chunk = chosen[at : at + CHUNK]
            count(len(chunk))
            answers = exchanged(server, [(method, params) for _, (method, params, _) in chunk])
            wrong = [
                (fault, method, params, answer)
                for (path, (method, params, tool)), answer in zip(chunk, answers, strict=True)
                if (fault := fault_of(path, tool, answer))
            ]
            assert wrong == []
            assert protected(project, outside) == before, [params for _, (_, params, _) in chunk]
            put_links_back(project, outside)
        assert server.ok("read_file", path=START)["content"] == (project / START).read_text()
    assert [name for name in leftovers(project) if name.endswith(".tmp")] == []  # names that only begin so are odd
    audit_records(state)


def fault_of(path: str, tool: str | None, answer: Json) -> str | None:
    text = json.dumps(answer)
    if CANARY in text.replace(json.dumps(path)[1:-1], ""):
        return "it shows what is closed"
    if "E_INTERNAL" in text or answer.get("error", {}).get("code") == -32603:
        return "it failed inside"
    if ("result" in answer) == ("error" in answer):
        return "it is no answer"
    if tool is not None and is_closed(path) and not any(code in text for code in ENTIRELY):
        return "the path was not refused"  # read_files has an error for each file
    return None


def put_links_back(project: Path, outside: Path) -> None:
    """A link itself may be moved or deleted."""
    for name, target in (("link", outside), ("game/up", Path("../..")), ("loop", Path("loop"))):
        if not (project / name).is_symlink() and not (project / name).exists():
            (project / name).symlink_to(target)


def exchanged(server: Server, messages: list[tuple[str, Json]]) -> list[Json]:
    """Sends all at once and returns the answers in the order of the messages."""

    def send() -> None:
        for number, (method, params) in enumerate(messages):
            server.send({"jsonrpc": "2.0", "id": f"h{number}", "method": method, "params": params})

    sender = threading.Thread(target=send)
    sender.start()
    received = {answer["id"]: answer for answer in (server.receive() for _ in messages)}
    sender.join()
    return [received[f"h{number}"] for number in range(len(messages))]
