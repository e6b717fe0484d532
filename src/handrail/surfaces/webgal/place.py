"""Where in a project its game lies. Knows names alone, and asks the project's folder which of them are there."""

from handrail.contract.errors import Failure, NotFound
from handrail.contract.files import Folder
from handrail.contract.paths import parse_path

SCENES = "scene"
# A game by itself, a checkout of the engine's source, and a project that is the game's own folder.
_CANDIDATES = ("game", "public/game", "packages/webgal/public/game", ".")
# Where Terre keeps games, each in a folder of its own: an older one, its user data, and a portable one.
_COLLECTIONS = ("public/games", "games", "data/games")
_GAME = "game"
_MOST_NAMED = 20
_HERE = "this project"


def game_of(files: Folder, path: str | None = None) -> str | None:
    """The folder of the game that a path belongs to; without one, the project's game.

    None: there is none, or there are several of which none is meant more than the others.
    """
    if path is not None and (outer := _around(files, path)) is not None:
        return outer
    games = _games_in(files, ".")
    return games[0] if len(games) == 1 else None


def the_game(files: Folder) -> str:
    """The project's game. NotFound: there is none, or there are several, which are named."""
    return only(_games_in(files, "."), ".")


def has_games(files: Folder) -> bool:
    return bool(_games_in(files, "."))


def games_below(files: Folder, path: str) -> list[str]:
    """The games that a folder holds, or the one that it is a part of. NotFound."""
    base = "/".join(parse_path(path)) or "."
    if inner := _games_in(files, base):
        return inner
    games = _games_in(files, ".")
    return [_around(files, _joined(base, "x")) or only(games, "." if games else base)]


def only(games: list[str], folder: str) -> str:
    """Of the games that a folder holds. NotFound: there is none, or there are several, which are named."""
    where = _HERE if folder == "." else folder
    if not games:
        raise NotFound(f"There is no WebGAL game in {where}: no folder game/scene.", path=folder)
    if len(games) > 1:
        more = f" and {len(games) - _MOST_NAMED} more" if len(games) > _MOST_NAMED else ""
        raise NotFound(
            f"There are {len(games)} WebGAL games in {where}: {', '.join(games[:_MOST_NAMED])}{more}.",
            hint="Name a path in one of them, or open that game's own folder as the project.",
            games=games[:_MOST_NAMED],
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
