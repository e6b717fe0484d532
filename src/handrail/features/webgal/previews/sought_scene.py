"""Which scene of which game is meant by what an agent writes for its path."""

import posixpath
from dataclasses import dataclass

from handrail.features.webgal.previews.place import SCENES, MayRead, game_of, the_game
from handrail.features.webgal.script.nearness import nearest
from handrail.kernel.web_address import host_of_page
from handrail.ports.errors import Declined, InvalidParams, NotFound, NotShown, Unsupported
from handrail.ports.files import Folder
from handrail.ports.paths import parse_path

START = "start.txt"
LOCAL_HOSTS = ("localhost", "127.0.0.1")


@dataclass(frozen=True, slots=True)
class SoughtScene:
    """`game` is the game's folder in the project, `name` the scene below its folder of scenes."""

    game: str
    name: str

    @property
    def path(self) -> str:
        return _joined(self.game, f"{SCENES}/{self.name}")


def sought(files: Folder, path: str | None, may_read: MayRead) -> SoughtScene:
    """A path in the project, or below the folder of scenes, with or without `.txt`; None is where the game starts.

    NotShown: there is no such scene. Declined: an address elsewhere.
    """
    if path is None:
        return _existing(files, None, [START], START, may_read)
    _refuse_address(path)
    name = "/".join(parse_path(path))
    game = game_of(files, name)
    prefix = "" if game is None else _joined(game, f"{SCENES}/")
    inner = name.removeprefix(prefix) if prefix and name.startswith(prefix) else name.removeprefix(f"{SCENES}/")
    return _existing(files, game, [inner, f"{inner}.txt"], path, may_read)


def _existing(files: Folder, game: str | None, names: list[str], wanted: str, may_read: MayRead) -> SoughtScene:
    if game is None:
        game = _the_game(files, may_read)
    for name in names:
        if name.endswith(".txt") and files.mode((scene := SoughtScene(game, name)).path) is not None:
            return scene
    folder = _joined(game, SCENES)
    known = [path for path in files.stamps(folder) if path.endswith(".txt") and may_read(_joined(folder, path))]
    stems = {posixpath.splitext(posixpath.basename(each))[0]: each for each in known}
    near = nearest(names[-1], known) or [stems[stem] for stem in nearest(_stem(wanted), stems)]
    hint = f"Did you mean {', '.join(near)}?" if near else "list_project_resources lists the scenes."
    raise NotShown(f"There is no scene {wanted!r} in {folder}.", hint=hint, scenePath=wanted, near=near)


def _the_game(files: Folder, may_read: MayRead) -> str:
    try:
        return the_game(files, may_read)
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


def _joined(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"
