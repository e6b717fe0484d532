"""Finds the games and scenes of a project."""

import posixpath
from collections.abc import Callable
from dataclasses import dataclass

from handrail.features.webgal.script.similar_names import nearest
from handrail.kernel.web_address import host_of_page
from handrail.ports.errors import Declined, Failure, InvalidParams, NotFound, NotShown, Unsupported
from handrail.ports.files import Folder
from handrail.ports.paths import parse_path

SCENES = "scene"
# A game alone, a checkout of the engine's source, and a project that is the game's own folder.
_CANDIDATES = ("game", "public/game", "packages/webgal/public/game", ".")
# Where Terre stores games, each in its own folder: in an older version, in its user data, and in a portable one.
_COLLECTIONS = ("public/games", "games", "data/games")
_GAME = "game"
_MAX_NAMES = 20
_PROJECT_NAME = "this project"
MayRead = Callable[[str], bool]
"""Returns whether no rule hides a path."""


def find_game(files: Folder, path: str | None = None) -> str | None:
    """Returns the folder of the game that a path belongs to; without a path, the project's game.

    Returns None if there is no game, or more than one.
    """
    if path is not None and (outer := _enclosing_game(files, path)) is not None:
        return outer
    games = _games_in(files, ".")
    return games[0] if len(games) == 1 else None


def project_game(files: Folder, may_read: MayRead) -> str:
    """Returns the project's only game. Raises NotFound; the message names the games that no rule hides."""
    return only_game(_games_in(files, "."), ".", may_read)


def has_games(files: Folder) -> bool:
    return bool(_games_in(files, "."))


def games_below(files: Folder, path: str, may_read: MayRead) -> list[str]:
    """Returns the games in a folder, or the game that the folder is part of. Raises NotFound."""
    base = "/".join(parse_path(path)) or "."
    if inner := _games_in(files, base):
        return inner
    games = _games_in(files, ".")
    return [_enclosing_game(files, _join(base, "x")) or only_game(games, "." if games else base, may_read)]


def only_game(games: list[str], folder: str, may_read: MayRead) -> str:
    """Returns the only game of a folder. Raises NotFound if there is none or more than one."""
    where = _PROJECT_NAME if folder == "." else folder
    if not games:
        raise NotFound(f"There is no WebGAL game in {where}: no folder game/scene.", path=folder)
    if len(games) > 1:
        visible = [game for game in games if may_read(_join(game, SCENES))][:_MAX_NAMES]
        more = f" and {len(games) - len(visible)} more" if 0 < len(visible) < len(games) else ""
        names = f": {', '.join(visible)}" if visible else ""
        raise NotFound(
            f"There are {len(games)} WebGAL games in {where}{names}{more}.",
            hint="Name a path in one of them, or open that game's own folder as the project.",
            games=visible,
        )
    return games[0]


def _enclosing_game(files: Folder, path: str) -> str | None:
    """Returns the folder of the game that contains a path."""
    parts = parse_path(path)
    for depth in range(len(parts) - 1, -1, -1):
        folder = "/".join(parts[:depth]) or "."
        if (depth < len(parts) and parts[depth] == SCENES) or _has_scenes(files, folder):
            return folder
    return None


def _games_in(files: Folder, base: str) -> list[str]:
    """Returns the game at a usual place, otherwise all games of the first collection that has any."""
    for each in _CANDIDATES:
        if _has_scenes(files, folder := _join(base, each)):
            return [folder]
    for each in _COLLECTIONS:
        collection = _join(base, each)
        games = [f"{collection}/{name}/{_GAME}" for name in _folders_in(files, collection)]
        if existing := [folder for folder in games if _has_scenes(files, folder)]:
            return existing
    return []


def _folders_in(files: Folder, folder: str) -> list[str]:
    try:
        return sorted(entry.name for entry in files.entries(folder) if entry.is_folder)
    except Failure:
        return []


def _has_scenes(files: Folder, folder: str) -> bool:
    try:
        entries = files.entries(_join(folder, SCENES))
    except Failure:
        return False
    return any(entry.is_folder or entry.name.endswith(".txt") for entry in entries)


def _join(folder: str, name: str) -> str:
    return name if folder == "." else folder if name == "." else f"{folder}/{name}"


START = "start.txt"
LOCAL_HOSTS = ("localhost", "127.0.0.1")


@dataclass(frozen=True, slots=True)
class SceneFile:
    """`game` is the game's folder in the project, `name` the scene's path below its folder of scenes."""

    game: str
    name: str

    @property
    def path(self) -> str:
        return _join(self.game, f"{SCENES}/{self.name}")


def find_scene(files: Folder, path: str | None, may_read: MayRead, *, is_unsaved: bool = False) -> SceneFile:
    """Finds a scene by its path in the project or below the folder of scenes, with or without `.txt`.

    None means the start scene. One whose text is unsaved may be new. Raises NotShown if there is no such scene,
    Declined for an address on another host.
    """
    if path is None:
        return _find(files, None, [START], START, may_read, is_unsaved)
    _refuse_address(path)
    name = "/".join(parse_path(path))
    game = find_game(files, name)
    prefix = "" if game is None else _join(game, f"{SCENES}/")
    inner = name.removeprefix(prefix) if prefix and name.startswith(prefix) else name.removeprefix(f"{SCENES}/")
    return _find(files, game, [inner, f"{inner}.txt"], path, may_read, is_unsaved)


def _find(
    files: Folder, game: str | None, names: list[str], requested: str, may_read: MayRead, may_be_new: bool
) -> SceneFile:
    if game is None:
        game = _shown_game(files, may_read)
    for name in names:
        if name.endswith(".txt") and files.mode((scene := SceneFile(game, name)).path) is not None:
            return scene
    if may_be_new:
        return SceneFile(game, next(name for name in names if name.endswith(".txt")))
    folder = _join(game, SCENES)
    visible = [path for path in files.stamps(folder) if path.endswith(".txt") and may_read(_join(folder, path))]
    stems = {posixpath.splitext(posixpath.basename(each))[0]: each for each in visible}
    near = nearest(names[-1], visible) or [stems[stem] for stem in nearest(_stem(requested), stems)]
    hint = f"Did you mean {', '.join(near)}?" if near else "list_project_resources lists the scenes."
    raise NotShown(f"There is no scene {requested!r} in {folder}.", hint=hint, scenePath=requested, near=near)


def _shown_game(files: Folder, may_read: MayRead) -> str:
    try:
        return project_game(files, may_read)
    except NotFound as failure:
        raise NotShown(failure.message, hint=failure.hint or "Open the game's folder.", **failure.details) from None


def _refuse_address(path: str) -> None:
    scheme, colon, rest = path.partition(":")
    if not colon or not rest.startswith("//"):
        return
    if scheme.lower() not in ("http", "https"):
        raise Unsupported(f"A scene can't be shown from {scheme}: addresses.", hint=_HINT, scenePath=path)
    if host_of_page(path) not in LOCAL_HOSTS:
        raise Declined(f"Previews stay on this machine: {path} is elsewhere.", hint=_HINT, reason="policy")
    raise InvalidParams("`scenePath` is a path in the project, not an address.", hint=_HINT, scenePath=path)


_HINT = "Name a scene of the project, such as game/scene/start.txt."


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]
