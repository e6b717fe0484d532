"""Finds and deletes passwords that version 0.1 stored: it wrote what it typed into password fields to disk."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from handrail.ports.prompts import MASK
from handrail.ports.unreadable_json import UNREADABLE_JSON

_EVIDENCE_FOLDERS = ("artifacts/desktop", ".handrail/artifacts/desktop")
_TOOL = "desktop_type_text"
_INTO_PASSWORD_FIELD = " into securetextfield "
_MAX_BYTES = 4 * 1024 * 1024
_TITLE = re.compile(rf'Type "(?P<text>.*)"{_INTO_PASSWORD_FIELD}', re.DOTALL)
_PARAMETER = re.compile(r"^text: (?P<text>.*)$", re.MULTILINE)


class _Params(msgspec.Struct, frozen=True):
    text: str = MASK


class _Request(msgspec.Struct, frozen=True):
    tool: str = ""
    summary: str = ""
    params: _Params = _Params()


class _Prompt(msgspec.Struct, frozen=True):
    title: str = ""
    message: str = ""
    source: str = ""


class _Entry(msgspec.Struct, frozen=True, rename="camel"):
    action: str = ""
    request_id: str = ""
    prompt: _Prompt = _Prompt()


class _Line(NamedTuple):
    """A line of the prompt log: where it starts, its content, and its content with the password masked."""

    offset: int
    line: bytes
    masked: bytes


def files_with_passwords(project: Path) -> Iterator[Path]:
    """Yields evidence files that contain a password. Follows no links."""
    for place in _EVIDENCE_FOLDERS:
        for folder, _, names in os.walk(project / place):
            yield from (
                Path(folder, name) for name in names if name.startswith("request") and _has_password(folder, name)
            )


def questions_with_passwords(log: Path) -> int:
    try:
        return len(_lines_with_passwords(log.read_bytes()))
    except OSError:
        return 0


def delete_passwords(project: Path, log: Path) -> tuple[int, int]:
    """Deletes the files, masks the answered questions, and returns how many there were of each. OSError."""
    files = list(files_with_passwords(project))
    for file in files:
        file.unlink()
    return len(files), _mask(log)


def _has_password(folder: str, name: str) -> bool:
    try:
        descriptor = os.open(os.path.join(folder, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            request = msgspec.json.decode(file.read(_MAX_BYTES), type=_Request)
    except (OSError, *UNREADABLE_JSON):
        return False
    goes_into_password_field = request.tool == _TOOL and _INTO_PASSWORD_FIELD in request.summary
    return goes_into_password_field and request.params.text != MASK


def _mask(log: Path) -> int:
    """Overwrites passwords in place, so that no line moves under programs that are following the log."""
    try:
        file = open(log, "r+b")  # noqa: SIM115 - closed below
    except FileNotFoundError:
        return 0
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        lines = _lines_with_passwords(file.read())
        for line in lines:
            os.pwrite(file.fileno(), line.masked, line.offset)
        os.fsync(file.fileno())
    return len(lines)


def _lines_with_passwords(log: bytes) -> list[_Line]:
    """Returns lines of answered questions only: pending ones must stay as the person sees them."""
    candidates, answered, offset = dict[str, _Line](), set[str](), 0
    for line in log.splitlines(keepends=True):
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            entry = msgspec.json.decode(line, type=_Entry)
            if entry.action == "response":
                answered.add(entry.request_id)
            elif (masked := _masked(line, entry.prompt)) != line:
                candidates[entry.request_id] = _Line(offset, line, masked)
        offset += len(line)
    return [line for request_id, line in candidates.items() if request_id in answered]


def _masked(line: bytes, prompt: _Prompt) -> bytes:
    title = _TITLE.match(prompt.title)
    if prompt.source != f"handrail/{_TOOL}" or title is None:
        return line
    for secret in (title["text"], *(match["text"] for match in _PARAMETER.finditer(prompt.message))):
        if secret.strip("*"):
            encoded = msgspec.json.encode(secret)[1:-1]
            line = line.replace(encoded, b"*" * len(encoded))
    return line
