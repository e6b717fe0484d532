"""The file in which a project keeps its characters: a JSON list, a table by name, or either under `characters`."""

import json
import re
from typing import Any

CHARACTERS = "characters.json"
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_NAME = re.compile(r'"name"\s*:\s*$')
_KEY = re.compile(r"\s*:")


def characters_of(document: Any) -> Any:
    return document["characters"] if isinstance(document, dict) and "characters" in document else document


def names_in(text: str) -> frozenset[str]:
    """The characters that a file defines; empty if it is no such file."""
    try:
        characters = characters_of(json.loads(text))
    except (ValueError, RecursionError):
        return frozenset()
    if isinstance(characters, dict):
        return frozenset(characters)
    if isinstance(characters, list):
        names = (each.get("name") for each in characters if isinstance(each, dict))
        return frozenset(name for name in names if isinstance(name, str))
    return frozenset()


def places_of(text: str, name: str) -> list[tuple[int, int]]:
    """The positions of a character's name in its definition, between the quotes."""
    if name not in names_in(text):
        return []
    found = [each.span() for each in _STRING.finditer(text) if _said(each.group()) == name]
    return [
        (start + 1, end - 1)
        for start, end in found
        if _NAME.search(text, max(start - 80, 0), start) is not None or _KEY.match(text, end) is not None
    ]


def renamed(text: str, old: str, new: str) -> list[tuple[int, int, str]] | None:
    """The edits that rename a character; None if they would change anything else."""
    spelled = json.dumps(new, ensure_ascii=False)[1:-1]
    edits = [(start, end, spelled) for start, end in places_of(text, old)]
    after = text
    for start, end, piece in reversed(edits):
        after = after[:start] + piece + after[end:]
    return edits if edits and json.loads(after) == _called(json.loads(text), old, new) else None


def _called(document: Any, old: str, new: str) -> Any:
    characters = characters_of(document)
    if isinstance(characters, dict):
        done: Any = {new if name == old else name: _with_name(each, old, new) for name, each in characters.items()}
    else:
        done = [_with_name(each, old, new) for each in characters]
    return done if characters is document else {**document, "characters": done}


def _with_name(character: Any, old: str, new: str) -> Any:
    is_meant = isinstance(character, dict) and character.get("name") == old
    return {**character, "name": new} if is_meant else character


def _said(quoted: str) -> object:
    try:
        return json.loads(quoted)
    except ValueError:
        return None
