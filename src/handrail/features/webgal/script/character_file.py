"""The file in which a project defines its characters: a JSON list, a table by name, or either under `characters`."""

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
    """Returns the characters that a file defines; none if it isn't such a file."""
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
    """Returns the positions of a character's name in its definition, between the quotes."""
    if name not in names_in(text):
        return []
    spans = [each.span() for each in _STRING.finditer(text) if _decode(each.group()) == name]
    return [
        (start + 1, end - 1)
        for start, end in spans
        if _NAME.search(text, max(start - 80, 0), start) is not None or _KEY.match(text, end) is not None
    ]


def rename_edits(text: str, old: str, new: str) -> list[tuple[int, int, str]] | None:
    """Returns the edits that rename a character, or None if they would change anything else."""
    escaped = json.dumps(new, ensure_ascii=False)[1:-1]
    edits = [(start, end, escaped) for start, end in places_of(text, old)]
    after = text
    for start, end, piece in reversed(edits):
        after = after[:start] + piece + after[end:]
    return edits if edits and json.loads(after) == _rename_in(json.loads(text), old, new) else None


def _rename_in(document: Any, old: str, new: str) -> Any:
    characters = characters_of(document)
    if isinstance(characters, dict):
        renamed: Any = {new if name == old else name: _with_name(each, old, new) for name, each in characters.items()}
    else:
        renamed = [_with_name(each, old, new) for each in characters]
    return renamed if characters is document else {**document, "characters": renamed}


def _with_name(character: Any, old: str, new: str) -> Any:
    is_renamed = isinstance(character, dict) and character.get("name") == old
    return {**character, "name": new} if is_renamed else character


def _decode(quoted: str) -> object:
    try:
        return json.loads(quoted)
    except ValueError:
        return None
