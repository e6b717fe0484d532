"""Who may call in a workspace: those in its `allowlist.json`, which no tool can write; without one, the host's user."""

from typing import Any

from handrail.features.desktop.host.conditions import CallerNotAllowed
from handrail.kernel import strict_json
from handrail.ports.errors import Failure, InvalidParams
from handrail.ports.files import Folder
from handrail.ports.peers import Caller

ALLOW_LIST = "allowlist.json"
_LARGEST = 1 << 20


def check_caller(caller: Caller, workspace: Folder, own_uid: int) -> None:
    """CallerNotAllowed, also if the list can't be read."""
    try:
        data = workspace.read(ALLOW_LIST, _LARGEST) if workspace.has(ALLOW_LIST) else None
    except Failure as failure:
        raise _refused(caller, f"the allow-list can't be read: {failure.message}") from None
    if data is None:
        if caller.peer.uid != own_uid:
            raise _refused(caller, "only the host's own user may call in this workspace")
    elif not any(_is_meant(caller, entry) for entry in _entries(caller, data)):
        raise _refused(caller, "the allow-list does not have it")


def _entries(caller: Caller, data: bytes) -> list[str]:
    try:
        value: Any = strict_json.decode(data)
    except InvalidParams as failure:
        raise _refused(caller, f"the allow-list can't be read: {failure.message}") from None
    entries = value.get("callers") if isinstance(value, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise _refused(caller, 'the allow-list can\'t be read: it is not {"callers": ["…"]}')
    return entries


def _is_meant(caller: Caller, entry: str) -> bool:
    """`pid:` and `exe:` mean the process that connected, as long as it lives."""
    kind, _, value = entry.partition(":")
    if entry == "*":
        return True
    if kind == "uid":
        return value == str(caller.peer.uid)
    if kind == "pid":
        return value == str(caller.peer.pid) and caller.is_alive()
    return kind == "exe" and bool(value) and caller.program() == value


def _refused(caller: Caller, why: str) -> CallerNotAllowed:
    return CallerNotAllowed(
        f"The process {caller.peer.pid} may not call here: {why}.",
        hint=f'<workspace>/{ALLOW_LIST}: {{"callers": ["uid:…", "pid:…", "exe:/…", "*"]}}',
    )
