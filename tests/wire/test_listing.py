"""list_files: contract 3 §1.1."""

from pathlib import Path
from typing import Any

import pytest

from tests.wire.clients import Client, Start, Stdio
from tests.wire.stage import put, put_policy


@pytest.mark.also_cli
def test_the_direct_children_are_listed_sorted_and_folders_end_in_a_slash(client: Client, project: Path) -> None:
    put(project, "a.txt", "")
    put(project, "Z.txt", "")
    put(project, "中.txt", "")
    assert client.ok("list_files", path=".")["entries"] == ["Z.txt", "a.txt", "game/", "notes.md", "中.txt"]


def test_entries_are_relative_to_the_path_and_not_to_the_root(client: Client) -> None:
    assert client.ok("list_files", path="game")["entries"] == ["config.txt", "scene/"]
    assert client.ok("list_files", path="game/scene")["entries"] == ["start.txt"]


@pytest.mark.parametrize("spelling", ["game/scene", "./game/scene", "game/scene/", "game//scene", "game/./scene"])
def test_a_folder_may_be_spelled_in_several_ways(client: Client, spelling: str) -> None:
    assert client.ok("list_files", path=spelling)["entries"] == ["start.txt"]


def test_an_empty_folder_has_no_entries(client: Client, project: Path) -> None:
    (project / "empty").mkdir()
    assert client.ok("list_files", path="empty")["entries"] == []
    assert client.ok("list_files", path="empty", globs=["**/*"])["entries"] == []


@pytest.mark.parametrize(
    ("globs", "matches"),
    [
        (["**/*.txt"], ["game/config.txt", "game/scene/chapter1.txt", "game/scene/start.txt"]),
        (["*.md"], ["notes.md"]),
        (["*.txt"], []),
        (["game/*.txt", "*.md"], ["game/config.txt", "notes.md"]),
        (["./game/*.txt"], ["game/config.txt"]),
        (["game/scene/s?art.txt"], ["game/scene/start.txt"]),
        (["**/[a-c]*.txt"], ["game/config.txt", "game/scene/chapter1.txt"]),
        (["**/[!a-c]*.txt"], ["game/scene/start.txt"]),
        (["**/{start,config}.txt"], ["game/config.txt", "game/scene/start.txt"]),
        (["**/scene"], ["game/scene/"]),
        (["game/**"], ["game/config.txt", "game/scene/", "game/scene/chapter1.txt", "game/scene/start.txt"]),
    ],
)
def test_globs_pick_from_everything_below(client: Client, project: Path, globs: list[str], matches: list[str]) -> None:
    put(project, "game/scene/chapter1.txt", "")
    assert client.ok("list_files", path=".", globs=globs)["entries"] == matches


def test_globs_are_relative_to_the_path_as_the_entries_are(client: Client) -> None:
    assert client.ok("list_files", path="game", globs=["scene/*.txt"])["entries"] == ["scene/start.txt"]


def test_only_folders_are_listed_when_asked_for(client: Client, project: Path) -> None:
    put(project, "game/bgm/a.mp3", "")
    assert client.ok("list_files", path=".", dirsOnly=True)["entries"] == ["game/"]
    assert client.ok("list_files", path=".", dirsOnly=True, globs=["**/*"])["entries"] == [
        "game/",
        "game/bgm/",
        "game/scene/",
    ]


def test_hidden_files_are_listed_and_closed_folders_are_not(client: Client, project: Path) -> None:
    for path in (".gitignore", ".git/config", ".GIT/config", "node_modules/a.js", ".env/key", "game/.git/config"):
        put(project, path, "")
    put_policy(project)
    client.write("notes.md", "written\n")
    assert client.ok("list_files", path=".")["entries"] == [".gitignore", "game/", "notes.md"]
    below = client.ok("list_files", path=".", globs=["**/*"])["entries"]
    assert below == [".gitignore", "game/", "game/config.txt", "game/scene/", "game/scene/start.txt", "notes.md"]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"path": "."}, "3 entries are closed and not listed."),
        ({"path": "secret"}, "1 entry is closed and not listed."),
        ({"path": "game"}, None),
        ({"path": ".", "globs": ["**/*.txt"]}, "1 entry is closed and not listed."),
        ({"path": ".", "globs": ["**/.env"]}, "2 entries are closed and not listed."),
    ],
)
def test_the_number_of_closed_entries_comes_with_the_contracts_result(
    start: Start, project: Path, tmp_path: Path, params: dict[str, Any], message: str | None
) -> None:
    for path in (".env", "id_rsa", ".git/config", "secret/.env", "secret/plan.txt"):
        put(project, path, "")
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    rule = '[[rules]]\ntool = "*"\npath = "secret/*.txt"\ndecision = "deny"\n'
    (state / "config.toml").write_text(rule if "globs" in params else "")
    client = start("stdio", project, state)
    assert isinstance(client, Stdio)
    result = client.request("tools/call", {"name": "list_files", "arguments": params})
    texts = [part["text"] for part in result["content"]]
    assert texts[1:] == ([] if message is None else [message])
    assert set(result["structuredContent"]) == {"entries"}


def test_links_are_shown_and_never_followed(client: Client, project: Path, tmp_path: Path) -> None:
    put(tmp_path, "secret.txt", "")
    (project / "out").symlink_to(tmp_path)
    (project / "in").symlink_to("game")
    assert client.ok("list_files", path=".")["entries"] == ["game/", "in", "notes.md", "out"]
    assert not [name for name in client.ok("list_files", path=".", globs=["**/*"])["entries"] if "secret" in name]
    for link in ("out", "in", "in/scene"):
        assert client.code("list_files", path=link) == "E_DENY_PATH"


@pytest.mark.also_cli
def test_a_folder_that_is_not_there_is_not_found(client: Client) -> None:
    error = client.error("list_files", path="game/nowhere")
    assert error["code"] == "E_NOT_FOUND"
    assert error["details"]["path"] == "game/nowhere"
    assert client.code("list_files", path="game/nowhere", globs=["**/*"]) == "E_NOT_FOUND"


def test_listing_a_file_is_an_error(client: Client) -> None:
    assert client.code("list_files", path="notes.md") == "E_NOT_FOUND"


@pytest.mark.parametrize("glob", ["[z-a]", "x" * 1001])
def test_a_glob_that_can_not_be_read_is_a_bad_argument(client: Client, glob: str) -> None:
    assert client.code("list_files", path=".", globs=[glob]) == "E_BAD_ARGS"
