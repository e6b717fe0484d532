"""What an editor shows of commands and arguments, in two languages. The table itself is `handbook.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from handrail.features.webgal.script.commands import Command, Kind
from handrail.features.webgal.script.findings import Language

_KINDS = {Kind.NUMBER: "=0", Kind.JSON: "={…}", Kind.FLAG: ""}


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    zh: str
    en: str
    example: str = ""

    def said(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en


class Handbook(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    commands: Mapping[str, Entry]
    arguments: Mapping[str, Entry]


@cache
def handbook() -> Handbook:
    table = files("handrail.features.webgal.lsp").joinpath("handbook.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(table), Handbook)


def about_command(command: Command, language: Language) -> str:
    """As Markdown."""
    entry = handbook().commands[command.name]
    arguments = " ".join(f"`-{name}{_KINDS.get(known.kind, '=…')}`" for name, known in command.arguments.items())
    return f"**{command.name}** — {entry.said(language)}\n\n```webgal\n{entry.example}\n```\n\n{arguments}"


def about_argument(command: Command, name: str, language: Language) -> str | None:
    known, entry = command.arguments.get(name), handbook().arguments.get(name)
    if known is None or entry is None:
        return None
    choices = " · ".join(f"`{choice}`" for choice in known.choices)
    return f"**-{name}** — {entry.said(language)}" + (f"\n\n{choices}" if choices else "")
