"""tools_search finds the right tool among its first results, given only the words of a request."""

from pathlib import Path

import pytest

from handrail.features.gateway.tools.tools_search import rank
from handrail.kernel.approval import NoApprover
from handrail.kernel.registry import RegisteredTool
from handrail.wiring import Wiring

LOOKED_AT = 3
REQUESTS = {
    "read the contents of a text file": "read_file",
    "read several files at once": "read_files",
    "list the files of a folder": "list_files",
    "search for a word in all files": "search_files",
    "write a new file": "write_to_file",
    "write many files together": "write_files",
    "replace text in a file": "replace_in_file",
    "edit lines of a file": "edit_file",
    "create a folder": "make_folder",
    "rename or move a file": "move_path",
    "copy a folder": "copy_path",
    "delete a file": "delete_path",
    "look at a picture": "read_media",
    "size and kind of a file": "file_info",
    "older versions of a file, snapshots": "list_snapshots",
    "restore an earlier snapshot": "restore_snapshot",
    "navigate to another page": "browser_navigate",
    "click a button on the page": "browser_click",
    "type text into a field of the page": "browser_type",
    "fill in a form": "browser_fill",
    "screenshot of the page": "browser_screenshot",
    "choose an option of a select": "browser_select_option",
    "upload a file to a web page": "browser_upload",
    "scroll down the page": "browser_scroll",
    "go back in the browser": "browser_go_back",
    "list open tabs": "browser_tabs",
    "open a new tab": "browser_tab_open",
    "close a tab": "browser_tab_close",
    "drag one element to another": "browser_drag",
    "console messages of the page": "browser_console",
    "network requests of the page": "browser_requests",
    "print the page as PDF": "browser_pdf",
    "find text on the page": "browser_find_text",
    "which apps are installed": "apps_list",
    "call a tool of an app": "apps_call",
    "ask the person a question": "ask_followup_question",
    "ask the person to choose an option": "prompt_choices",
    "check a WebGAL script for mistakes": "validate_script",
    "preview a scene of the game": "preview_scene",
    "list backgrounds and figures, the game's resources": "list_project_resources",
    "limits and closed folders of this project": "get_runtime_info",
}


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> list[RegisteredTool]:
    folder = tmp_path_factory.mktemp("chooser")
    project = Wiring().open_project(_made(folder / "project"), folder / "state", NoApprover())
    return [entry for entry in project.gate.registry if entry.role == "tool" and not entry.tool.finds_tools]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_there_are_at_least_forty_requests() -> None:
    assert len(REQUESTS) >= 40


@pytest.mark.parametrize("request_of", REQUESTS)
def test_the_search_finds_the_right_tool_by_the_words_of_a_request(
    request_of: str, tools: list[RegisteredTool]
) -> None:
    matches = [entry.tool.name for entry in rank(request_of, tools)[:LOOKED_AT]]
    assert REQUESTS[request_of] in matches
