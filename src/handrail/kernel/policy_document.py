"""Reads the policy file of contract 3 §6 strictly, and reports each fault with its line."""

import json
import re
from bisect import bisect_right
from difflib import get_close_matches
from typing import Any, Literal

import msgspec

from handrail.kernel import strict_json
from handrail.kernel.glob import app_matcher, matcher, subtree_matcher
from handrail.kernel.host_name import host_matcher
from handrail.kernel.web_address import place_matcher
from handrail.ports.errors import Failure, InvalidParams
from handrail.ports.policy import Rule

CONTRACT_VERSION = "1.0.0"
DEFAULT_FORBIDDEN = (".git", "node_modules", ".env")
_RULE_CODE = re.compile(r"WG\d{3}")


class BrokenPolicy(Failure):
    """A policy that can't be read. It stops the program, and never allows anything."""


class Policies(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    sandbox_root: str = "${projectRoot}"
    forbidden_dirs: tuple[str, ...] = DEFAULT_FORBIDDEN
    write_requires_diff: bool = True
    max_auto_fix: int = 1
    batch_max_lines: int = 2000
    allowed_commands: tuple[str, ...] = ("dev", "build", "lint")
    browser_allowed_hosts: tuple[str, ...] = ("localhost", "127.0.0.1")
    snapshot_retention: int = 20
    max_read_bytes: int = 5_242_880
    command_timeout_ms: int = 30_000
    command_args: bool = False
    redact_env: tuple[str, ...] = ()
    lint_on_write: bool = False
    lint_ignore: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.sandbox_root != "${projectRoot}":
            raise ValueError("`sandboxRoot` must be ${projectRoot}")
        for name, least in (
            ("max_auto_fix", 0),
            ("batch_max_lines", 0),
            ("snapshot_retention", 0),
            ("max_read_bytes", 1),
            ("command_timeout_ms", 1),
        ):
            if getattr(self, name) < least:
                raise ValueError(f"`{_camel(name)}` must be at least {least}")
        for code in self.lint_ignore:
            if not _RULE_CODE.fullmatch(code):
                raise ValueError(f"`lintIgnore` lists codes such as WG101, not {code!r}")


class PolicyDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    contract_version: str = CONTRACT_VERSION
    mode: Literal["cline", "developer"] = "cline"
    policies: Policies = Policies()
    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        if self.contract_version.split(".")[0] != CONTRACT_VERSION.split(".")[0]:
            raise ValueError(f"`contractVersion` is {self.contract_version}; this program supports {CONTRACT_VERSION}")


def read_document(data: bytes, where: str) -> PolicyDocument:
    try:
        raw = strict_json.decode(data)
    except Failure as error:
        raise _broken(where, error.details.get("line") or _line_of_refusal(data), error.message) from None
    try:
        document = msgspec.convert(raw, PolicyDocument)
    except msgspec.ValidationError as error:
        raise _broken(where, _line_of_fault(data.decode(), str(error)), _explained(str(error))) from None
    for number, rule in enumerate(document.rules):
        if (wrong := find_wrong_pattern(rule)) is not None:
            field, message = wrong
            raise _broken(where, _lines_by_path(data.decode()).get(("rules", number, field), 1), message)
    return document


def find_wrong_pattern(rule: Rule) -> tuple[str, str] | None:
    """The field of a rule whose pattern can't be read, and why; checked at the start and not at some later call."""
    for field, test in (
        ("tool", matcher),
        ("path", subtree_matcher),
        ("place", place_matcher),
        ("host", host_matcher),
        ("app", app_matcher),
        ("server", matcher),
    ):
        pattern = getattr(rule, field)
        try:
            if pattern is not None:
                test(pattern)
        except InvalidParams as error:
            return field, f"`{field}`: {error.message}"
    return None


def _broken(where: str, line: int, message: str) -> BrokenPolicy:
    return BrokenPolicy(f"{where}, line {line}: {message}", line=line)


_AT = re.compile(r" - at `\$(?P<path>[^`]*)`$")
_NAMED = re.compile(r"`(?P<name>[^`]*)`")


def _explained(message: str) -> str:
    unknown = re.search(r"unknown field `([^`]+)`", message)
    if unknown is None:
        return message
    if unknown[1] in _field_names(Policies):
        return f"{message}; it belongs in `policies`"
    near = get_close_matches(unknown[1], [*_field_names(PolicyDocument), *_field_names(Policies), *_field_names(Rule)])
    near = [name for name in near if name != unknown[1]]
    return f"{message}; did you mean `{near[0]}`?" if near else message


def _field_names(struct: type[msgspec.Struct]) -> tuple[str, ...]:
    return struct.__struct_encode_fields__


def _line_of_fault(text: str, message: str) -> int:
    at = _AT.search(message)
    steps: list[str | int] = []
    for name, index in re.findall(r"\.([A-Za-z_]+)|\[(\d+)\]", at["path"] if at else ""):
        steps.append(name or int(index))
    fault = message[: at.start()] if at else message
    named = _NAMED.search(fault)
    lines = _lines_by_path(text)
    if named and (exact := lines.get((*steps, named["name"]))):
        return exact
    while steps and tuple(steps) not in lines:
        steps.pop()
    return lines.get(tuple(steps), 1)


class _RefusedAt(Exception):
    def __init__(self, line: int) -> None:
        self.line = line


def _line_of_refusal(data: bytes) -> int:
    """The line of what the strict decoder refuses."""
    try:
        _lines_by_path(data.decode(), refuse=True)
    except UnicodeDecodeError as error:
        return data.count(b"\n", 0, error.start) + 1
    except _RefusedAt as refused:
        return refused.line
    except (json.JSONDecodeError, IndexError):
        return 1
    return 1


def _lines_by_path(text: str, *, refuse: bool = False) -> dict[tuple[str | int, ...], int]:
    """The line of each value of a JSON text (or of its key), by the keys that lead to it.

    With `refuse`, raises _RefusedAt at the first line that the strict decoder refuses.
    """
    lines: dict[tuple[str | int, ...], int] = {}
    decoder = json.JSONDecoder()
    whitespace = re.compile(r"[ \t\r\n]*")
    ends = [match.end() for match in re.finditer("\n", text)]

    def skip(at: int) -> int:
        match = whitespace.match(text, at)
        return match.end() if match else at

    def line(at: int) -> int:
        return bisect_right(ends, at) + 1

    def scalar(at: int) -> tuple[Any, int]:
        read, end = decoder.raw_decode(text, at)
        if refuse:
            try:
                strict_json.decode(text[at:end])
            except Failure:
                raise _RefusedAt(line(at)) from None
        return read, end

    def value(path: tuple[str | int, ...], at: int) -> int:
        if text[at] not in "{[":
            return scalar(at)[1]
        if refuse and len(path) >= strict_json.MAX_DEPTH:
            raise _RefusedAt(line(at))
        is_object, at, index = text[at] == "{", skip(at + 1), 0
        while text[at] not in "}]":
            step: str | int = index
            start = at
            if is_object:
                step, at = scalar(at)
                at = skip(skip(at) + 1)
            if refuse and (*path, step) in lines:
                raise _RefusedAt(line(start))
            lines[(*path, step)] = line(start)
            at = skip(value((*path, step), at))
            if text[at] == ",":
                at = skip(at + 1)
            index += 1
        return at + 1

    lines[()] = line(skip(0))
    value((), skip(0))
    return lines


def _camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(word.capitalize() for word in tail)


def as_json(document: PolicyDocument) -> Any:
    return msgspec.to_builtins(document)
