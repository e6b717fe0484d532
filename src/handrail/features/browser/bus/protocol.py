"""The protocol between server and extension, from which `web/protocol` is generated, and its fingerprint."""

from functools import cache
from typing import Any

from handrail.features.browser.bus.browser_action import BrowserAction
from handrail.features.browser.bus.browser_view import STATE_EVENTS
from handrail.features.browser.bus.catalogue import ACTIONS
from handrail.kernel.digest import digest, shorten
from handrail.kernel.json_schema import schema_of
from handrail.ports.browser import EXPECTED_ORIGIN, EXTENSION_ID, PROTOCOL
from handrail.ports.errors import Conflict

EXPECTED = "expected"
"""A parameter of every action that acts, an addition to the contract: the `seen` that `browser_screenshot` returned. A
plugin that sees something else by then refuses with INVALID_TARGET."""

FRAME_ORIGINS = "frameOrigins"
"""Another one: origins besides the page's that the policy allows the action to reach in frames. A plugin refuses to act
in a frame of any other origin, and names it in the error's details under the same name."""


def agreement() -> dict[str, Any]:
    return {
        "protocol": PROTOCOL,
        "actions": {name: _describe(action) for name, action in sorted(ACTIONS.items())},
        "stateEvents": list(STATE_EVENTS),
        "additions": [EXPECTED_ORIGIN],
    }


@cache
def fingerprint() -> str:
    return shorten(digest(agreement()))


def check_own_extension(extension_id: str, version: object, protocol: object) -> None:
    """Raises Conflict for an outdated extension of ours. Other plugins follow the contract and aren't checked."""
    if extension_id == EXTENSION_ID and protocol != fingerprint():
        shown_version = version if isinstance(version, str) and len(version) <= 64 else "unknown"
        raise Conflict(
            "Update the handrail extension: it was built for another version of handrail than this server's. "
            "Run `handrail extension path` for its folder, then reload it on chrome://extensions.",
            extensionVersion=shown_version,
        )


def _describe(action: BrowserAction[Any, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "timeoutMs": int(action.seconds * 1000),
        "isIdempotent": action.is_idempotent,
        "effect": action.effect.value,
        "acts": action.acts,
        "params": _plugin_schema(action),
        "result": _without_descriptions(schema_of(action.result)),
    }
    if action.artifact is not None:
        described["artifact"] = {"kind": action.artifact.kind, "contentType": action.artifact.content_type}
    return described


def _plugin_schema(action: BrowserAction[Any, Any]) -> dict[str, Any]:
    properties = dict(_without_descriptions(schema_of(action.params))["properties"])
    for name in action.for_server:
        del properties[name]
    for name in (*action.optional_for_plugin, *((EXPECTED,) if action.acts else ())):
        properties[name] = {"type": "string"}
    if action.acts:
        properties[FRAME_ORIGINS] = {"type": "array", "items": {"type": "string"}}
    return {"type": "object", "properties": properties, "required": list(action.required)}


def _without_descriptions(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_descriptions(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    is_text = isinstance(schema.get("description"), str)
    return {name: _without_descriptions(item) for name, item in schema.items() if name != "description" or not is_text}
