"""Codex runs only hooks whose hash it trusts. The entries that trust ours, and whether Codex agrees.

Codex keeps them in its config.toml, under the hook's file, event and position. The hash covers the command, so a hook
that somebody changes is skipped again.
"""

import asyncio
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from handrail.features.clients.client import Edit
from handrail.features.clients.config_file import ConfigFile
from handrail.features.clients.file_edit import Written
from handrail.features.clients.json_lines import JsonLines

_PATIENCE_SECONDS = 20.0


def trust_edits(hooks: Sequence[Edit], config: Path, written: Sequence[Written]) -> list[Edit]:
    """One for each of these hooks; `written` is what connecting wrote before, which new hooks replace."""
    known = {each.key: each.value for each in written}
    edits = []
    for hook in hooks:
        event, position = _label(hook.keys[-1]), _position(hook, known.get(hook.key))
        keys = ("hooks", "state", f"{hook.file}:{event}:{position}:0")
        edits.append(Edit(config, keys, {"trusted_hash": _hash(event, hook.value)}, replaces=True))
    return edits


def is_trusted(edits: Sequence[Edit]) -> bool:
    """What the file says. A person may have trusted them in Codex itself, or switched one off."""
    found = [(ConfigFile(edit.file).get(edit.keys), edit.value) for edit in edits]
    return all(
        isinstance(now, dict) and now.get("trusted_hash") == wanted["trusted_hash"] and now.get("enabled") is not False
        for now, wanted in found
    )


async def codex_runs(hooks: Sequence[Edit], folder: Path) -> bool | None:
    """Whether Codex itself says that it will run them here. None where it isn't installed, or doesn't answer."""
    program = shutil.which("codex")
    if program is None:
        return None
    wanted = {(hook.keys[-1].lower(), hook.value["hooks"][0]["command"]) for hook in hooks}
    with suppress(OSError, ValueError, KeyError, TypeError, TimeoutError):
        async with asyncio.timeout(_PATIENCE_SECONDS), JsonLines.started([program, "app-server"], folder) as server:
            await server.request("initialize", clientInfo={"name": "handrail", "version": "1"})
            await server.notify("initialized")
            (listed,) = (await server.request("hooks/list", cwds=[str(folder)]))["data"]
            return wanted <= {(each["eventName"].lower(), each["command"]) for each in listed["hooks"] if _runs(each)}
    return None


def _runs(hook: Mapping[str, Any]) -> bool:
    return bool(hook["enabled"]) and hook["trustStatus"] in ("trusted", "managed")


def _position(hook: Edit, replaced: Any) -> int:
    """Where in its list the hook is, or will be."""
    items = ConfigFile(hook.file).get(hook.keys)
    if not isinstance(items, list):
        return 0
    for value in (hook.value, replaced):
        if value in items:
            return items.index(value)
    return len(items)


def _label(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def _hash(event: str, item: Mapping[str, Any]) -> str:
    """As Codex computes it: of the hook without its spelling, which its defaults are added to."""
    identity = {"event_name": event, **item, "hooks": [{"async": False, **each} for each in item["hooks"]]}
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{sha256(text.encode()).hexdigest()}"
