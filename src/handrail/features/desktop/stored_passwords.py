"""Passwords that version 0.1 kept in evidence: what was typed into a password field was in `request.json`."""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from handrail.ports.prompts import MASK

_PLACES = ("artifacts/desktop", ".handrail/artifacts/desktop")
_INTO_SECRET = " into securetextfield "
_LARGEST = 4 * 1024 * 1024


class _Params(msgspec.Struct, frozen=True):
    text: str = MASK


class _Request(msgspec.Struct, frozen=True):
    tool: str = ""
    summary: str = ""
    params: _Params = _Params()


def files_with_passwords(project: Path) -> Iterator[Path]:
    """No link is followed."""
    for place in _PLACES:
        for folder, _, names in os.walk(project / place):
            yield from (Path(folder, name) for name in names if name.startswith("request") and _has_one(folder, name))


def _has_one(folder: str, name: str) -> bool:
    try:
        descriptor = os.open(os.path.join(folder, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            request = msgspec.json.decode(file.read(_LARGEST), type=_Request)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return False
    is_typed = request.tool == "desktop_type_text" and _INTO_SECRET in request.summary
    return is_typed and request.params.text != MASK
