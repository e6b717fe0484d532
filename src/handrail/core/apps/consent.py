"""What a yes to an app's tool is bound to: everything that its descriptor says about it."""

from hashlib import sha256
from typing import Any

import msgspec

from handrail.contract.apps import App, AppTool
from handrail.contract.consents import ConsentTo


def consent_to(app: App, tool: AppTool) -> ConsentTo:
    """Another description, schema, route, program or address is another tool; so is one of another sign-in."""
    frame = _frame(app)
    return ConsentTo(
        app=app.id,
        app_name=app.name,
        tool=tool.name,
        tool_digest=_digest({**frame, "tool": _declared(tool)}),
        app_digest=_digest({**frame, "tools": [_declared(one) for one in sorted(app.tools, key=lambda one: one.name)]}),
    )


def _frame(app: App) -> dict[str, Any]:
    return {
        "app": app.id,
        "name": app.name,
        "execution": msgspec.to_builtins(app.execution),
        "auth": msgspec.to_builtins(app.auth),
    }


def _digest(value: dict[str, Any]) -> str:
    """Compared inside alone, and taken at every call: so not by the canonical spelling, which takes long."""
    return sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()


def _declared(tool: AppTool) -> dict[str, Any]:
    """Without what changes nothing for a person: examples, and how long it may take."""
    members: dict[str, Any] = msgspec.to_builtins(tool)
    return {name: value for name, value in members.items() if name not in ("examples", "timeout_ms")}
