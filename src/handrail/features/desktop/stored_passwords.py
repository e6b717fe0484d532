"""Passwords that version 0.1 kept: what was typed into a password field was in the evidence and in the prompt log."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from handrail.ports.prompts import MASK

_PLACES = ("artifacts/desktop", ".handrail/artifacts/desktop")
_TOOL = "desktop_type_text"
_INTO_SECRET = " into securetextfield "
_LARGEST = 4 * 1024 * 1024
_TITLE = re.compile(rf'Type "(?P<text>.*)"{_INTO_SECRET}', re.DOTALL)
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
    """A question in the log: where it is, what it says now, and the same without the password."""

    place: int
    now: bytes
    masked: bytes


def files_with_passwords(project: Path) -> Iterator[Path]:
    """No link is followed."""
    for place in _PLACES:
        for folder, _, names in os.walk(project / place):
            yield from (Path(folder, name) for name in names if name.startswith("request") and _has_one(folder, name))


def questions_with_passwords(log: Path) -> int:
    try:
        return len(_lines_with_passwords(log.read_bytes()))
    except OSError:
        return 0


def forget(project: Path, log: Path) -> tuple[int, int]:
    """Deletes the files and masks the answered questions; how many of each. OSError."""
    files = list(files_with_passwords(project))
    for file in files:
        file.unlink()
    return len(files), _mask(log)


def _has_one(folder: str, name: str) -> bool:
    try:
        descriptor = os.open(os.path.join(folder, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            request = msgspec.json.decode(file.read(_LARGEST), type=_Request)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return False
    is_typed = request.tool == _TOOL and _INTO_SECRET in request.summary
    return is_typed and request.params.text != MASK


def _mask(log: Path) -> int:
    """In place and byte for byte, so that every other line stays where programs that follow the log have seen it."""
    try:
        file = open(log, "r+b")  # noqa: SIM115 - closed below
    except FileNotFoundError:
        return 0
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        lines = _lines_with_passwords(file.read())
        for line in lines:
            os.pwrite(file.fileno(), line.masked, line.place)
        os.fsync(file.fileno())
    return len(lines)


def _lines_with_passwords(log: bytes) -> list[_Line]:
    """Of answered questions: what is pending must stay as the person sees it."""
    found, answered, place = dict[str, _Line](), set[str](), 0
    for now in log.splitlines(keepends=True):
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            entry = msgspec.json.decode(now, type=_Entry)
            if entry.action == "response":
                answered.add(entry.request_id)
            elif (masked := _masked(now, entry.prompt)) != now:
                found[entry.request_id] = _Line(place, now, masked)
        place += len(now)
    return [line for request_id, line in found.items() if request_id in answered]


def _masked(line: bytes, prompt: _Prompt) -> bytes:
    title = _TITLE.match(prompt.title)
    if prompt.source != f"handrail/{_TOOL}" or title is None:
        return line
    for secret in (title["text"], *(said["text"] for said in _PARAMETER.finditer(prompt.message))):
        if secret.strip("*"):
            spelled = msgspec.json.encode(secret)[1:-1]
            line = line.replace(spelled, b"*" * len(spelled))
    return line
