"""Edits a person's `config.toml`: changes settings in place and appends rules, and leaves the rest as it is."""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec.structs import fields

from handrail.ports.policy import Rule
from handrail.ports.settings import CONFIG_FILE, BrokenSettings, dates_as_text
from handrail.ports.state_writes import digest_of, record_write, write_state
from handrail.ports.waiting import run_in_thread
from handrail.stores.local import locks
from handrail.stores.local.private_file import open_private, write_all

_TABLE = re.compile(r"^\s*\[", re.MULTILINE)
_RULE_BLOCK = re.compile(
    r"\n?(?:^[ \t]*#[^\n]*\n)*^[ \t]*\[\[rules\]\][^\n]*(?:\n(?![ \t]*(?:\[|#|$))[^\n]*)*\n?", re.MULTILINE
)
"""A rule as `allow` writes it: the comment above it, its head and its members."""
_DEFAULTS = {field.name: field.default for field in fields(Rule)}


def choose(state: Path, **values: str | list[str]) -> None:
    """Sets values. Raises BrokenSettings if the file can't be read or can't be changed safely."""
    file = state / CONFIG_FILE
    with locks.exclusive(file.with_name(f"{CONFIG_FILE}.lock")):
        old = _text(file)
        new = _changed(old, values)
        if _read(file, new) != {**_read(file, old), **values}:
            raise BrokenSettings(f"{file}: set {', '.join(values)} there by hand; it is written in an unusual way.")
        write_state(file, new.encode())


async def allow(state: Path, remark: str, rule: Rule) -> None:
    """Adds a rule that a person can read and delete."""
    await run_in_thread(lambda: _add(state / CONFIG_FILE, remark, rule))


def rules(state: Path) -> list[Rule]:
    """BrokenSettings."""
    file = state / CONFIG_FILE
    return _rules(file, _read(file, _text(file)))


def remove_rule(state: Path, rule: Rule) -> bool:
    """Removes all copies of a rule; False if there was none. Raises BrokenSettings if it must be removed by hand."""
    file = state / CONFIG_FILE
    with locks.exclusive(file.with_name(f"{CONFIG_FILE}.lock")):
        text = _text(file)
        old_rules = _rules(file, _read(file, text))
        remaining = [candidate for candidate in old_rules if candidate != rule]
        if len(remaining) == len(old_rules):
            return False
        blocks = [match.span() for match in _RULE_BLOCK.finditer(text)]
        if len(blocks) == len(old_rules):
            for candidate, (start, end) in reversed(list(zip(old_rules, blocks, strict=True))):
                text = text[:start] + text[end:] if candidate == rule else text
        values = _read(file, text)
        if _rules(file, values) != remaining or {**values, "rules": []} != {**_read(file, _text(file)), "rules": []}:
            raise BrokenSettings(f"{file}: remove the rule there by hand; it is written in an unusual way.")
        write_state(file, text.encode())
        return True


def _add(file: Path, remark: str, rule: Rule) -> None:
    values = {field.name: getattr(rule, field.name) for field in fields(rule)}
    members = [f"{name} = {_toml_value(value)}" for name, value in values.items() if value != _DEFAULTS.get(name)]
    lines = ["", f"# {remark}", "[[rules]]", *members, ""]
    with locks.exclusive(file.with_name(f"{CONFIG_FILE}.lock")):
        if not file.exists():
            write_state(file, "\n".join(lines).encode())
            return
        descriptor = open_private(file, os.O_RDWR | os.O_APPEND)
        try:
            added = "\n".join(lines).encode()
            digest = sha256(os.pread(descriptor, os.fstat(descriptor).st_size, 0) + added).hexdigest()
            with record_write(file.parent, file.name, lambda: digest_of(file), digest):
                write_all(descriptor, added)
                os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _toml_value(value: str | bool) -> str:
    """A TOML value in which unprintable characters are escaped (TOML's escapes differ from JSON's)."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in text)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _rules(file: Path, values: Mapping[str, object]) -> list[Rule]:
    try:
        return msgspec.convert(dates_as_text(dict(values)).get("rules", []), list[Rule], strict=False)
    except msgspec.ValidationError as error:
        raise BrokenSettings(f"{file}: {error}") from None


def _changed(text: str, values: dict[str, str | list[str]]) -> str:
    """Sets values in the part before the first table. JSON strings are valid TOML strings."""
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
