"""The file in which a project keeps its characters: a JSON list, a table by name, or either under `characters`."""

import json
from typing import Any

from handrail.contract.errors import Conflict, Damaged


def names_in(text: str) -> frozenset[str]:
    """The characters that a file defines; none where it is no such file."""
    try:
        characters = _characters(json.loads(text))
    except (ValueError, RecursionError):
        return frozenset()
    if isinstance(characters, dict):
        return frozenset(characters)
    if isinstance(characters, list):
        names = (each.get("name") for each in characters if isinstance(each, dict))
        return frozenset(name for name in names if isinstance(name, str))
    return frozenset()


def with_character(text: str, path: str, profile: dict[str, str]) -> str | None:
    """The file with one more character; None where it stands there already. Conflict: it is defined otherwise."""
    try:
        document = json.loads(text) if text.strip() else {"characters": []}
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{path} is not JSON: {error}", hint="Mend it by hand first.", path=path) from None
    characters = _characters(document)
    name = profile["name"]
    if isinstance(characters, dict):
        standing, wanted = characters.get(name), {key: value for key, value in profile.items() if key != "name"}
        characters[name] = wanted
    elif isinstance(characters, list):
        found = [each for each in characters if isinstance(each, dict) and each.get("name") == name]
        standing, wanted = found[0] if found else None, dict(profile)
        characters.append(wanted)
    else:
        raise Damaged(f"{path} holds no list or table of characters.", path=path)
    if standing is not None:
        if standing == wanted:
            return None
        raise Conflict(
            f"{name} is defined already, and otherwise.",
            hint=f"Change {path} with replace_in_file if that is meant.",
            path=path,
        )
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _characters(document: Any) -> Any:
    return document["characters"] if isinstance(document, dict) and "characters" in document else document
