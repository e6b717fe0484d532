"""One more character in the file in which a project keeps them."""

import json

from handrail.features.webgal.script.character_file import characters_of
from handrail.ports.errors import Conflict, Damaged


def with_character(text: str, path: str, profile: dict[str, str]) -> str | None:
    """The file with one more character; None where it stands there already. Conflict: it is defined otherwise."""
    try:
        document = json.loads(text) if text.strip() else {"characters": []}
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{path} is not JSON: {error}", hint="Mend it by hand first.", path=path) from None
    characters = characters_of(document)
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
