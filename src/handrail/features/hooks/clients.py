"""The clients whose hooks handrail answers: their events, the answers that they expect, and their defaults."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from handrail.features.hooks.native import Mcp, Native, Read, Shell
from handrail.features.hooks.project_servers import OWN_SERVER
from handrail.features.hooks.tool_names import parse_native_call
from handrail.ports.errors import InvalidParams

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """`is_finished` means that the client reports the result. `session` and `id` are the client's own ids."""

    native: Native
    tool: str
    cwd: str
    session: str | None = None
    id: str | None = None
    is_finished: bool = False
    response: Any = None


Answer = Callable[[str, bool, str], Mapping[str, Any] | None]
"""Maps the event's name, the decision and its reason to the output; None prints nothing."""


@dataclass(frozen=True, slots=True)
class HookClient:
    name: str
    title: str
    read: Callable[[Event], ToolCall | None]
    """None for an event that isn't a tool call."""
    answer: Answer
    denies_by_status: bool = True
    """Exit status 2 denies regardless of the output: a client that can't parse the output blocks, too."""
    is_tested: bool = False
    """Whether tests run the real client."""


def _claude_event(event: Event) -> ToolCall | None:
    name = event.get("hook_event_name", "PreToolUse")
    if name not in ("PreToolUse", "PostToolUse", "BeforeTool", "AfterTool", "PostToolUseFailure"):
        _check_not_a_tool_call(event, name)
        return None
    cwd = _cwd(event)
    tool_input, tool = _object(event, "tool_input"), _string(event, "tool_name")
    native = _gemini_mcp(event, tool_input) or parse_native_call(tool, tool_input, cwd)
    is_finished = name in ("PostToolUse", "AfterTool", "PostToolUseFailure")
    response = event.get("tool_response", event.get("error"))
    return ToolCall(
        native,
        tool,
        cwd,
        _optional_string(event, "session_id"),
        _optional_string(event, "tool_use_id"),
        is_finished,
        response,
    )


def _gemini_mcp(event: Event, tool_input: dict[str, Any]) -> Mcp | None:
    context = event.get("mcp_context")
    if not isinstance(context, Mapping):
        return None
    return Mcp(_string(context, "server_name"), _string(context, "tool_name"), tool_input)


def _cursor_event(event: Event) -> ToolCall:
    name, cwd = event.get("hook_event_name"), _cwd(event)
    session, id = _optional_string(event, "conversation_id"), _optional_string(event, "generation_id")
    if name == "beforeShellExecution":
        return ToolCall(Shell(_string(event, "command"), cwd), "Shell", cwd, session, id)
    if name == "beforeReadFile":
        return ToolCall(Read(_string(event, "file_path")), "Read", cwd, session, id)
    if name == "beforeMCPExecution":
        tool_input = event.get("tool_input")
        arguments = msgspec.json.decode(tool_input) if isinstance(tool_input, str) else tool_input
        server = (
            _optional_string(event, "server_name")
            or _optional_string(event, "url")
            or _optional_string(event, "command")
            or "unknown"
        )
        tool = _string(event, "tool_name")
        native = Mcp(server, tool, arguments if isinstance(arguments, dict) else {})
        return ToolCall(native, tool, cwd, session, id)
    if name == "preToolUse":
        tool = _string(event, "tool_name")
        return ToolCall(
            parse_native_call(tool, _object(event, "tool_input"), cwd),
            tool,
            cwd,
            session,
            _optional_string(event, "tool_use_id"),
        )
    raise _unknown_event(name)


def _copilot_event(event: Event) -> ToolCall:
    tool, tool_args = _string(event, "toolName"), event.get("toolArgs")
    tool_args = msgspec.json.decode(tool_args) if isinstance(tool_args, str) else tool_args
    if not isinstance(tool_args, dict):
        raise InvalidParams("toolArgs is not an object.")
    cwd = _cwd(event)
    return ToolCall(parse_native_call(tool, tool_args, cwd), tool, cwd, _optional_string(event, "sessionId"))


def _cline_event(event: Event) -> ToolCall:
    if event.get("hookName") not in ("PreToolUse", None):
        raise _unknown_event(event["hookName"])
    inner = _object(event, "preToolUse")
    roots = event.get("workspaceRoots")
    cwd = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else os.getcwd()
    tool = _string(inner, "toolName")
    parameters = inner.get("parameters")
    return ToolCall(
        parse_native_call(tool, parameters if isinstance(parameters, dict) else {}, cwd),
        tool,
        cwd,
        _optional_string(event, "taskId"),
    )


def _opencode_event(event: Event) -> ToolCall:
    cwd, tool, tool_args = _cwd(event), _string(event, "tool"), _object(event, "args")
    server, _, name = tool.partition(
        "_"
    )  # opencode names a server's tools `server_tool` and sends nothing else about them
    native = Mcp(server, name, tool_args) if server == OWN_SERVER and name else parse_native_call(tool, tool_args, cwd)
    return ToolCall(native, tool, cwd, _optional_string(event, "sessionID"), _optional_string(event, "callID"))


def _claude_answer(event: str, is_allowed: bool, reason: str) -> Mapping[str, Any] | None:
    decision = {"permissionDecision": "allow" if is_allowed else "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}


def _codex_answer(event: str, is_allowed: bool, reason: str) -> Mapping[str, Any] | None:
    """Codex only understands denials. Without an answer, its own sandbox and approvals decide."""
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


_CLIENTS = (
    HookClient("claude", "Claude Code", _claude_event, _claude_answer, is_tested=True),
    HookClient("codex", "Codex", _claude_event, _codex_answer, is_tested=True),
    HookClient("gemini", "Gemini CLI", _claude_event, _gemini_answer, is_tested=True),
    HookClient("qwen", "Qwen Code", _claude_event, _claude_answer),
    HookClient("cursor", "Cursor", _cursor_event, _cursor_answer),
    HookClient("copilot", "Copilot CLI", _copilot_event, _copilot_answer, denies_by_status=False),
    HookClient("cline", "Cline", _cline_event, _cline_answer, denies_by_status=False),
    HookClient("opencode", "opencode", _opencode_event, _gemini_answer),
)
CLIENTS = {client.name: client for client in _CLIENTS}


def _check_not_a_tool_call(event: Event, name: object) -> None:
    """Other events, such as the end of a turn, pass. InvalidParams if one names a tool nevertheless."""
    if not isinstance(name, str) or any(member in event for member in ("tool_name", "tool_input")):
        raise _unknown_event(name)


def _unknown_event(name: object) -> InvalidParams:
    hint = "Set up the hook with `handrail connect`. It handles only tool calls."
    return InvalidParams(f"The hook doesn't support this event: {str(name)[:80]!r}.", hint=hint)


def _cwd(event: Event) -> str:
    """Returns the session's folder, or the workspace's first."""
    folder = event.get("cwd")
    if isinstance(folder, str) and os.path.isabs(folder):
        return os.path.normpath(folder)
    roots = event.get("workspace_roots")
    if isinstance(roots, list) and roots and isinstance(roots[0], str) and os.path.isabs(roots[0]):
        return os.path.normpath(roots[0])
    raise InvalidParams("The event doesn't say in which folder the client works (`cwd`).")


def _object(event: Event, name: str) -> dict[str, Any]:
    value = event.get(name)
    if not isinstance(value, dict):
        raise InvalidParams(f"`{name}` is not an object.")
    return value


def _string(event: Event, name: str) -> str:
    value = event.get(name)
    if not isinstance(value, str) or not value:
        raise InvalidParams(f"`{name}` is missing.")
    return value


def _optional_string(event: Event, name: str) -> str | None:
    value = event.get(name)
    return value if isinstance(value, str) and value else None
