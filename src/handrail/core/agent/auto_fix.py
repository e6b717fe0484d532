"""`maxAutoFix` of contract 3 §6: how often an agent may mend a file by itself after its check has failed."""

import json
from collections import Counter
from collections.abc import Sequence
from posixpath import normpath
from typing import Any

from handrail.contract.model import Replied, Returned, Said, ToolUse, Turn

_WRITES = frozenset({"write_to_file", "replace_in_file"})
_CHECKS = frozenset({"validate_script", "preview_scene"})
_FAILED = ('"valid":false', '"valid": false', '"firstErrorLine":')


def check_may_mend(turns: Sequence[Turn], use: ToolUse, most: int) -> Returned | None:
    """The refusal of a write that would be one mending too many since the person last spoke; None: it may."""
    path = _path(use)
    if path is None or use.name not in _WRITES or _is_dry(use) or _mended(turns)[path] < most + 1:
        return None
    told = f"The check of {path} still fails, and by yourself you may mend it {most} times at most: ask the person."
    return Returned(use.id, use.execution_id, use.name, told, is_error=True)


def _mended(turns: Sequence[Turn]) -> Counter[str]:
    """Failed checks by their files, each after a write."""
    failed: Counter[str] = Counter()
    uses: dict[str, ToolUse] = {}
    written: set[str] = set()
    for turn in turns:
        if isinstance(turn, Said):
            failed.clear()
            written.clear()
        elif isinstance(turn, Replied):
            uses |= {use.execution_id: use for use in turn.uses}
        elif isinstance(turn, Returned) and (use := uses.get(turn.execution_id)) is not None:
            path = _path(use)
            if path is None or turn.is_error:
                continue
            if use.name in _WRITES and not _is_dry(use):
                written.add(path)
            elif use.name in _CHECKS and path in written and any(sign in turn.text for sign in _FAILED):
                failed[path] += 1
                written.discard(path)
    return failed


def _path(use: ToolUse) -> str | None:
    given = _arguments(use)
    path = given.get("path", given.get("scenePath"))
    return normpath(path) if isinstance(path, str) else None


def _is_dry(use: ToolUse) -> bool:
    return use.name == "write_to_file" and _arguments(use).get("dryRun") is not False


def _arguments(use: ToolUse) -> dict[str, Any]:
    try:
        given = json.loads(use.arguments or "{}")
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}
