"""The server over stdio with a real client: what an editor shows while a person types."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from lsprotocol.types import Position, Range
from pygls.exceptions import JsonRpcException

from handrail.features.webgal.lsp.checker import MAX_DIAGNOSTICS
from tests.features.webgal.lsp.editor import Editor

MANY = MAX_DIAGNOSTICS + 500


def put(root: Path, name: str, text: str | bytes) -> str:
    """A file below the game's folder; its address."""
    file = root / "game" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file.as_uri()


@dataclass(frozen=True)
class Project:
    root: Path
    editor: Editor

    def put(self, name: str, text: str | bytes) -> str:
        return put(self.root, name, text)

    def scene(self, name: str, text: str | bytes) -> str:
        """A new one, which the client tells of."""
        uri = self.put(f"scene/{name}", text)
        self.tell(uri)
        return uri

    def tell(self, uri: str, kind: types.FileChangeType = types.FileChangeType.Created) -> None:
        params = types.DidChangeWatchedFilesParams([types.FileEvent(uri, kind)])
        self.editor.notify(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, params)

    def opened(self, name: str, text: str) -> str:
        uri = self.put(f"scene/{name}", text)
        self.editor.open(uri, text)
        self.editor.wait_for_version(uri, 1)
        return uri

    def ask(self, method: str, uri: str, line: int, units: int, **more: Any) -> Any:
        kind: Any = types.METHOD_TO_TYPES[method][2]
        document = types.TextDocumentIdentifier(uri)
        return self.editor.request(method, kind(text_document=document, position=Position(line, units), **more))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """One server for all of them; every test has scenes of its own."""
    root = tmp_path_factory.mktemp("lsp") / "my game"
    state = root.parent / "state"
    for name in ("background/beach.jpg", "figure/hero.png", "bgm/theme.mp3", "vocal/v1.wav", "video/op.mp4"):
        put(root, name, "x")
    put(root, "scene/start.txt", "雪乃:你好;\nsetVar:known=1;\n雪乃:再见{known};\n")
    put(root, "scene/faulty.txt", "雪乃:😀{known}\r\nchangeBg:beech.jpg;\r\n雪乃:none;nolint\r\n雪乃:none;\r\n")
    put(root, "config.txt", "Game_name : x;\n")
    (root.parent / "outside.txt").write_text("changeBg:secret.jpg\n", encoding="utf-8")
    (root / "game" / "scene" / "linked.txt").symlink_to(root.parent / "outside.txt")
    editor = Editor(HANDRAIL_STATE=str(state))
    editor.initialize(root, {"language": "en"})
    yield Project(root, editor)
    assert editor.end() == 0
    assert editor.errors == []
    assert not state.exists()
    assert not (root / ".webgal_agent").exists()


def test_all_findings_of_a_check_are_published_at_the_start(project: Project) -> None:
    editor, looked_at = project.editor, ("game/scene/faulty.txt", "game/config.txt")
    editor.wait(lambda: len(editor.diagnostics) >= 2, "the first check")
    result = subprocess.run(
        [sys.executable, "-m", "handrail", "webgal", "check", "--json", "--project", str(project.root)],
        env={**os.environ, "HANDRAIL_LANG": "en", "HANDRAIL_STATE": str(project.root.parent / "other")},
        capture_output=True,
        check=False,
    )
    capabilities = {
        file["path"]: [(problem["line"], problem["code"], problem["message"]) for problem in file["problems"]]
        for file in json.loads(result.stdout)["files"]
        if file["path"] in looked_at
    }
    expected = {
        uri.removeprefix(project.root.as_uri() + "/"): [
            (each.range.start.line + 1, each.code, each.message) for each in params.diagnostics
        ]
        for uri, params in editor.diagnostics.items()
        if uri.endswith(looked_at)
    }
    assert expected == capabilities
    assert [code for _, code, _ in capabilities["game/scene/faulty.txt"]] == ["WG101", "WG201", "WG301", "WG402"]


def test_columns_are_units_of_utf_16_and_kinds_are_severities(project: Project) -> None:
    uri = (project.root / "game/scene/faulty.txt").as_uri()
    diagnostics = project.editor.wait_for(uri, "WG101", "WG201", "WG301", "WG402")
    error, warning = types.DiagnosticSeverity.Error, types.DiagnosticSeverity.Warning
    assert [(str(each.range), each.severity) for each in diagnostics] == [
        ("0:12-0:12", error),
        ("1:9-1:18", error),
        ("3:3-3:7", warning),
        ("0:0-0:0", warning),
    ]


def test_no_link_is_followed_out_of_the_project(project: Project) -> None:
    project.editor.wait(lambda: len(project.editor.diagnostics) >= 2, "the first check")
    assert not any("linked" in uri for uri in project.editor.diagnostics)
    linked = (project.root / "game/scene/linked.txt").as_uri()
    assert project.ask(types.TEXT_DOCUMENT_HOVER, linked, 0, 3) is None


def test_the_client_is_asked_to_watch_the_disk(project: Project) -> None:
    project.editor.wait(lambda: project.editor.registered == ["workspace/didChangeWatchedFiles"], "the wish")


def test_unsaved_text_is_checked(project: Project) -> None:
    editor, uri = project.editor, project.opened("typed.txt", "雪乃:😀好\nend;\n;nolint-file WG402")
    editor.wait_for(uri, "WG101")
    editor.change(uri, types.TextDocumentContentChangePartial(Range(Position(0, 6), Position(0, 6)), ";"))
    editor.wait_for(uri)
    editor.change(uri, types.TextDocumentContentChangePartial(Range(Position(0, 3), Position(0, 6)), "none"))
    (diagnostics,) = editor.wait_for(uri, "WG301")
    assert str(diagnostics.range) == "0:3-0:7"


def test_the_last_of_many_quick_changes_is_checked(project: Project) -> None:
    editor, uri = project.editor, project.opened("quick.txt", "end;\n;nolint-file WG402")
    for number in range(40):
        editor.write(uri, f"雪乃:{number}\n;nolint-file WG402")
    version = editor.write(uri, "雪乃:40;\n;nolint-file WG402")
    editor.wait_for_version(uri, version)
    assert editor.codes()[uri] == []


def test_a_change_in_one_scene_updates_the_findings_of_others(project: Project) -> None:
    editor = project.editor
    reader = project.scene("reader.txt", "雪乃:{courage};\n;nolint-file WG402")
    editor.wait_for(reader, "WG403")
    writer = project.opened("writer.txt", "end;\n;nolint-file WG402")
    editor.write(writer, "setVar:courage=1;\n;nolint-file WG402")
    editor.wait_for(reader)
    editor.close(writer)  # and nobody has saved it
    editor.wait_for(reader, "WG403")


def test_a_file_that_appears_is_no_longer_missing(project: Project) -> None:
    uri = project.scene("waiting.txt", "changeBg:later.jpg;\n;nolint-file WG402")
    project.editor.wait_for(uri, "WG201")
    picture = project.put("background/later.jpg", "x")
    project.tell(picture)
    project.editor.wait_for(uri)
    Path(project.root / "game/background/later.jpg").unlink()
    project.tell(picture, types.FileChangeType.Deleted)
    project.editor.wait_for(uri, "WG201")


def test_a_scene_that_is_gone_has_no_problems(project: Project) -> None:
    uri = project.scene("gone.txt", "end\n;nolint-file WG402")
    project.editor.wait_for(uri, "WG101")
    (project.root / "game/scene/gone.txt").unlink()
    project.tell(uri, types.FileChangeType.Deleted)
    project.editor.wait_for(uri)


def test_settings_are_checked_while_they_are_typed(project: Project) -> None:
    editor, uri = project.editor, (project.root / "game/config.txt").as_uri()
    editor.open(uri, "Game_name : x;\n")
    editor.wait_for(uri, "WG124")
    editor.write(uri, "Game_name:x;\nTitle_img:beech.jpg;\n")
    editor.wait_for(uri, "WG201")
    editor.close(uri)
    editor.wait_for(uri, "WG124")


def test_a_binary_scene_is_reported_and_a_broken_one_does_not_affect_others(project: Project) -> None:
    uri = project.scene("binary.txt", b"\xff\xfe\x00")
    (diagnostics,) = project.editor.wait_for(uri, "WG125")
    assert str(diagnostics.range) == "0:0-0:0"


def test_a_bom_hidden_by_the_editor_is_reported(project: Project) -> None:
    text = "changeBg:beach.jpg;\n;nolint-file WG402"
    uri = project.scene("marked.txt", "\ufeff".encode() + text.encode())
    project.editor.wait_for(uri, "WG107")
    project.editor.open(uri, text)
    project.editor.wait_for_version(uri, 1)
    assert project.editor.codes()[uri] == ["WG107"]


def test_a_text_that_is_too_large_is_not_looked_into(project: Project) -> None:
    editor, uri = project.editor, project.opened("large.txt", "end;\n;nolint-file WG402")
    version = editor.write(uri, "end;\n" * 1_200_000)
    editor.wait_for_version(uri, version)
    assert editor.codes()[uri] == ["WG125"]
    editor.write(uri, "end;\n;nolint-file WG402")
    editor.wait_for(uri)


def test_of_very_many_problems_the_first_are_shown_and_the_rest_are_counted(project: Project) -> None:
    editor, uri = project.editor, project.opened("many.txt", "end;\n;nolint-file WG402")
    version = editor.write(uri, "雪乃:好\n" * MANY + ";nolint-file WG402")
    diagnostics = editor.wait_for_version(uri, version)
    assert (len(diagnostics), diagnostics[-1].message) == (MAX_DIAGNOSTICS + 1, "500 more problems are not listed.")


def test_requests_are_answered_from_the_latest_text(project: Project) -> None:
    editor, uri = project.editor, project.opened("asked.txt", "end;\n")
    editor.write(uri, "label:😀a;\njumpLabel:\nchangeBg:beach.jpg;\n😀:x -v1.wav")
    (item,) = project.ask(types.TEXT_DOCUMENT_COMPLETION, uri, 1, 10).items
    assert (item.label, str(item.text_edit.range)) == ("😀a", "1:10-1:10")
    assert "changes the background" in project.ask(types.TEXT_DOCUMENT_HOVER, uri, 2, 2).contents.value
    (picture,) = project.ask(types.TEXT_DOCUMENT_DEFINITION, uri, 2, 10)
    assert picture.uri == (project.root / "game/background/beach.jpg").as_uri()
    assert str(project.ask(types.TEXT_DOCUMENT_HOVER, uri, 3, 8).range) == "3:6-3:12"
    context = types.ReferenceContext(include_declaration=True)
    (place,) = project.ask(types.TEXT_DOCUMENT_REFERENCES, uri, 0, 6, context=context)
    assert str(place.range) == "0:6-0:9"
    document = types.TextDocumentIdentifier(uri)
    (symbol,) = editor.request(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolParams(document))
    assert symbol.name == "😀a"
    links = editor.request(types.TEXT_DOCUMENT_DOCUMENT_LINK, types.DocumentLinkParams(document))
    assert [link.target.rpartition("/")[2] for link in links] == ["beach.jpg", "v1.wav"]


def test_a_label_is_renamed_for_exactly_the_version_that_was_seen(project: Project) -> None:
    editor, uri = project.editor, project.opened("named.txt", "end;")
    version = editor.write(uri, "😀:x;\r\nlabel:a;\r\nchoose:😀:a|x:a;")
    prepared = project.ask(types.TEXT_DOCUMENT_PREPARE_RENAME, uri, 1, 6)
    assert (prepared.placeholder, str(prepared.range)) == ("a", "1:6-1:7")
    (edit,) = project.ask(types.TEXT_DOCUMENT_RENAME, uri, 1, 6, new_name="b").document_changes
    assert edit.text_document == types.OptionalVersionedTextDocumentIdentifier(uri, version)
    assert [(str(each.range), each.new_text) for each in edit.edits] == [
        ("1:6-1:7", "b"),
        ("2:10-2:11", "b"),
        ("2:14-2:15", "b"),
    ]


@pytest.mark.parametrize(
    ("units", "new", "why"),
    [(2, "x", "Only labels and characters"), (6, "b", "already has a label b"), (6, "", "can't be empty")],
)
def test_impossible_renames_are_refused_with_a_reason(project: Project, units: int, new: str, why: str) -> None:
    uri = project.opened(f"refused{units}{new}.txt", "label:a;\nlabel:b;")
    with pytest.raises(JsonRpcException, match=why):
        project.ask(types.TEXT_DOCUMENT_RENAME, uri, 0, units, new_name=new)


def test_fixes_are_offered_where_they_are_needed(project: Project) -> None:
    uri = project.opened("fixed.txt", "雪乃:😀好\nchangeBg:beech.jpg;\nend")
    document, selection = types.TextDocumentIdentifier(uri), Range(Position(1, 12), Position(1, 12))
    context = types.CodeActionContext([])
    actions = project.editor.request(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionParams(document, selection, context)
    )
    assert [(action.title, action.kind) for action in actions] == [
        ("Change to changeBg:beach.jpg;", "quickfix"),
        ("Silence WG201 here (;nolint)", "quickfix"),
        ("Fix all safely fixable problems", "source.fixAll.handrail"),
    ]
    (edit,) = actions[-1].edit.document_changes
    assert [(str(each.range), each.new_text) for each in edit.edits] == [("0:0-0:6", "雪乃:😀好;"), ("2:0-2:3", "end;")]
    automatic = types.CodeActionContext([], trigger_kind=types.CodeActionTriggerKind.Automatic)
    by_itself = project.editor.request(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionParams(document, selection, automatic)
    )
    assert [action.kind for action in by_itself] == ["quickfix", "quickfix"]
    only = types.CodeActionContext([], only=["source.fixAll"])
    (alone,) = project.editor.request(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionParams(document, selection, only)
    )
    assert alone.kind == "source.fixAll.handrail"


def test_the_language_can_be_changed(project: Project) -> None:
    editor, uri = project.editor, project.scene("words.txt", "end\n;nolint-file WG402")
    editor.wait_for(uri, "WG101")
    for language, text in (("zh", "缺少分号 [WG101]"), ("en", "missing semicolon [WG101]")):
        wish = types.DidChangeConfigurationParams({"handrail": {"language": language}})
        editor.notify(types.WORKSPACE_DID_CHANGE_CONFIGURATION, wish)
        editor.wait_for_message(uri, text)


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "file:///etc/passwd",
        "file://elsewhere/game/scene/a.txt",
        "file:///%ff",
        "nonsense",
        "{root}/../outside.txt",
        "{root}/game/scene/../../../outside.txt",
        "{root}/game/background/beach.jpg",
    ],
)
def test_files_outside_of_any_game_are_ignored(project: Project, uri: str) -> None:
    editor, uri = project.editor, uri.format(root=project.root.as_uri())
    assert not project.ask(types.TEXT_DOCUMENT_HOVER, uri, 0, 0)
    assert not project.ask(types.TEXT_DOCUMENT_DEFINITION, uri, 99, 99)
    editor.open(uri, "end")
    editor.write(uri, "changeBg:x.jpg")
    assert not project.ask(types.TEXT_DOCUMENT_HOVER, uri, 0, 2)
    editor.close(uri)
    assert uri not in editor.diagnostics


def test_a_change_to_a_text_that_is_not_open_is_ignored(project: Project) -> None:
    uri = (project.root / "game/scene/start.txt").as_uri()
    params = types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(7, uri), [])
    project.editor.notify(types.TEXT_DOCUMENT_DID_CHANGE, params)
    assert project.ask(types.TEXT_DOCUMENT_HOVER, uri, 0, 0) is not None


def test_a_position_after_the_end_gives_no_result(project: Project) -> None:
    uri = project.opened("short.txt", "雪乃:😀;")
    assert project.ask(types.TEXT_DOCUMENT_HOVER, uri, 99, 99) is None
    assert project.ask(types.TEXT_DOCUMENT_COMPLETION, uri, 99, 99).items
    assert project.ask(types.TEXT_DOCUMENT_COMPLETION, uri, 0, 99).items == ()


def test_a_request_that_makes_no_sense_is_answered(project: Project) -> None:
    for method, code in ((types.TEXT_DOCUMENT_HOVER, -32602), ("handrail/nothing", -32601)):
        with pytest.raises(JsonRpcException) as refused:
            project.editor.request_raw(method, {"position": "here"})
        assert refused.value.code == code
