"""Writes web/protocol from the Python declarations; with --check, fails if it is out of date."""

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

import msgspec

from handrail.faces.http import answers as http
from handrail.features.browser.bus import artifacts, browser_action, dispatcher, plugins, protocol
from handrail.ports import browser, browser_errors

FOLDER = Path(__file__).parent.parent / "web" / "protocol"
HEAD = "/** Generated from the Python declarations by `scripts/protocol.py`; don't edit. */"
TYPES = (browser.Tab, browser.Window, browser.TabGroup)


def describe() -> dict[str, Any]:
    return {
        **protocol.agreement(),
        "fingerprint": protocol.fingerprint(),
        "extensionId": browser.EXTENSION_ID,
        "pluginMessages": list(get_args(browser.PluginMessageType)),
        "serverMessages": list(get_args(browser.ServerMessageType)),
        "frontendEvents": list(get_args(browser.FrontendEventType)),
        "takeoverReasons": list(get_args(browser.TakeoverReason)),
        "taskStatuses": list(get_args(browser.TaskStatus)),
        "timeouts": {
            "ackMs": int(dispatcher.ACK_WITHIN * 1000),
            "retryAfterMs": int(dispatcher.RETRY_AFTER * 1000),
            "longestActionMs": browser_action.MAX_TIMEOUT_MS,
            "uploadMs": int(artifacts.UPLOAD_WITHIN * 1000),
            "staleAfterMs": plugins.STALE_AFTER_MS,
        },
        "maxUploadBytes": artifacts.MAX_BYTES,
        "errors": {
            code: {"httpCode": http, "isRetryable": code in browser_errors.RETRYABLE_CODES}
            for code, http in sorted(http.HTTP_CODES.items())
        },
        "httpStatuses": http.STATUS,
    }


def typescript(description: Mapping[str, Any]) -> str:
    actions = description["actions"]
    return "\n".join(
        [
            HEAD,
            "",
            *(f"export const {name} = {_literal(value)} as const;" for name, value in _constants(description)),
            "",
            *(f"export type {name} = (typeof {source})[number];" for name, source in _UNIONS.items()),
            "export type ActionName = keyof typeof ACTIONS;",
            "export type ErrorCode = keyof typeof ERRORS;",
            "",
            *_interfaces(),
            *_by_action("ActionParams", actions, "params"),
            *_by_action("ActionResults", actions, "result"),
        ]
    )


_UNIONS = {
    "StateEventType": "STATE_EVENTS",
    "PluginMessageType": "PLUGIN_MESSAGES",
    "ServerMessageType": "SERVER_MESSAGES",
    "FrontendEventType": "FRONTEND_EVENTS",
    "TakeoverReason": "TAKEOVER_REASONS",
    "TaskStatus": "TASK_STATUSES",
}


def _constants(description: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    yield "PROTOCOL", description["protocol"]
    yield "FINGERPRINT", description["fingerprint"]
    yield "EXTENSION_ID", description["extensionId"]
    yield "TIMEOUTS", description["timeouts"]
    yield "MAX_UPLOAD_BYTES", description["maxUploadBytes"]
    fields = ("timeoutMs", "isIdempotent", "acts")
    yield "ACTIONS", {name: {key: action[key] for key in fields} for name, action in description["actions"].items()}
    yield "STATE_EVENTS", description["stateEvents"]
    yield "PLUGIN_MESSAGES", description["pluginMessages"]
    yield "SERVER_MESSAGES", description["serverMessages"]
    yield "FRONTEND_EVENTS", description["frontendEvents"]
    yield "TAKEOVER_REASONS", description["takeoverReasons"]
    yield "TASK_STATUSES", description["taskStatuses"]
    yield "ERRORS", description["errors"]


def _literal(value: Any, depth: int = 0) -> str:
    """Objects that contain objects get one line per member."""
    if isinstance(value, dict) and any(isinstance(item, dict) for item in value.values()):
        lines = (f"{'  ' * (depth + 1)}{key}: {_literal(item, depth + 1)}," for key, item in value.items())
        return "{\n" + "\n".join(lines) + f"\n{'  ' * depth}}}"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key}: {_literal(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)


def _interfaces() -> Iterable[str]:
    _, parts = msgspec.json.schema_components(TYPES)
    for name, schema in sorted(parts.items()):
        yield f"export interface {name} {_type(schema)}"
    yield ""


def _by_action(name: str, actions: Mapping[str, Any], part: str) -> Iterable[str]:
    yield f"export interface {name} {{"
    yield from (f"  {action}: {_type(declaration[part])};" for action, declaration in actions.items())
    yield "}"
    yield ""


def _type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(_type(choice) for choice in schema["anyOf"])
    match schema.get("type"):
        case "object" if "properties" in schema:
            required = schema.get("required", ())
            members = (
                f"{key}{'' if key in required else '?'}: {_type(item)}" for key, item in schema["properties"].items()
            )
            return "{ " + "; ".join(members) + " }"
        case "array":
            item = _type(schema["items"])
            return f"({item})[]" if " | " in item else f"{item}[]"
        case "integer" | "number":
            return "number"
        case "string" | "boolean" | "null" as plain:
            return plain
    return "unknown"


def main() -> int:
    description = describe()
    files = {"protocol.json": json.dumps(description, indent=1) + "\n", "index.ts": typescript(description)}
    if "--check" not in sys.argv[1:]:
        FOLDER.mkdir(exist_ok=True)
        for name, text in files.items():
            (FOLDER / name).write_text(text)
        return 0
    stale = [
        name for name, text in files.items() if not (FOLDER / name).is_file() or (FOLDER / name).read_text() != text
    ]
    if stale:
        print(f"web/protocol is out of date ({', '.join(stale)}). Run `python scripts/protocol.py`.", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
