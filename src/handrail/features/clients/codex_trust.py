"""Codex runs only hooks whose hash it trusts: writes the entries that trust ours, and checks whether Codex agrees.

Codex keeps them in its config.toml, under the hook's file, event and position. The hash covers the command, so a hook
that was changed is skipped again.
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
from handrail.features.clients.file_edit import AppliedEdit
from handrail.features.clients.json_rpc_process import JsonRpcProcess

_TIMEOUT_SECONDS = 20.0


def trust_edits(hooks: Sequence[Edit], config: Path, written: Sequence[AppliedEdit]) -> list[Edit]:
    """Returns one edit for each of these hooks; `written` are earlier edits, which new hooks replace."""
    earlier_values = {each.key: each.value for each in written}
    edits = []
    for hook in hooks:
        event, position = _label(hook.keys[-1]), _position(hook, earlier_values.get(hook.key))
        keys = ("hooks", "state", f"{hook.file}:{event}:{position}:0")
        edits.append(Edit(config, keys, {"trusted_hash": _hash(event, hook.value)}, replaces=True))
    return edits


def is_trusted(edits: Sequence[Edit]) -> bool:
    """Whether the file says so. A person may have trusted the hooks in Codex itself, or switched one off."""
    pairs = [(ConfigFile(edit.file).get(edit.keys), edit.value) for edit in edits]
    return all(
        isinstance(current, dict)
        and current.get("trusted_hash") == expected["trusted_hash"]
        and current.get("enabled") is not False
        for current, expected in pairs
    )


async def codex_runs_hooks(hooks: Sequence[Edit], folder: Path) -> bool | None:
    """Whether Codex itself reports that it will run them here. None if it isn't installed or doesn't answer."""
    program = shutil.which("codex")
    if program is None:
        return None
    expected = {(hook.keys[-1].lower(), hook.value["hooks"][0]["command"]) for hook in hooks}
    with suppress(OSError, ValueError, KeyError, TypeError, TimeoutError):
        async with asyncio.timeout(_TIMEOUT_SECONDS), JsonRpcProcess.start([program, "app-server"], folder) as server:
            await server.request("initialize", clientInfo={"name": "handrail", "version": "1"})
            await server.notify("initialized")
            (response,) = (await server.request("hooks/list", cwds=[str(folder)]))["data"]
            return expected <= {
                (each["eventName"].lower(), each["command"]) for each in response["hooks"] if _is_active(each)
            }
    return None


def _is_active(hook: Mapping[str, Any]) -> bool:
    return bool(hook["enabled"]) and hook["trustStatus"] in ("trusted", "managed")


def _position(hook: Edit, replaced: Any) -> int:
    """The hook's index in its list, now or after it is added."""
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
    """As Codex computes it: of the parsed hook, with its defaults added."""
    identity = {"event_name": event, **item, "hooks": [{"async": False, **each} for each in item["hooks"]]}
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{sha256(text.encode()).hexdigest()}"
