"""How the server starts without a game, and that it ends without hanging."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from lsprotocol import types

from handrail.stores.local.trust import TrustFile
from tests.features.webgal.lsp.editor import Editor


def started(tmp_path: Path, *command: str) -> Editor:
    return Editor(*command, HANDRAIL_STATE=str(tmp_path / "state"), HANDRAIL_LANG="en")


def test_a_workspace_without_a_game_is_reported_once_and_may_get_one_later(tmp_path: Path) -> None:
    root = tmp_path / "empty"
    root.mkdir()
    editor = started(tmp_path)
    editor.initialize(root)
    editor.wait(lambda: bool(editor.messages), "the message")
    scene = root / "game" / "scene" / "start.txt"
    scene.parent.mkdir(parents=True)
    scene.write_text("end", encoding="utf-8")
    editor.open(scene.as_uri(), "end")
    editor.wait_for(scene.as_uri(), "WG101")
    assert editor.messages == [f"handrail: There is no WebGAL game in {root}: no folder game/scene."]
    assert editor.vanish() == 0


def test_without_a_folder_it_reports_an_error_unless_a_project_is_set(tmp_path: Path) -> None:
    editor = started(tmp_path)
    editor.initialize(None)
    editor.wait(lambda: bool(editor.messages), "the message")
    assert "No folder is open" in editor.messages[0]
    scene = tmp_path / "public" / "game" / "scene" / "start.txt"
    scene.parent.mkdir(parents=True)
    scene.write_text("end", encoding="utf-8")
    added = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(tmp_path.as_uri(), "x")], [])
    editor.notify(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, types.DidChangeWorkspaceFoldersParams(added))
    editor.wait_for(scene.as_uri(), "WG101")
    removal = types.WorkspaceFoldersChangeEvent([], list(added.added))
    editor.notify(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, types.DidChangeWorkspaceFoldersParams(removal))
    editor.wait_for(scene.as_uri())
    editor.notify(types.EXIT, None)  # without a shutdown before it
    assert editor.vanish() == 1
    other = started(tmp_path, "--project", str(tmp_path), "--stdio")
    other.initialize(None)
    other.wait_for(scene.as_uri(), "WG101")
    other.call(lambda: other.process.send_signal(signal.SIGINT))
    assert other.vanish() == 128 + signal.SIGINT


def test_a_broken_policy_is_reported_and_can_be_fixed_while_it_runs(tmp_path: Path) -> None:
    scene, policy = tmp_path / "game" / "scene" / "start.txt", tmp_path / ".handrail" / "policy.json"
    for file, text in ((scene, "雪乃:好"), (policy, "{}")):
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
    silencing = '{"policies": {"lintIgnore": ["WG101"]}}'
    (tmp_path / "state").mkdir(mode=0o700)
    TrustFile(tmp_path / "state").add(silencing.encode(), str(policy))  # an untrusted one can't silence a rule
    editor = started(tmp_path)
    editor.initialize(tmp_path, capabilities={"general": {"positionEncodings": ["utf-8", "utf-16"]}})
    (diagnostics,) = editor.wait_for(scene.as_uri(), "WG101")
    assert str(diagnostics.range) == "0:10-0:10"  # as this client likes to count
    for text, is_so in (
        ("{", lambda: any("policy.json" in message for message in editor.messages)),
        (silencing, lambda: editor.codes()[scene.as_uri()] == []),
    ):
        policy.write_text(text, encoding="utf-8")
        change = types.FileEvent(policy.as_uri(), types.FileChangeType.Changed)
        editor.notify(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, types.DidChangeWatchedFilesParams([change]))
        editor.wait(is_so, text)
    assert editor.end() == 0


def test_an_unknown_transport_is_refused_and_invalid_input_ends_the_server(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "handrail", "webgal", "lsp"]
    environ = {**os.environ, "HANDRAIL_STATE": str(tmp_path / "state")}
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    broken = b"\r\nContent-Length: 2\r\n\r\n{xContent-Length: 99\r\n\r\n{"
    wires = [(nothing, b""), (pipe, broken), (pipe, b"x" * 200_000)]
    processes = [subprocess.Popen(command, stdin=stdin, stdout=pipe, stderr=pipe, env=environ) for stdin, _ in wires]
    outputs = [
        process.communicate(wire_bytes or None, timeout=60)
        for process, (_, wire_bytes) in zip(processes, wires, strict=True)
    ]
    assert [process.returncode for process in processes] == [1, 0, 0]
    assert [out for out, _ in outputs] == [b"", b"", b""]
    assert b"An editor starts this command" in outputs[0][1]
    assert b"not the language server protocol" in outputs[2][1]
    assert not any(b"Traceback" in err for _, err in outputs)
