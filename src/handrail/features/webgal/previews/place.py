"""Where in a project its game lies. Knows names alone, and asks the project's folder which of them are there."""

from collections.abc import Callable

from handrail.ports.errors import Failure, NotFound
from handrail.ports.files import Folder
from handrail.ports.paths import parse_path

SCENES = "scene"
# A game by itself, a checkout of the engine's source, and a project that is the game's own folder.
_CANDIDATES = ("game", "public/game", "packages/webgal/public/game", ".")
# Where Terre keeps games, each in a folder of its own: an older one, its user data, and a portable one.
_COLLECTIONS = ("public/games", "games", "data/games")
_GAME = "game"
_MOST_NAMED = 20
_HERE = "this project"
MayRead = Callable[[str], bool]
"""Whether no rule hides a path."""


def game_of(files: Folder, path: str | None = None) -> str | None:
    """The folder of the game that a path belongs to; without one, the project's game.

    None: there is none, or there are several of which none is meant more than the others.
    """
    if path is not None and (outer := _around(files, path)) is not None:
        return outer
    games = _games_in(files, ".")
    return games[0] if len(games) == 1 else None


def the_game(files: Folder, may_read: MayRead) -> str:
    """The project's game. NotFound: there is none, or there are several; those that no rule hides are named."""
    return only(_games_in(files, "."), ".", may_read)


def has_games(files: Folder) -> bool:
    return bool(_games_in(files, "."))


def games_below(files: Folder, path: str, may_read: MayRead) -> list[str]:
    """The games that a folder holds, or the one that it is a part of. NotFound."""
    base = "/".join(parse_path(path)) or "."
    if inner := _games_in(files, base):
        return inner
    games = _games_in(files, ".")
    return [_around(files, _joined(base, "x")) or only(games, "." if games else base, may_read)]


def only(games: list[str], folder: str, may_read: MayRead) -> str:
    """Of the games that a folder holds. NotFound: there is none, or there are several; not all need be named."""
    where = _HERE if folder == "." else folder
    if not games:
        raise NotFound(f"There is no WebGAL game in {where}: no folder game/scene.", path=folder)
    if len(games) > 1:
        named = [game for game in games if may_read(_joined(game, SCENES))][:_MOST_NAMED]
        more = f" and {len(games) - len(named)} more" if 0 < len(named) < len(games) else ""
        names = f": {', '.join(named)}" if named else ""
        raise NotFound(
            f"There are {len(games)} WebGAL games in {where}{names}{more}.",
            hint="Name a path in one of them, or open that game's own folder as the project.",
            games=named,
        )
    return games[0]


def _around(files: Folder, path: str) -> str | None:
    """The folder of the game that a path lies in."""
    parts = parse_path(path)
    for depth in range(len(parts) - 1, -1, -1):
        folder = "/".join(parts[:depth]) or "."
        if (depth < len(parts) and parts[depth] == SCENES) or _has_scenes(files, folder):
            return folder
    return None


def _games_in(files: Folder, base: str) -> list[str]:
    """One that lies at a usual place, otherwise all of the first collection that has any."""
    for each in _CANDIDATES:
        if _has_scenes(files, folder := _joined(base, each)):
            return [folder]
    for each in _COLLECTIONS:
        collection = _joined(base, each)
        games = [f"{collection}/{name}/{_GAME}" for name in _folders_in(files, collection)]
        if found := [folder for folder in games if _has_scenes(files, folder)]:
            return found
    return []


def _folders_in(files: Folder, folder: str) -> list[str]:
    try:
        return sorted(entry.name for entry in files.entries(folder) if entry.is_folder)
    except Failure:
        return []


def _has_scenes(files: Folder, folder: str) -> bool:
    try:
        entries = files.entries(_joined(folder, SCENES))
    except Failure:
        return False
    return any(entry.is_folder or entry.name.endswith(".txt") for entry in entries)


def _joined(folder: str, name: str) -> str:
    return name if folder == "." else folder if name == "." else f"{folder}/{name}"
