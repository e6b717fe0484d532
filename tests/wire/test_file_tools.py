"""Tools that are not in contract 3: move, copy, delete, create, read several, view, describe, edit, write several."""

import base64
import hashlib
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.wire.clients import Client, Start, Stdio, run
from tests.wire.stage import SCENE, START, put, put_policy

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGP4z8Dwn4EBAAUAAf9D4mXqAAAAAElFTkSuQmCC"
)
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt " + bytes(24)
CHANGING: list[tuple[str, dict[str, Any]]] = [
    ("move_path", {"path": "notes.md", "to": "PATH"}),
    ("move_path", {"path": "PATH", "to": "elsewhere.md"}),
    ("copy_path", {"path": "notes.md", "to": "PATH"}),
    ("copy_path", {"path": "PATH", "to": "elsewhere.md"}),
    ("delete_path", {"path": "PATH"}),
    ("make_folder", {"path": "PATH"}),
    ("edit_file", {"path": "PATH", "edits": [{"oldText": "a", "newText": "b"}]}),
    ("write_files", {"files": [{"path": "notes.md", "content": "new"}, {"path": "PATH", "content": "x"}]}),
]


def undo(project: Path, state: Path, *words: str) -> str:
    result = run("undo", *words, "--project", str(project), "--state", str(state), "--answer", "allow")
    assert result.returncode == 0, result.stderr
    return result.stdout


def state_of(project: Path) -> Path:
    return project.parent / "state"


def tree(folder: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if not {".webgal_agent", ".handrail"} & set(path.parts)
    }


@pytest.mark.also_cli
def test_a_file_moves_and_undo_brings_it_back(client: Client, project: Path) -> None:
    result = client.ok("move_path", path="notes.md", to="docs/deep/notes.md")
    assert [change["change"] for change in result["changes"]] == ["created", "created", "moved"]
    assert result["changes"][-1]["to"] == "docs/deep/notes.md"
    assert (project / "docs/deep/notes.md").read_text() == "# Notes\n"
    assert not (project / "notes.md").exists()
    undo(project, state_of(project))
    assert (project / "notes.md").read_text() == "# Notes\n"
    assert not (project / "docs").exists()


def test_a_folder_moves_with_all_that_is_in_it(stdio: Stdio, project: Path) -> None:
    put(project, "game/deep/inner/x.bin", bytes(range(256)))
    stdio.ok("move_path", path="game", to="novel")
    assert (project / "novel/deep/inner/x.bin").read_bytes() == bytes(range(256))
    assert not (project / "game").exists()


def test_moves_and_copies_never_overwrite(stdio: Stdio, project: Path) -> None:
    for tool in ("move_path", "copy_path"):
        assert stdio.code(tool, path="notes.md", to=START) == "E_CONFLICT"
        assert stdio.code(tool, path="game", to="game/inner") == "E_BAD_ARGS"
        assert stdio.code(tool, path="missing.md", to="new.md") == "E_NOT_FOUND"
    assert (project / START).read_text() == SCENE


def test_a_copy_has_the_content_and_the_mode(stdio: Stdio, project: Path) -> None:
    put(project, "tool/run.sh", "#!/bin/sh\n").chmod(0o755)
    put(project, "tool/data/x.bin", bytes(range(256)))
    stdio.ok("copy_path", path="tool", to="copy")
    assert stat.S_IMODE((project / "copy/run.sh").stat().st_mode) == 0o755
    assert (project / "copy/data/x.bin").read_bytes() == bytes(range(256))
    undo(project, state_of(project))
    assert not (project / "copy").exists()
    assert (project / "tool/run.sh").exists()


@pytest.mark.also_cli
def test_a_folder_that_is_not_empty_needs_recursive_and_undo_restores_all_of_it(client: Client, project: Path) -> None:
    put(project, "old/a.txt", "a")
    put(project, "old/deep/b.bin", bytes(range(256))).chmod(0o640)
    (project / "old/empty").mkdir()
    before = tree(project)
    error = client.error("delete_path", path="old")
    assert error["code"] == "E_CONFLICT"
    assert "recursive" in error["hint"]
    result = client.ok("delete_path", path="old", recursive=True)
    assert {change["path"] for change in result["changes"]} == {
        *("old", "old/a.txt", "old/deep", "old/deep/b.bin", "old/empty"),
    }
    assert not (project / "old").exists()
    undo(project, state_of(project))
    assert tree(project) == before
    assert stat.S_IMODE((project / "old/deep/b.bin").stat().st_mode) == 0o640


def test_a_folder_is_made_once(stdio: Stdio, project: Path) -> None:
    assert len(stdio.ok("make_folder", path="a/b")["changes"]) == 2
    assert stdio.ok("make_folder", path="a/b")["changes"] == []
    assert stdio.code("make_folder", path="notes.md") == "E_CONFLICT"
    undo(project, state_of(project))
    assert not (project / "a").exists()


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("move_path", {"path": "notes.md", "to": "new/x.md"}),
        ("copy_path", {"path": "game", "to": "new"}),
        ("delete_path", {"path": "game", "recursive": True}),
        ("make_folder", {"path": "new/folder"}),
        ("edit_file", {"path": "notes.md", "edits": [{"oldText": "Notes", "newText": "News"}]}),
        ("write_files", {"files": [{"path": "new/a", "content": "a"}, {"path": "notes.md", "content": "b"}]}),
    ],
)
def test_a_dry_run_reports_the_change_and_makes_none(
    start: Start, own_project: Path, own_state: Path, tool: str, params: dict[str, Any]
) -> None:
    client = start("stdio", own_project, own_state, answer="deny")  # a dry run needs no approval
    before = tree(own_project)
    result = client.ok(tool, **params, dryRun=True)
    assert result["applied"] is False
    assert result.get("changes") or result.get("diff") or result["files"]
    assert tree(own_project) == before
    assert client.code(tool, **params) == "E_POLICY_VIOLATION"
    assert tree(own_project) == before


@pytest.mark.parametrize(("tool", "params"), CHANGING)
@pytest.mark.parametrize(
    "path",
    ["../x", "/etc/x", "~/x", "a\\b", "a/%2e%2e/b", ".git/config", ".webgal_agent/x", ".handrail/policy.json", ".env"],
)
def test_no_tool_reaches_closed_folders(
    stdio: Stdio, project: Path, tool: str, params: dict[str, Any], path: str
) -> None:
    put(project, ".git/config", "[core]\n")
    put(project, ".env", "KEY=1\n")
    before = tree(project)
    text = {name: _filled(value, path) for name, value in params.items()}
    for dry in ({}, {"dryRun": True}):
        assert stdio.code(tool, **text, **dry) == "E_DENY_PATH"
    assert tree(project) == before


def _filled(value: Any, path: str) -> Any:
    if isinstance(value, str):
        return path if value == "PATH" else value
    return [{name: _filled(inner, path) for name, inner in each.items()} for each in value]


@pytest.mark.parametrize(("tool", "params"), CHANGING)
def test_no_tool_follows_or_touches_a_link(
    stdio: Stdio, project: Path, tmp_path: Path, tool: str, params: dict[str, Any]
) -> None:
    outside = put(tmp_path, "outside/a.txt", "a\n")
    (project / "link").symlink_to(outside.parent)
    (project / "file-link").symlink_to(outside)
    for path in ("link/a.txt", "link/new.txt", "file-link"):
        text = {name: _filled(value, path) for name, value in params.items()}
        if tool == "make_folder" and path == "file-link":
            assert stdio.code(tool, **text) == "E_CONFLICT"
            continue
        assert stdio.code(tool, **text) in ("E_DENY_PATH", "E_CONFLICT", "E_NOT_FOUND"), path
    assert tree(tmp_path / "outside") == {"a.txt": b"a\n"}
    assert (project / "file-link").is_symlink()
    assert (project / "notes.md").read_text() == "# Notes\n"


def test_a_folder_in_which_another_call_writes_is_a_conflict_and_not_closed(stdio: Stdio, project: Path) -> None:
    put(project, "game/scene/.handrail-0123456789abcdef.old.tmp", "half\n")
    assert stdio.code("move_path", path="game/scene", to="game/scenes") == "E_CONFLICT"


def test_a_folder_that_contains_a_link_or_a_closed_name_is_not_changed(stdio: Stdio, project: Path) -> None:
    put(project, "one/.git/config", "[core]\n")
    (project / "two").mkdir()
    (project / "two/link").symlink_to("/etc")
    before = tree(project)
    for folder in ("one", "two"):
        assert stdio.code("delete_path", path=folder, recursive=True) in ("E_DENY_PATH", "E_CONFLICT")
        assert stdio.code("move_path", path=folder, to="elsewhere") in ("E_DENY_PATH", "E_CONFLICT")
        assert stdio.code("copy_path", path=folder, to="elsewhere") in ("E_DENY_PATH", "E_CONFLICT")
    assert tree(project).keys() == before.keys()


def test_a_rule_about_a_file_applies_to_its_folder(start: Start, own_project: Path, own_state: Path) -> None:
    put(own_project, "game/kept/x.txt", "x")
    put_policy(own_project, [{"effect": "WRITE", "path": "game/kept/**", "decision": "deny"}])
    client = start("stdio", own_project, own_state, answer="allow")
    assert client.code("delete_path", path="game", recursive=True) == "E_POLICY_VIOLATION"
    assert client.code("move_path", path="game", to="other") == "E_POLICY_VIOLATION"
    assert client.code("copy_path", path="notes.md", to="game/kept/y.txt") == "E_POLICY_VIOLATION"
    files = [{"path": "notes.md", "content": "n"}, {"path": "game/kept/x.txt", "content": "y"}]
    assert client.code("write_files", files=files) == "E_POLICY_VIOLATION"
    assert (own_project / "game/kept/x.txt").read_text() == "x"
    assert (own_project / "notes.md").read_text() == "# Notes\n"


def test_unreadable_files_cannot_be_moved_or_copied_to_readable_places(
    start: Start, own_project: Path, own_state: Path
) -> None:
    put(own_project, "private/diary.md", "dear diary")
    put_policy(own_project, [{"tool": "read_file", "path": "private/**", "decision": "deny"}])
    client = start("stdio", own_project, own_state, answer="allow")
    for tool in ("move_path", "copy_path"):
        assert client.code(tool, path="private/diary.md", to="open.md") == "E_POLICY_VIOLATION"
        assert client.code(tool, path="private", to="open") == "E_POLICY_VIOLATION"
    edit = [{"oldText": "dear", "newText": "near"}]
    assert client.code("edit_file", path="private/diary.md", edits=edit) == "E_POLICY_VIOLATION"
    assert client.code("file_info", path="private/diary.md") == "E_POLICY_VIOLATION"
    read = client.ok("read_files", files=[{"path": "private/diary.md"}, {"path": "notes.md"}])["files"]
    assert read[0]["error"]["code"] == "E_POLICY_VIOLATION"
    assert read[1]["content"] == "# Notes\n"


@pytest.mark.also_cli
def test_several_files_are_read_whole_or_in_part(client: Client, project: Path) -> None:
    put(project, "lines.txt", "".join(f"line {number}\r\n" for number in range(1, 11)) + "last")
    expected = [
        {"path": "./notes.md"},
        {"path": "lines.txt", "head": 2},
        {"path": "lines.txt", "tail": 2},
        {"path": "lines.txt", "lines": [3, 4]},
        {"path": "lines.txt", "lines": [11, 99]},
        {"path": "missing.txt"},
        {"path": "../x"},
        {"path": "lines.txt", "head": 1, "tail": 1},
    ]
    files = client.ok("read_files", files=expected)["files"]
    assert [file.get("content") for file in files[:5]] == [
        *("# Notes\n", "line 1\r\nline 2\r\n", "line 10\r\nlast", "line 3\r\nline 4\r\n", "last"),
    ]
    assert files[2]["firstLine"] == 10
    assert files[2]["totalLines"] == 11
    assert [file["error"]["code"] for file in files[5:]] == ["E_NOT_FOUND", "E_DENY_PATH", "E_BAD_ARGS"]


def test_files_read_together_share_one_limit(start: Start, own_project: Path, own_state: Path) -> None:
    put(own_project, "a.txt", "a" * 60)
    put_policy(own_project, maxReadBytes=100)
    client = start("stdio", own_project, own_state)
    files = client.ok("read_files", files=[{"path": "a.txt"}, {"path": "a.txt"}, {"path": "notes.md"}])["files"]
    assert files[1]["error"]["code"] == "E_TOO_LARGE"
    assert files[2]["content"] == "# Notes\n"


def test_a_model_gets_pictures_and_sounds_as_media(stdio: Stdio, project: Path) -> None:
    put(project, "game/background/x.jpg", PIXEL)  # its extension is wrong
    put(project, "game/bgm/x.wav", WAV)
    put(project, "fake.png", "not a picture")
    reply = stdio.request("tools/call", {"name": "read_media", "arguments": {"path": "game/background/x.jpg"}})
    picture = next(part for part in reply["content"] if part["type"] == "image")
    assert picture["mimeType"] == "image/png"
    assert base64.b64decode(picture["data"]) == PIXEL
    assert reply["structuredContent"]["width"] == 2
    reply = stdio.request("tools/call", {"name": "read_media", "arguments": {"path": "game/bgm/x.wav"}})
    assert next(part for part in reply["content"] if part["type"] == "audio")["mimeType"] == "audio/wav"
    assert stdio.code("read_media", path="fake.png") == "E_UNSUPPORTED"


def test_a_path_is_described_without_its_content(stdio: Stdio, project: Path) -> None:
    put(project, "x.png", PIXEL).chmod(0o444)
    info = stdio.ok("file_info", path="x.png")
    assert (info["kind"], info["mode"], info["isReadOnly"], info["mimeType"]) == ("file", "0444", True, "image/png")
    assert (info["width"], info["height"], info["sha256"]) == (2, 1, hashlib.sha256(PIXEL).hexdigest())
    text = stdio.ok("file_info", path=START)
    assert (text["lines"], text["bytes"], text["mimeType"]) == (3, len(SCENE.encode()), "text/plain")
    assert stdio.ok("file_info", path="game")["entries"] == 2
    assert stdio.code("file_info", path="nothing") == "E_NOT_FOUND"


@pytest.mark.also_cli
def test_several_edits_are_made_together(client: Client, project: Path) -> None:
    edits = [{"oldText": "来到这里", "newText": "回来"}, {"oldText": "end;", "newText": "结束;\nend;"}]
    dry = client.ok("edit_file", path=START, edits=edits, dryRun=True)
    result = client.ok("edit_file", path=START, edits=edits)
    new = SCENE.replace("来到这里", "回来").replace("end;", "结束;\nend;")
    assert (project / START).read_text() == new
    assert result["contentHash"] == dry["contentHash"] == hashlib.sha256(new.encode()).hexdigest()
    assert result["diff"] == dry["diff"]
    undo(project, state_of(project), result["snapshotId"])
    assert (project / START).read_text() == SCENE


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([{"oldText": "nowhere", "newText": "x"}], "isn't in the file"),
        ([{"oldText": ";", "newText": "x"}], "3 times"),
        ([{"oldText": "", "newText": "x"}], "empty"),
        ([{"oldText": "欢迎:来", "newText": "x"}, {"oldText": "来到", "newText": "y"}], "overlaps"),
        ([{"oldText": "end;", "newText": "x"}, {"oldText": "nowhere", "newText": "y"}], "Edit 2"),
    ],
)
def test_an_ambiguous_edit_changes_nothing(
    stdio: Stdio, project: Path, edits: list[dict[str, str]], message: str
) -> None:
    error = stdio.error("edit_file", path=START, edits=edits)
    assert error["code"] == "E_BAD_ARGS"
    assert message in error["message"]
    assert (project / START).read_text() == SCENE


def test_edits_follow_the_files_line_endings(stdio: Stdio, project: Path) -> None:
    put(project, "dos.txt", "one\r\ntwo\r\nthree\r\n")
    stdio.ok("edit_file", path="dos.txt", edits=[{"oldText": "one\ntwo", "newText": "1\n2\n2b"}])
    assert (project / "dos.txt").read_bytes() == b"1\r\n2\r\n2b\r\nthree\r\n"
    stdio.ok("edit_file", path="dos.txt", edits=[{"oldText": "2", "newText": "zwei", "all": True}])
    assert (project / "dos.txt").read_bytes() == b"1\r\nzwei\r\nzweib\r\nthree\r\n"


@pytest.mark.also_cli
def test_several_files_are_written_together_and_undone_together(client: Client, project: Path) -> None:
    files = [{"path": "new/a.txt", "content": "a\n"}, {"path": START, "content": "b;\n"}]
    before = tree(project)
    result = client.ok("write_files", files=files)
    assert [file["path"] for file in result["files"]] == ["new/a.txt", START]
    assert result["files"][1]["contentHash"] == hashlib.sha256(b"b;\n").hexdigest()
    assert (project / "new/a.txt").read_text() == "a\n"
    assert (project / START).read_text() == "b;\n"
    assert client.ok("write_files", files=files)["files"] == []  # there is nothing left to do
    undo(project, state_of(project))
    assert tree(project) == before


def test_one_unwritable_file_stops_all_writes(stdio: Stdio, project: Path) -> None:
    put(project, "binary.bin", b"\xff\xfe\x00")
    before = tree(project)
    for path, code in (("notes.md/x", "E_IO"), ("game", "E_IO"), ("binary.bin", "E_ENCODING"), (START, "E_BAD_ARGS")):
        files = [{"path": START, "content": "new"}, {"path": path, "content": "x"}]
        assert stdio.code("write_files", files=files) == code, path
        assert tree(project) == before
    both = [{"path": "new", "content": "x"}, {"path": "new/a", "content": "x"}]
    assert stdio.code("write_files", files=both, dryRun=True) == "E_BAD_ARGS"


def test_lines_beyond_the_limit_are_named_at_the_dry_run(start: Start, own_project: Path, own_state: Path) -> None:
    put_policy(own_project, batchMaxLines=3)
    client = start("stdio", own_project, own_state, answer="allow")
    assert isinstance(client, Stdio)
    edits = [{"oldText": "# Notes\n", "newText": "1\n2\n3\n4\n"}]
    files = [{"path": "notes.md", "content": "1\n2\n"}, {"path": "more.md", "content": "3\n4\n"}]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("write_to_file", {"path": "notes.md", "content": "1\n2\n3\n4\n"}),
        ("edit_file", {"path": "notes.md", "edits": edits}),
        ("write_files", {"files": files}),
    ]
    for tool, params in calls:
        reply = client.request("tools/call", {"name": tool, "arguments": {**params, "dryRun": True}})
        assert "batchMaxLines" in reply["content"][-1]["text"], tool
        assert client.error(tool, **params, dryRun=False)["details"]["batchMaxLines"] == 3
    short = client.request(
        "tools/call", {"name": "write_to_file", "arguments": {"path": "a.md", "content": "1\n", "dryRun": True}}
    )
    assert "batchMaxLines" not in str(short)


def test_hidden_and_odd_names_stay_as_they_are(stdio: Stdio, project: Path) -> None:
    name = "名 前-x.txt"
    put(project, f"odd/{name}", "x")
    stdio.ok("move_path", path=f"odd/{name}", to=f"odd/2 {name}")
    assert os.listdir(project / "odd") == [f"2 {name}"]
