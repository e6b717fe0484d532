"""Which model is used, written to `config.toml` by a person's own command: the rest of the file stays as it is."""

import json
import re
import tomllib
from pathlib import Path

from handrail.ports.atomic_file import replace_file
from handrail.ports.settings import CONFIG_FILE, BrokenSettings
from handrail.stores.local import locks

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
