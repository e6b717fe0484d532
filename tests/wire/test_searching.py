"""search_files: contract 3 §1.5."""

from pathlib import Path

import pytest

from tests.wire.clients import Client, Json
from tests.wire.stage import START, put, put_policy


def search(client: Client, regex: str, path: str = ".", **more: object) -> list[str]:
    return [match["path"] for match in client.ok("search_files", path=path, regex=regex, **more)["matches"]]


@pytest.mark.also_cli
def test_a_match_has_its_path_from_the_root_its_line_and_the_line_itself(client: Client) -> None:
    match: Json = {"path": START, "line": 2, "preview": "changeBg:beach.jpg;"}
    assert client.ok("search_files", path=".", regex="beach") == {"matches": [match]}
    assert client.ok("search_files", path="game/scene", regex="bea.h") == {"matches": [match]}
    assert client.ok("search_files", path=START, regex="^change") == {"matches": [match]}


def test_every_matching_line_is_found_in_order_of_path_and_line(client: Client, project: Path) -> None:
    put(project, "b.txt", "x\ny\nx x\n")
    put(project, "a/x.txt", "x")
    matches = client.ok("search_files", path=".", regex="^x")["matches"]
    assert [(match["path"], match["line"]) for match in matches] == [("a/x.txt", 1), ("b.txt", 1), ("b.txt", 3)]


def test_the_end_of_a_line_is_found_before_any_ending(client: Client, project: Path) -> None:
    put(project, "dos.txt", "needle\r\nneedles\r\n")
    assert search(client, "needle$") == ["dos.txt"]


def test_a_search_ends_at_its_cap_however_much_there_is(client: Client, project: Path) -> None:
    for number in range(200):
        put(project, f"folder-with-a-long-name/{number}-{'x' * 200}.txt", "needle\n" * 500)
    assert len(search(client, "needle", maxMatches=1500)) == 1500


def test_nothing_found_is_an_empty_answer(client: Client) -> None:
    assert client.ok("search_files", path=".", regex="nowhere") == {"matches": []}


def test_at_most_the_requested_lines_are_returned(client: Client, project: Path) -> None:
    put(project, "many.txt", "x\n" * 2100)
    assert len(search(client, "x", maxMatches=7)) == 7
    assert len(search(client, "x")) == 2000
    assert len(search(client, "x", maxMatches=3000)) == 2100
    assert client.code("search_files", path=".", regex="x", maxMatches=0) == "E_BAD_ARGS"


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("**/*.txt", ["game/config.txt", "needle.txt"]),
        ("*.md", ["notes.md"]),
        ("game/**", ["game/config.txt", "game/x.md"]),
        ("*.{md,json}", ["game/x.md", "notes.md"]),
        ("*.js", []),
    ],
)
def test_the_file_pattern_narrows_the_search(client: Client, project: Path, pattern: str, paths: list[str]) -> None:
    for path in ("game/config.txt", "needle.txt", "notes.md", "game/x.md"):
        put(project, path, "needle\n")
    if pattern == "*.md":
        (project / "game/x.md").unlink()
    assert search(client, "needle", filePattern=pattern) == paths


@pytest.mark.parametrize("pattern", [None, "**/*", ".git/**", "**/config", ".webgal_agent/**", "!nothing"])
def test_closed_folders_are_never_searched(client: Client, project: Path, pattern: str | None) -> None:
    for path in (".git/config", ".Git/config", "node_modules/config", ".env/config", "game/.git/config", "seen/config"):
        put(project, path, "needle\n")
    put_policy(project, forbiddenDirs=["needle"])
    put(project, "needle/config", "needle\n")
    client.write("old.txt", "needle\n")
    client.write("old.txt", "gone\n")
    more = {} if pattern is None else {"filePattern": pattern}
    assert set(search(client, "needle", **more)) <= {"seen/config"}
    if pattern in (None, "**/*", "**/config"):
        assert search(client, "needle", **more) == ["seen/config"]


def test_hidden_and_ignored_files_are_searched(client: Client, project: Path) -> None:
    for name in (".gitignore", ".ignore", ".rgignore"):
        put(project, name, "*.log\n")
    put(project, "a.log", "needle\n")
    put(project, ".hidden/b.txt", "needle\n")
    assert search(client, "needle") == [".hidden/b.txt", "a.log"]


def test_links_are_not_searched(client: Client, project: Path, tmp_path: Path) -> None:
    put(tmp_path, "secret.txt", "needle\n")
    (project / "file.txt").symlink_to(tmp_path / "secret.txt")
    (project / "folder").symlink_to(tmp_path)
    assert search(client, "needle") == []
    for path in ("file.txt", "folder", "folder/secret.txt"):
        assert client.code("search_files", path=path, regex="needle") == "E_DENY_PATH"


def test_undecodable_bytes_are_shown_as_replacements(client: Client, project: Path) -> None:
    put(project, "latin.txt", b"caf\xe9 needle\n")
    (match,) = client.ok("search_files", path=".", regex="needle")["matches"]
    assert match == {"path": "latin.txt", "line": 1, "preview": "caf\ufffd needle"}


def test_binary_files_break_nothing(client: Client, project: Path) -> None:
    put(project, "picture.png", b"\x89PNG\0\0needle\0\xff\n" * 1000)
    put(project, "text.txt", "needle\n")
    assert "text.txt" in search(client, "needle")


def test_a_huge_line_is_shown_shortened(client: Client, project: Path) -> None:
    put(project, "huge.txt", "中" * 1_000_000 + "needle")
    (match,) = client.ok("search_files", path=".", regex="needle")["matches"]
    assert match["preview"].startswith("中中中")
    assert match["preview"].endswith("…")
    assert len(match["preview"]) < 500


def test_a_preview_excludes_the_lines_ending(client: Client, project: Path) -> None:
    put(project, "ends.txt", "a needle\r\nlast needle")
    matches = client.ok("search_files", path="ends.txt", regex="needle")["matches"]
    assert [match["preview"] for match in matches] == ["a needle", "last needle"]


@pytest.mark.parametrize("name", ["with space.txt", "a:1:b.txt", "线.txt", "-x.txt", "new\nline.txt", "[a]{b}*.txt"])
def test_files_with_any_name_are_found(client: Client, project: Path, name: str) -> None:
    put(project, f"odd/{name}", "needle\n")
    assert search(client, "needle") == [f"odd/{name}"]
    assert search(client, "needle", path=f"odd/{name}") == [f"odd/{name}"]


@pytest.mark.parametrize("regex", ["(", "a{2,1}", "(?<", "[z-a]", "a\nb", "x" * 70_000, "a\0b", "a{1000}{1000}{1000}"])
def test_a_regex_that_can_not_be_searched_for_is_a_bad_argument(client: Client, regex: str) -> None:
    assert client.code("search_files", path=".", regex=regex) == "E_BAD_ARGS"


@pytest.mark.parametrize("regex", ["--files", "-e", "--pre=touch pwned", "-f/etc/passwd"])
def test_a_regex_is_never_taken_for_an_option(client: Client, project: Path, regex: str) -> None:
    put(project, "options.txt", f"{regex}\n")
    assert search(client, regex) == ["options.txt"]
    assert search(client, ".", filePattern=regex) == []
    assert not (project / "pwned").exists()


def test_a_regex_that_would_hang_others_ends_at_once(client: Client, project: Path) -> None:
    put(project, "long.txt", "a" * 100_000 + "!")
    assert search(client, "(a|aa)+$") == []
    assert search(client, "(x+x+)+y") == []


@pytest.mark.also_cli
def test_a_folder_that_is_not_there_is_not_found(client: Client) -> None:
    assert client.code("search_files", path="nowhere", regex="x") == "E_NOT_FOUND"
