"""The examples of an app's tools, called as agents would call them: which of them, and what came of it."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handrail.faces.cli.output import one_line, say
from handrail.ports.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from handrail.features.apps.calls.switchboard import Switchboard
    from handrail.features.apps.model import App, AppTool, Example

_DIALECT = "aai"


def tools_to_try(app: "App", is_run: bool | None) -> "list[AppTool]":
    """Those with examples: all, none, or where it was not said those that may be done again and again. About the others
    a person at the terminal is asked, for they do what they do.
    """
    tools = [tool for tool in app.tools if tool.examples]
    return [tool for tool in tools if (_is_wanted(tool) if is_run is None else is_run)]


def _is_wanted(tool: "AppTool") -> bool:
    if tool.is_idempotent or not sys.stdin.isatty():
        return tool.is_idempotent
    question = f"Call {tool.name} with its examples? It does not say that it may be called twice. [y]es / [n]o: "
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


async def try_examples(
    app: "App", tools: "Sequence[AppTool]", state: Path | None, *, quiet: bool
) -> list[dict[str, Any]]:
    """One after the other, in the descriptor's order: an example may build on the one before."""
    from handrail.wiring.app_trial import open_switchboard

    tried = []
    async with open_switchboard(state) as switchboard:
        for tool in tools:
            for number, example in enumerate(tool.examples, 1):
                entry = await _try_one(switchboard, app, tool, example) | {"number": number}
                tried.append(entry)
                if not quiet:
                    outcome = "ok" if entry["ok"] else f"{entry['error']['code']}: {entry['error']['message']}"
                    say(one_line(f"{tool.name} {number}: {outcome} ({entry['durationMs']} ms)"))
    return tried


async def _try_one(switchboard: "Switchboard", app: "App", tool: "AppTool", example: "Example") -> dict[str, Any]:
    import msgspec

    from handrail.features.apps.dialect import envelope

    began = time.perf_counter()
    entry: dict[str, Any] = {"tool": tool.name, "ok": False, "params": example.params}
    try:
        entry["result"] = await switchboard.call(app, tool, example.params, timeout_ms=None, heard=lambda *_: None)
        entry["ok"] = example.result is msgspec.UNSET or entry["result"] == example.result
        if not entry["ok"]:
            wanted = msgspec.json.encode(example.result).decode()
            entry["error"] = {"code": "OTHER_RESULT", "message": f"The example promises {wanted}."}
    except Failure as failure:
        entry["error"] = envelope(failure)["error"]
    return entry | {"durationMs": round((time.perf_counter() - began) * 1000)}
