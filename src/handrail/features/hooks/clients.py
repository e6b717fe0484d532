"""The clients whose hooks handrail answers: what each one sends, what it wants to hear, and how long it waits."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from handrail.features.hooks.native import Mcp, Native, Read, Shell
from handrail.features.hooks.project_servers import OWN_SERVER
from handrail.features.hooks.tool_names import native_of
from handrail.ports.errors import InvalidParams

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """`is_over`: the client reports what came of it. `session` and `id` are the client's own names for it."""

    native: Native
    tool: str
    cwd: str
    session: str | None = None
    id: str | None = None
    is_over: bool = False
    response: Any = None


Answer = Callable[[str, bool, str], Mapping[str, Any] | None]
"""From the event's name, the decision and its reason to what is printed; None prints nothing."""


@dataclass(frozen=True, slots=True)
class HookClient:
    name: str
    title: str
    read: Callable[[Event], ToolCall | None]
    """None for an event that is about no tool."""
    answer: Answer
    denies_by_status: bool = True
    """Exit status 2 denies, whatever is printed: a client that can't read the answer blocks too."""
    was_run: bool = False
    """Tests drive the real client."""


def _claude_event(event: Event) -> ToolCall | None:
    name = event.get("hook_event_name", "PreToolUse")
    if name not in ("PreToolUse", "PostToolUse", "BeforeTool", "AfterTool", "PostToolUseFailure"):
        _check_is_about_no_tool(event, name)
        return None
    cwd = _cwd(event)
    given, tool = _object(event, "tool_input"), _string(event, "tool_name")
    native = _gemini_mcp(event, given) or native_of(tool, given, cwd)
    is_over = name in ("PostToolUse", "AfterTool", "PostToolUseFailure")
    response = event.get("tool_response", event.get("error"))
    return ToolCall(native, tool, cwd, _maybe(event, "session_id"), _maybe(event, "tool_use_id"), is_over, response)


def _gemini_mcp(event: Event, given: dict[str, Any]) -> Mcp | None:
    context = event.get("mcp_context")
    if not isinstance(context, Mapping):
        return None
    return Mcp(_string(context, "server_name"), _string(context, "tool_name"), given)


def _cursor_event(event: Event) -> ToolCall:
    name, cwd = event.get("hook_event_name"), _cwd(event)
    session, id = _maybe(event, "conversation_id"), _maybe(event, "generation_id")
    if name == "beforeShellExecution":
        return ToolCall(Shell(_string(event, "command"), cwd), "Shell", cwd, session, id)
    if name == "beforeReadFile":
        return ToolCall(Read(_string(event, "file_path")), "Read", cwd, session, id)
    if name == "beforeMCPExecution":
        given = event.get("tool_input")
        arguments = msgspec.json.decode(given) if isinstance(given, str) else given
        server = _maybe(event, "server_name") or _maybe(event, "url") or _maybe(event, "command") or "unknown"
        tool = _string(event, "tool_name")
        native = Mcp(server, tool, arguments if isinstance(arguments, dict) else {})
        return ToolCall(native, tool, cwd, session, id)
    if name == "preToolUse":
        tool = _string(event, "tool_name")
        return ToolCall(
            native_of(tool, _object(event, "tool_input"), cwd), tool, cwd, session, _maybe(event, "tool_use_id")
        )
    raise _unknown(name)


def _copilot_event(event: Event) -> ToolCall:
    tool, given = _string(event, "toolName"), event.get("toolArgs")
    given = msgspec.json.decode(given) if isinstance(given, str) else given
    if not isinstance(given, dict):
        raise InvalidParams("toolArgs is not an object.")
    cwd = _cwd(event)
    return ToolCall(native_of(tool, given, cwd), tool, cwd, _maybe(event, "sessionId"))


def _cline_event(event: Event) -> ToolCall:
    if event.get("hookName") not in ("PreToolUse", None):
        raise _unknown(event["hookName"])
    inner = _object(event, "preToolUse")
    roots = event.get("workspaceRoots")
    cwd = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else os.getcwd()
    tool = _string(inner, "toolName")
    given = inner.get("parameters")
    return ToolCall(native_of(tool, given if isinstance(given, dict) else {}, cwd), tool, cwd, _maybe(event, "taskId"))


def _opencode_event(event: Event) -> ToolCall:
    cwd, tool, given = _cwd(event), _string(event, "tool"), _object(event, "args")
    server, _, name = tool.partition("_")  # it names a server's tools like this, and says no more
    native = Mcp(server, name, given) if server == OWN_SERVER and name else native_of(tool, given, cwd)
    return ToolCall(native, tool, cwd, _maybe(event, "sessionID"), _maybe(event, "callID"))


def _claude_answer(event: str, is_allowed: bool, reason: str) -> Mapping[str, Any] | None:
    decision = {"permissionDecision": "allow" if is_allowed else "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}


def _codex_answer(event: str, is_allowed: bool, reason: str) -> Mapping[str, Any] | None:
    """Codex knows only a denial; saying nothing leaves the tool to its own sandbox and questions."""
    return None if is_allowed else _claude_answer(event, is_allowed, reason)


def _gemini_answer(event: str, is_allowed: bool, reason: str) -> Mapping[str, Any] | None:
    return {"decision": "allow"} if is_allowed else {"decision": "deny", "reason": reason}


def _cursor_answer(event: str, is_allowed: bool, reason: str) -> Mapping[str, Any] | None:
    if is_allowed:
        return {"permission": "allow"}
    return {"permission": "deny", "user_message": reason, "agent_message": reason}


def _copilot_answer(event: str, is_allowed: bool, reason: str) -> Mapping[str, Any] | None:
    return {"permissionDecision": "allow" if is_allowed else "deny", "permissionDecisionReason": reason}


def _cline_answer(event: str, is_allowed: bool, reason: str) -> Mapping[str, Any] | None:
    return {"cancel": not is_allowed, "errorMessage": "" if is_allowed else reason}


_KNOWN = (
    HookClient("claude", "Claude Code", _claude_event, _claude_answer, was_run=True),
    HookClient("codex", "Codex", _claude_event, _codex_answer, was_run=True),
    HookClient("gemini", "Gemini CLI", _claude_event, _gemini_answer, was_run=True),
    HookClient("qwen", "Qwen Code", _claude_event, _claude_answer),
    HookClient("cursor", "Cursor", _cursor_event, _cursor_answer),
    HookClient("copilot", "Copilot CLI", _copilot_event, _copilot_answer, denies_by_status=False),
    HookClient("cline", "Cline", _cline_event, _cline_answer, denies_by_status=False),
    HookClient("opencode", "opencode", _opencode_event, _gemini_answer),
)
CLIENTS = {client.name: client for client in _KNOWN}


def _check_is_about_no_tool(event: Event, name: object) -> None:
    """Such as the end of a turn, which handrail lets pass. InvalidParams where a tool is named all the same."""
    if not isinstance(name, str) or any(member in event for member in ("tool_name", "tool_input")):
        raise _unknown(name)


def _unknown(name: object) -> InvalidParams:
    hint = "Set the hook up with `handrail connect`: it answers for tools alone."
    return InvalidParams(f"The hook was started for an event that it doesn't know: {str(name)[:80]!r}.", hint=hint)


def _cwd(event: Event) -> str:
    """The folder that the session is in; of a client that doesn't say, the hook's own."""
    found = event.get("cwd")
    if isinstance(found, str) and os.path.isabs(found):
        return os.path.normpath(found)
    roots = event.get("workspace_roots")
    if isinstance(roots, list) and roots and isinstance(roots[0], str) and os.path.isabs(roots[0]):
        return os.path.normpath(roots[0])
    raise InvalidParams("The event doesn't say in which folder the client works (`cwd`).")


def _object(event: Event, name: str) -> dict[str, Any]:
    found = event.get(name)
    if not isinstance(found, dict):
        raise InvalidParams(f"`{name}` is not an object.")
    return found


def _string(event: Event, name: str) -> str:
    found = event.get(name)
    if not isinstance(found, str) or not found:
        raise InvalidParams(f"`{name}` is missing.")
    return found


def _maybe(event: Event, name: str) -> str | None:
    found = event.get(name)
    return found if isinstance(found, str) and found else None
