"""What stands around a game's scenes, read from the project's folder."""

import json
import posixpath
import re

from handrail.features.webgal.script.character_file import CHARACTERS, names_in
from handrail.features.webgal.script.commands import STOCK_ANIMATIONS
from handrail.features.webgal.script.listing import Listing, Surroundings
from handrail.features.webgal.script.media import is_part, pages_of_atlas, parts_of_model
from handrail.features.webgal.script.project import CONFIG
from handrail.kernel.policy import Policy
from handrail.ports.errors import Failure
from handrail.ports.files import Folder

_LARGEST = 1 << 20
_VERSION = re.compile(r'"(?:webgalVersion|version)"\s*:\s*"(\d+)\.(\d+)\.(\d+)')
# Style sheets, and the lists of models that derived engines show as one.
_NAMING = (".css", ".scss", ".jsonl")


def read_surroundings(files: Folder, folder: str, policy: Policy, tool: str) -> Surroundings:
    prefix = "" if folder == "." else f"{folder}/"
    paths, hidden = [], []
    for path, entry in files.walk(folder):
        if entry.is_link:
            hidden.append(path)
        elif policy.rules and not policy.may_read(tool, prefix + path):
            hidden.append(posixpath.dirname(path))  # nor may it be guessed what is there and what is not
        elif not entry.is_folder:
            paths.append(path)
    listing = Listing.of(paths, hidden)

    def text(path: str) -> str:
        return text_or_nothing(files, prefix + path)

    parts: set[str] = set()
    models: set[str] = set()
    for name in listing.by_folder.get("figure", ()):
        path = f"figure/{name}"
        if name.endswith(".json") and not is_part(name) and (named := parts_of_model(path, text(path))) is not None:
            models.add(path)
            parts |= named
        elif name.endswith(".atlas"):
            parts |= pages_of_atlas(path, text(path)) | {path}
    naming = [path for path in listing.paths if path.endswith(_NAMING) or path.startswith("template/")]
    known = set(listing.paths)
    return Surroundings(
        listing=listing,
        folder=prefix,
        animations=_animations(listing, text("animation/animationTable.json")),
        characters=names_in(text(CHARACTERS)) | names_in(text_or_nothing(files, CHARACTERS)),
        engine=_engine(text_or_nothing(files, f"{posixpath.dirname(folder) or '.'}/webgal-engine.json")),
        config=text(CONFIG) if CONFIG in known else None,
        mentions="\n".join(text(path) for path in naming if not path.endswith((".png", ".jpg", ".webp", ".ttf"))),
        parts=frozenset(parts),
        models=frozenset(models),
    )


def text_or_nothing(files: Folder, path: str) -> str:
    """What can't be read says nothing about the game."""
    try:
        return files.read(path, _LARGEST).decode("utf-8-sig")
    except (Failure, UnicodeDecodeError):
        return ""


def _animations(listing: Listing, table: str) -> frozenset[str] | None:
    """Without a folder of animations, nothing is known of them."""
    names = listing.by_folder.get("animation")
    if names is None:
        return None
    try:
        listed = json.loads(table)
    except (ValueError, RecursionError):
        listed = []
    from_table = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    return STOCK_ANIMATIONS.union(from_table, (posixpath.splitext(name)[0] for name in names))


def _engine(text: str) -> tuple[int, ...] | None:
    found = _VERSION.search(text)
    return tuple(map(int, found.groups())) if found else None
