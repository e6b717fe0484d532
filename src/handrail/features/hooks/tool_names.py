"""Parses the tool calls of all clients by tool name. It is one table because clients borrow each other's names."""

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from handrail.features.hooks.native import Change, Edit, Fetch, FileChange, Mcp, Native, Other, Read, Shell
from handrail.features.hooks.patch_text import parse_patch
from handrail.ports.errors import InvalidParams

_SHELL = frozenset(
    {
        *("Bash", "bash", "Shell", "shell", "local_shell", "exec_command", "unified_exec", "run_shell_command"),
        *("execute_command", "run_terminal_cmd", "run_in_terminal", "container.exec", "shell_command", "PowerShell"),
    }
)
_INPUT = frozenset({"write_stdin", "write_bash"})
_WRITE = frozenset({"Write", "write", "write_file", "write_to_file", "create_file", "create", "new_file"})
_EDIT = frozenset(
    {"Edit", "edit", "replace", "str_replace", "MultiEdit", "multiedit", "edit_file", "search_replace", "StrReplace"}
)
_PATCH = frozenset({"apply_patch", "patch", "ApplyPatch"})
_REMOVE = frozenset({"Delete", "delete_file"})
_OTHER_CHANGES = frozenset({"NotebookEdit", "replace_in_file", "save_memory"})
"""Tools whose file changes only the client can compute: they are shown as sent, with the file's name."""
_READ = frozenset(
    {"Read", "read", "read_file", "ReadFile", "view", "view_image", "NotebookRead", "read_many_files", "readFile"}
)
_LIST = frozenset({"Glob", "glob", "LS", "ls", "list", "list_directory", "list_dir", "list_files", "listFiles"})
_SEARCH = frozenset({"Grep", "grep", "search_file_content", "grep_search", "search_files", "codebase_search", "rg"})
_FETCH = frozenset({"WebFetch", "webfetch", "web_fetch", "fetch", "fetch_webpage"})
_HARMLESS = frozenset(
    {
        *(
            "TodoWrite",
            "TodoRead",
            "todowrite",
            "todoread",
            "write_todos",
            "update_plan",
            "ExitPlanMode",
            "EnterPlanMode",
        ),
        *("exit_plan_mode", "enter_plan_mode", "AskUserQuestion", "ask_user", "ask_followup_question", "think"),
        *("attempt_completion", "plan_mode_respond", "Task", "Agent", "task", "TaskOutput", "TaskStop", "TaskCreate"),
        *(
            "TaskUpdate",
            "TaskList",
            "TaskGet",
            "BashOutput",
            "KillShell",
            "KillBash",
            "ToolSearch",
            "request_user_input",
        ),
        *("ListMcpResourcesTool", "get_context_remaining", "update_topic", "complete_task", "report_intent"),
    }
)
_PATH_FIELDS = ("file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file", "dir_path", "file")
_OLD = ("old_string", "oldString", "old_str", "old_text")
_NEW = ("new_string", "newString", "new_str", "new_text")
_GLOB_FIELDS = ("glob", "include", "include_pattern", "file_pattern")
_SEARCH_FIELDS = frozenset(
    {
        *_PATH_FIELDS,
        *_GLOB_FIELDS,
        *("pattern", "query", "regex", "type", "description", "explanation", "exclude_pattern", "multiline"),
        *("-A", "-B", "-C", "-i", "-n", "-o", "context", "after", "before", "case_sensitive", "fixed_strings"),
        *("output_mode", "names_only", "head_limit", "offset", "limit", "max_matches_per_file", "total_max_matches"),
    }
)
"""Fields by which a search reads no file that Git ignores, except those that its pattern of names includes."""
_SHELL_FIELDS = frozenset(
    {
        *("command", "cmd", "description", "timeout", "timeout_ms", "workdir", "cwd", "directory", "dir_path", "tty"),
        *("yield_time_ms", "max_output_tokens", "login", "justification", "run_in_background", "is_background"),
        *("requires_approval", "task_progress", "explanation"),
    }
)
"""Fields that don't affect what a command may do. All others are shown and need approval."""


def parse_native_call(tool: str, tool_input: Mapping[str, Any], cwd: str) -> Native:
    """InvalidParams if a known tool lacks required fields: its effect would be unknown."""
    if (mcp := _mcp(tool, tool_input)) is not None:
        return mcp
    if tool in _SHELL:
        return _shell(tool_input, cwd)
    if tool in _INPUT:
        text = _text(tool_input, "chars", "input", "text", default="")
        return Shell(text, cwd, is_input=True) if text else Other(tool, dict(tool_input), is_harmless=True)
    if tool in _WRITE:
        return Change(
            (FileChange(_path(tool_input), content=_text(tool_input, "content", "file_text", "contents", default="")),)
        )
    if tool in _PATCH:
        return Change(parse_patch(_text(tool_input, "input", "patch", "command", "patchText", "patch_text")))
    if tool in _EDIT:
        return Change((FileChange(_path(tool_input), edits=_edits(tool_input)),))
    if tool in _REMOVE:
        return Change((FileChange(_path(tool_input), is_removed=True),))
    if tool in _OTHER_CHANGES and _optional_path(tool_input) is not None:
        other_fields = {name: value for name, value in tool_input.items() if name not in _PATH_FIELDS}
        return Change((FileChange(_path(tool_input), patch=_to_json(other_fields)),))
    if tool in _READ or tool in _LIST or tool in _SEARCH:
        return _read(tool, tool_input, cwd)
    if tool == "Monitor":
        return _monitor(tool, tool_input, cwd)
    if tool in _FETCH and isinstance(tool_input.get("url"), str):
        return Fetch(tool_input["url"])
    return Other(tool, dict(tool_input), is_harmless=tool in _HARMLESS)


def _monitor(tool: str, tool_input: Mapping[str, Any], cwd: str) -> Native:
    """Claude Code's tool that reports what a command prints or a WebSocket sends."""
    command, socket = tool_input.get("command"), tool_input.get("ws")
    if command is not None and socket is None:
        return _shell(tool_input, cwd)
    if command is None and isinstance(socket, Mapping) and isinstance(socket.get("url"), str):
        return Fetch(socket["url"])
    return Other(tool, dict(tool_input))


def _read(tool: str, tool_input: Mapping[str, Any], cwd: str) -> Native:
    """Returns one location. Several names within the folder count as a search there; others need approval."""
    names = [name for field in ("paths", "include", "files") for name in _texts(tool_input.get(field))]
    if any(_leaves(name) for name in names):
        return Other(tool, dict(tool_input))
    pattern = tool_input.get("pattern")
    if tool in _LIST and isinstance(pattern, str) and _leaves(pattern):
        folder = re.split(r"[*?\[{]", pattern, maxsplit=1)[0].rpartition("/")[0] or "/"
        return Read(folder, is_listing=True)
    glob = next((tool_input[name] for name in _GLOB_FIELDS if isinstance(tool_input.get(name), str)), None)
    path = _optional_path(tool_input)
    if path is None and not names and tool in _READ:
        raise InvalidParams("The file's path is missing.")
    is_search = tool in _SEARCH
    reads_ignored = bool(names) or (is_search and any(tool_input[name] for name in tool_input.keys() - _SEARCH_FIELDS))
    return Read(
        path or cwd,
        is_search=is_search or bool(names),
        is_listing=tool in _LIST,
        glob=glob,
        reads_ignored=reads_ignored,
    )


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _leaves(path: str) -> bool:
    """By its text, whether it may lead out of the folder that it stands in."""
    return path.startswith(("/", "~")) or ".." in path.split("/")


def _mcp(tool: str, tool_input: Mapping[str, Any]) -> Mcp | None:
    """`mcp__server__tool`, as Claude Code and Codex name them."""
    prefix, _, rest = tool.partition("__")
    server, separator, name = rest.partition("__")
    if prefix != "mcp" or not separator:
        return None
    return Mcp(server, name, dict(tool_input))


def _shell(tool_input: Mapping[str, Any], cwd: str) -> Shell:
    command = _one_of(tool_input, ("command", "cmd"))
    if (
        isinstance(command, Sequence)
        and not isinstance(command, str)
        and all(isinstance(word, str) for word in command)
    ):
        command = _join_words(command)
    if not isinstance(command, str):
        raise InvalidParams("The command is missing.")
    folder = _one_of(tool_input, ("workdir", "cwd", "directory", "dir_path")) or None
    if folder is not None and not isinstance(folder, str):
        raise InvalidParams("The command's folder is not a string.")
    options = {
        name: value for name, value in tool_input.items() if name not in _SHELL_FIELDS and value not in (None, False)
    }
    return Shell(command, cwd if folder is None else os.path.join(cwd, folder), options=options)


def _join_words(words: Sequence[str]) -> str:
    """Joins a list of words to a command line; returns the text of `bash -lc TEXT` itself."""
    if len(words) == 3 and words[0].rpartition("/")[2] in ("bash", "sh", "zsh") and words[1] in ("-lc", "-c"):
        return words[2]
    return shlex.join(words)


def _edits(tool_input: Mapping[str, Any]) -> tuple[Edit, ...]:
    edits = tool_input.get("edits")
    if edits is None:
        return (_edit(tool_input),)
    is_plain = isinstance(edits, list) and all(isinstance(each, Mapping) for each in edits)
    if not is_plain or any(name in tool_input for name in (*_OLD, *_NEW)):
        raise InvalidParams("The edits can't be read: send either a list of edits or a single edit.")
    return tuple(_edit(each) for each in edits)


def _edit(tool_input: Mapping[str, Any]) -> Edit:
    everywhere = (
        tool_input.get("replace_all") or tool_input.get("replaceAll") or tool_input.get("expected_replacements", 1) != 1
    )
    return Edit(
        _text(tool_input, *_OLD, default=""),
        _text(tool_input, *_NEW, default=""),
        bool(everywhere or tool_input.get("allow_multiple")),
    )


def _path(tool_input: Mapping[str, Any]) -> str:
    path = _optional_path(tool_input)
    if path is None:
        raise InvalidParams("The file's path is missing.")
    return path


def _optional_path(tool_input: Mapping[str, Any]) -> str | None:
    path = _one_of(tool_input, _PATH_FIELDS)
    return path if isinstance(path, str) and path else None


def _text(tool_input: Mapping[str, Any], *names: str, default: str | None = None) -> str:
    text = _one_of(tool_input, names)
    if isinstance(text, str):
        return text
    if default is None:
        raise InvalidParams(f"{names[0]} is missing.")
    return default


def _one_of(tool_input: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Returns the value with one of these names. If two have different values, the client's choice is unknown."""
    values = [tool_input[name] for name in names if tool_input.get(name) is not None]
    if any(value != values[0] for value in values):
        raise InvalidParams(f"The call is ambiguous: {', '.join(name for name in names if name in tool_input)} differ.")
    return values[0] if values else None


def _to_json(value: Mapping[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
