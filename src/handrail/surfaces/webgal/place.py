"""Where in a project its game lies. Knows names alone, and asks the project's folder which of them are there."""

from handrail.contract.errors import Failure, NotFound
from handrail.contract.files import Folder
from handrail.contract.paths import parse_path

SCENES = "scene"
# A game by itself, a checkout of the engine's source, and a project that is the game's own folder.
_CANDIDATES = ("game", "public/game", "packages/webgal/public/game", ".")


def game_of(files: Folder, path: str | None = None) -> str | None:
    """The folder of the game that a path belongs to; without one, the project's game. None: there is none."""
    if path is not None:
        parts = parse_path(path)
        for depth in range(len(parts) - 1, -1, -1):
            folder = "/".join(parts[:depth]) or "."
            if (depth < len(parts) and parts[depth] == SCENES) or _has_scenes(files, folder):
                return folder
    return next((folder for folder in _CANDIDATES if _has_scenes(files, folder)), None)


def games_below(files: Folder, path: str) -> list[str]:
    """The games that a folder holds, or the one that it is a part of."""
    base = "/".join(parse_path(path)) or "."
    found = [folder for each in _CANDIDATES if _has_scenes(files, folder := _joined(base, each))]
    inner = found[:1] or ([outer] if (outer := game_of(files, _joined(base, "x"))) is not None else [])
    if not inner:
        raise NotFound(f"There is no WebGAL game in {base}: no folder game/scene.", path=base)
    return inner


def _has_scenes(files: Folder, folder: str) -> bool:
    try:
        entries = files.entries(_joined(folder, SCENES))
    except Failure:
        return False
    return any(entry.is_folder or entry.name.endswith(".txt") for entry in entries)


def _joined(folder: str, name: str) -> str:
    return name if folder == "." else folder if name == "." else f"{folder}/{name}"
