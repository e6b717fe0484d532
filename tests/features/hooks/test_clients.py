"""Each client's events, recorded or documented, become native calls; answers are in the client's own format."""

import json
from pathlib import Path
from typing import Any

import pytest

from handrail.features.hooks.cli.fast import DEFAULT_TIMEOUTS
from handrail.features.hooks.clients import CLIENTS
from handrail.features.hooks.hook_event import denial
from handrail.features.hooks.native import Change, Edit, Fetch, FileChange, Mcp, Native, Other, Read, Shell
from handrail.features.hooks.offers import hook_settings
from handrail.features.hooks.patch_text import parse_patch
from handrail.features.hooks.project_servers import has_impostor
from handrail.ports.errors import InvalidParams
from tests.features.hooks.hook_rig import decision_of


def pre(tool: str, params: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"hook_event_name": "PreToolUse", "cwd": "/p", "tool_name": tool, "tool_input": params, **more}


PATCH = """*** Begin Patch
*** Add File: new.txt
+one
+two
*** Update File: old.txt
*** Move to: moved.txt
@@ def f():
 kept
-old
+new
*** Delete File: gone.txt
*** End Patch
"""

EVENTS: list[tuple[str, dict[str, Any], Native | None]] = [
    ("claude", pre("Bash", {"command": "ls", "description": "List", "timeout": 5}), Shell("ls", "/p")),
    (
        "claude",
        pre("Bash", {"command": "ls", "dangerouslyDisableSandbox": True}),
        Shell("ls", "/p", options={"dangerouslyDisableSandbox": True}),
    ),
    ("claude", pre("Write", {"file_path": "/p/a", "content": "x"}), Change((FileChange("/p/a", content="x"),))),
    (
        "claude",
        pre("Edit", {"file_path": "/p/a", "old_string": "x", "new_string": "y", "replace_all": True}),
        Change((FileChange("/p/a", edits=(Edit("x", "y", True),)),)),
    ),
    (
        "claude",
        pre("MultiEdit", {"file_path": "/p/a", "edits": [{"old_string": "x", "new_string": "y"}]}),
        Change((FileChange("/p/a", edits=(Edit("x", "y"),)),)),
    ),
    ("claude", pre("Read", {"file_path": "/p/a"}), Read("/p/a")),
    ("claude", pre("Grep", {"pattern": "x"}), Read("/p", is_search=True)),
    ("claude", pre("Glob", {"pattern": "*"}), Read("/p", is_listing=True)),
    ("claude", pre("Glob", {"pattern": "/etc/**/*.conf"}), Read("/etc", is_listing=True)),
    ("claude", pre("Glob", {"pattern": "../x*"}), Read("..", is_listing=True)),
    ("claude", pre("Grep", {"pattern": "x", "glob": ".env"}), Read("/p", is_search=True, glob=".env")),
    ("claude", pre("Skill", {"skill": "x"}), Other("Skill", {"skill": "x"})),
    ("gemini", pre("grep_search", {"pattern": "x", "context": 3, "no_ignore": False}), Read("/p", is_search=True)),
    (
        "gemini",
        pre("grep_search", {"pattern": "x", "no_ignore": True}),
        Read("/p", is_search=True, reads_ignored=True),
    ),
    ("gemini", pre("read_many_files", {"paths": ["src/**"]}), Read("/p", is_search=True, reads_ignored=True)),
    ("gemini", pre("read_many_files", {"paths": ["/etc/*"]}), Other("read_many_files", {"paths": ["/etc/*"]})),
    (
        "gemini",
        pre("read_many_files", {"include": ["a/../../b"]}),
        Other("read_many_files", {"include": ["a/../../b"]}),
    ),
    ("claude", pre("Bash", {"command": "ls", "run_in_background": True}), Shell("ls", "/p")),
    ("codex", pre("exec_command", {"cmd": "ls", "yield_time_ms": 1000, "max_output_tokens": 9}), Shell("ls", "/p")),
    ("codex", pre("exec_command", {"cmd": "ls", "shell": "/x"}), Shell("ls", "/p", options={"shell": "/x"})),
    ("claude", pre("WebFetch", {"url": "https://example.com", "prompt": "x"}), Fetch("https://example.com")),
    ("claude", pre("mcp__github__create_issue", {"title": "x"}), Mcp("github", "create_issue", {"title": "x"})),
    ("claude", pre("Monitor", {"command": "ls", "description": "x", "timeout_ms": 5}), Shell("ls", "/p")),
    ("claude", pre("Monitor", {"ws": {"url": "wss://example.com/x"}}), Fetch("wss://example.com/x")),
    (
        "claude",
        pre("Monitor", {"command": "ls", "ws": {"url": "wss://x.example"}}),
        Other("Monitor", {"command": "ls", "ws": {"url": "wss://x.example"}}),
    ),
    ("claude", pre("TodoWrite", {"todos": []}), Other("TodoWrite", {"todos": []}, is_harmless=True)),
    ("claude", pre("Unknown", {"x": 1}), Other("Unknown", {"x": 1})),
    ("claude", {"hook_event_name": "Stop", "cwd": "/p"}, None),
    ("codex", pre("shell", {"command": ["bash", "-lc", "ls | wc"]}), Shell("ls | wc", "/p")),
    ("codex", pre("shell", {"command": ["rm", "a b"], "workdir": "/p/src"}), Shell("rm 'a b'", "/p/src")),
    ("codex", pre("exec_command", {"cmd": "ls", "workdir": "src"}), Shell("ls", "/p/src")),
    ("codex", pre("write_stdin", {"session_id": 1, "chars": "rm x\n"}), Shell("rm x\n", "/p", is_input=True)),
    ("codex", pre("write_stdin", {"session_id": 1}), Other("write_stdin", {"session_id": 1}, is_harmless=True)),
    (
        "codex",
        pre("apply_patch", {"command": PATCH}),
        Change(
            (
                FileChange("new.txt", content="one\ntwo\n"),
                FileChange(
                    "old.txt",
                    edits=(Edit("kept\nold", "kept\nnew"),),
                    patch="@@ def f():\n kept\n-old\n+new",
                    moved_to="moved.txt",
                ),
                FileChange("gone.txt", is_removed=True),
            )
        ),
    ),
    (
        "gemini",
        pre("run_shell_command", {"command": "ls", "dir_path": "src"}, hook_event_name="BeforeTool"),
        Shell("ls", "/p/src"),
    ),
    (
        "gemini",
        pre("replace", {"file_path": "a", "old_string": "x", "new_string": "y"}, hook_event_name="BeforeTool"),
        Change((FileChange("a", edits=(Edit("x", "y"),)),)),
    ),
    (
        "gemini",
        pre(
            "github_search",
            {"q": "x"},
            hook_event_name="BeforeTool",
            mcp_context={"server_name": "github", "tool_name": "search"},
        ),
        Mcp("github", "search", {"q": "x"}),
    ),
    ("qwen", pre("run_shell_command", {"command": "ls"}), Shell("ls", "/p")),
    ("cursor", {"hook_event_name": "beforeShellExecution", "cwd": "/p", "command": "ls"}, Shell("ls", "/p")),
    (
        "cursor",
        {"hook_event_name": "beforeReadFile", "workspace_roots": ["/p"], "file_path": "/p/a", "content": "x"},
        Read("/p/a"),
    ),
    (
        "cursor",
        {
            "hook_event_name": "beforeMCPExecution",
            "workspace_roots": ["/p"],
            "tool_name": "search",
            "tool_input": '{"q": "x"}',
            "command": "npx server",
        },
        Mcp("npx server", "search", {"q": "x"}),
    ),
    ("copilot", {"cwd": "/p", "toolName": "bash", "toolArgs": '{"command": "ls"}'}, Shell("ls", "/p")),
    (
        "cline",
        {
            "hookName": "PreToolUse",
            "workspaceRoots": ["/p"],
            "preToolUse": {"toolName": "execute_command", "parameters": {"command": "ls"}},
        },
        Shell("ls", "/p"),
    ),
    ("opencode", {"tool": "bash", "args": {"command": "ls"}, "cwd": "/p"}, Shell("ls", "/p")),
    (
        "opencode",
        {"tool": "handrail_read_file", "args": {"path": "a"}, "cwd": "/p"},
        Mcp("handrail", "read_file", {"path": "a"}),
    ),
    (
        "opencode",
        {"tool": "edit", "args": {"filePath": "a", "oldString": "x", "newString": "y"}, "cwd": "/p"},
        Change((FileChange("a", edits=(Edit("x", "y"),)),)),
    ),
]


@pytest.mark.parametrize(("client", "event", "native"), EVENTS)
def test_an_event_becomes_a_native_call(client: str, event: dict[str, Any], native: Native | None) -> None:
    call = CLIENTS[client].read(event)
    assert (None if call is None else call.native) == native


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (".mcp.json", '{"mcpServers": {"handrail": {"command": "evil"}}}'),
        ("opencode.json", '{"mcp": {"handrail_read": {"type": "local", "command": ["evil"]}}}'),
        ("opencode.json", '{"mcp": {"handrail.read": {"type": "local", "command": ["evil"]}}}'),
        (".opencode/opencode.jsonc", '{"mcp": {"handrail": {"command": ["evil"]}}} // with a comment'),
        (".opencode/tool/handrail.js", "export const read_file = {};"),
        (".opencode/tools/handrail_read_file.ts", "export default {};"),
    ],
)
def test_a_tool_of_the_project_that_clients_name_as_ours_is_not_ours(tmp_path: Path, file: str, text: str) -> None:
    """opencode joins server and tool, or file and tool, with `_`."""
    assert not has_impostor(str(tmp_path))
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(text)
    assert has_impostor(str(tmp_path))


@pytest.mark.parametrize("client", DEFAULT_TIMEOUTS)
def test_every_client_reads_both_answers_and_has_settings(client: str) -> None:
    entry = CLIENTS[client]
    allowed, no = entry.answer("", True, "fine"), entry.answer("", False, "because")
    assert (None if allowed is None else decision_of(allowed)) == (None if client == "codex" else "allow")
    assert decision_of(no) == "deny"
    assert "because" in json.dumps(no)
    assert denial(entry, "because").status == (2 if entry.denies_by_status else 0)
    settings = hook_settings(client, ["/opt/handrail"], "/a state")
    assert settings is not None
    assert f"hook {client} --state '/a state'" in json.dumps(settings.entries) + (settings.text or "") or (
        client == "opencode"
    )


@pytest.mark.parametrize("text", ["", "nonsense", "*** Begin Patch\n*** End Patch\n", "*** Begin Patch\nrubbish\n"])
def test_a_patch_that_cannot_be_shown_is_refused(text: str) -> None:
    with pytest.raises(InvalidParams):
        parse_patch(text)
