"""Which tool of which client does what, by name: one table, because clients borrow each other's names."""

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from handrail.features.hooks.native import Change, Edit, Fetch, FileChange, Mcp, Native, Other, Read, Shell
from handrail.features.hooks.patch_text import read_patch
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
"""Tools that change a file in a way that only the client can work out: shown as they are, with the file's name."""
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
_SHELL_FIELDS = frozenset(
    {
        *("command", "cmd", "description", "timeout", "timeout_ms", "workdir", "cwd", "directory", "dir_path", "tty"),
        *("yield_time_ms", "max_output_tokens", "login", "justification", "run_in_background", "is_background"),
        *("requires_approval", "task_progress", "explanation"),
    }
)
"""What changes nothing about what a command may do. Everything else is shown, and asks."""


def native_of(tool: str, given: Mapping[str, Any], cwd: str) -> Native:
    """InvalidParams where a known tool comes without what it must have: then nobody can say what it would do."""
    if (mcp := _mcp(tool, given)) is not None:
        return mcp
    if tool in _SHELL:
        return _shell(given, cwd)
    if tool in _INPUT:
        text = _text(given, "chars", "input", "text", default="")
        return Shell(text, cwd, is_input=True) if text else Other(tool, dict(given), is_harmless=True)
    if tool in _WRITE:
        return Change((FileChange(_path(given), content=_text(given, "content", "file_text", "contents", default="")),))
    if tool in _PATCH:
        return Change(read_patch(_text(given, "input", "patch", "command", "patchText", "patch_text")))
    if tool in _EDIT:
        return Change((FileChange(_path(given), edits=_edits(given)),))
    if tool in _REMOVE:
        return Change((FileChange(_path(given), is_removed=True),))
    if tool in _OTHER_CHANGES and _maybe_path(given) is not None:
        rest = {name: value for name, value in given.items() if name not in _PATH_FIELDS}
        return Change((FileChange(_path(given), patch=_spelled(rest)),))
    if tool in _READ or tool in _LIST or tool in _SEARCH:
        return _read(tool, given, cwd)
    if tool in _FETCH and isinstance(given.get("url"), str):
        return Fetch(given["url"])
    return Other(tool, dict(given), is_harmless=tool in _HARMLESS)


def _read(tool: str, given: Mapping[str, Any], cwd: str) -> Native:
    """One place. Several that stay below the folder are a search there; others are asked about as they are."""
    several = [name for field in ("paths", "include", "files") for name in _texts(given.get(field))]
    if any(_leaves(name) for name in several):
        return Other(tool, dict(given))
    pattern = given.get("pattern")
    if tool in _LIST and isinstance(pattern, str) and _leaves(pattern):
        folder = re.split(r"[*?\[{]", pattern, maxsplit=1)[0].rpartition("/")[0] or "/"
        return Read(folder, is_listing=True)
    glob = next((given[name] for name in _GLOB_FIELDS if isinstance(given.get(name), str)), None)
    path = _maybe_path(given)
    if path is None and not several and tool in _READ:
        raise InvalidParams("The file's path is missing.")
    return Read(path or cwd, is_search=tool in _SEARCH or bool(several), is_listing=tool in _LIST, glob=glob)


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _leaves(path: str) -> bool:
    """By its text, whether it may lead out of the folder that it stands in."""
    return path.startswith(("/", "~")) or ".." in path.split("/")


def _mcp(tool: str, given: Mapping[str, Any]) -> Mcp | None:
    """`mcp__server__tool`, as Claude Code and Codex name them."""
    prefix, _, rest = tool.partition("__")
    server, separator, name = rest.partition("__")
    if prefix != "mcp" or not separator:
        return None
    return Mcp(server, name, dict(given))


def _shell(given: Mapping[str, Any], cwd: str) -> Shell:
    found = _one_of(given, ("command", "cmd"))
    if isinstance(found, Sequence) and not isinstance(found, str) and all(isinstance(word, str) for word in found):
        found = _spelled_words(found)
    if not isinstance(found, str):
        raise InvalidParams("The command is missing.")
    folder = _one_of(given, ("workdir", "cwd", "directory", "dir_path")) or None
    if folder is not None and not isinstance(folder, str):
        raise InvalidParams("The folder of the command is not a text.")
    options = {name: value for name, value in given.items() if name not in _SHELL_FIELDS and value not in (None, False)}
    return Shell(found, cwd if folder is None else os.path.join(cwd, folder), options=options)


def _spelled_words(words: Sequence[str]) -> str:
    """A list of words as a command line; of `bash -lc TEXT` the text, which says the same."""
    if len(words) == 3 and words[0].rpartition("/")[2] in ("bash", "sh", "zsh") and words[1] in ("-lc", "-c"):
        return words[2]
    return shlex.join(words)


def _edits(given: Mapping[str, Any]) -> tuple[Edit, ...]:
    listed = given.get("edits")
    if listed is None:
        return (_edit(given),)
    is_plain = isinstance(listed, list) and all(isinstance(each, Mapping) for each in listed)
    if not is_plain or any(name in given for name in (*_OLD, *_NEW)):
        raise InvalidParams("The edits can't be read: a list of edits, or one edit by itself.")
    return tuple(_edit(each) for each in listed)


def _edit(given: Mapping[str, Any]) -> Edit:
    everywhere = given.get("replace_all") or given.get("replaceAll") or given.get("expected_replacements", 1) != 1
    return Edit(
        _text(given, *_OLD, default=""),
        _text(given, *_NEW, default=""),
        bool(everywhere or given.get("allow_multiple")),
    )


def _path(given: Mapping[str, Any]) -> str:
    found = _maybe_path(given)
    if found is None:
        raise InvalidParams("The file's path is missing.")
    return found


def _maybe_path(given: Mapping[str, Any]) -> str | None:
    found = _one_of(given, _PATH_FIELDS)
    return found if isinstance(found, str) and found else None


def _text(given: Mapping[str, Any], *names: str, default: str | None = None) -> str:
    text = _one_of(given, names)
    if isinstance(text, str):
        return text
    if default is None:
        raise InvalidParams(f"{names[0]} is missing.")
    return default


def _one_of(given: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The value that has one of these names. With two that differ, nobody can say which one the client takes."""
    values = [given[name] for name in names if given.get(name) is not None]
    if any(value != values[0] for value in values):
        raise InvalidParams(f"The call is ambiguous: {', '.join(name for name in names if name in given)} differ.")
    return values[0] if values else None


def _spelled(value: Mapping[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
