"""What is written to a person's `config.toml`: a setting in its place, a rule at the end. The rest stays as it is."""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from handrail.ports.atomic_file import replace_file
from handrail.ports.settings import CONFIG_FILE, BrokenSettings
from handrail.ports.waiting import settled
from handrail.stores.local import locks
from handrail.stores.local.private_file import open_private, write_whole

_TABLE = re.compile(r"^\s*\[", re.MULTILINE)


def choose(state: Path, **values: str | list[str]) -> None:
    """BrokenSettings: the file can't be read, or not be changed without harm."""
    file = state / CONFIG_FILE
    with locks.exclusive(file.with_name(f"{CONFIG_FILE}.lock")):
        before = file.read_text(encoding="utf-8") if file.exists() else ""
        after = _changed(before, values)
        if _read(file, after) != {**_read(file, before), **values}:
            raise BrokenSettings(f"{file}: set {', '.join(values)} there by hand; it is written in an unusual way.")
        replace_file(file, after.encode())


async def allow(state: Path, remark: str, **members: str) -> None:
    """Adds a rule that a person can read and delete; members are tool, effect, path, place, host, app."""
    await settled(lambda: _add(state / CONFIG_FILE, remark, members))


def _add(file: Path, remark: str, members: Mapping[str, str]) -> None:
    rule = [f"{name} = {json.dumps(value)}" for name, value in {**members, "decision": "allow"}.items()]
    lines = ["", f"# {remark}", "[[rules]]", *rule, ""]
    with locks.exclusive(file.with_name(f"{CONFIG_FILE}.lock")):
        descriptor = open_private(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            write_whole(descriptor, "\n".join(lines).encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _changed(text: str, values: dict[str, str | list[str]]) -> str:
    """A JSON string is a TOML string. What stands before the first table is the file's own."""
    first = _TABLE.search(text)
    head, tail = (text, "") if first is None else (text[: first.start()], text[first.start() :])
    for name, value in values.items():
        line = f"{name} = {json.dumps(value)}"
        head, count = re.subn(rf"^[ \t]*{name}[ \t]*=.*$", lambda _, line=line: line, head, flags=re.MULTILINE)  # type: ignore[misc]
        if not count:
            head = f"{line}\n{head}"
    return head + tail


def _read(file: Path, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BrokenSettings(f"{file}: {error}") from None
