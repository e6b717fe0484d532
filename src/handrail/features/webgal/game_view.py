"""The project's game as the console's page shows it."""

import hashlib
import posixpath
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from handrail.features.webgal.games import Games, text_or_nothing
from handrail.features.webgal.port import WebGal
from handrail.features.webgal.previews.game_data import Overview, Resources, Text, overview, resources, source
from handrail.features.webgal.previews.scene_finder import find_game, has_games, project_game
from handrail.features.webgal.script.findings import Language, with_fix
from handrail.features.webgal.script.graph_picture import Layout, make_layout
from handrail.features.webgal.script.media import media_type
from handrail.features.webgal.script.project import CONFIG, SCENES, Project
from handrail.features.workspace.offers import Changes
from handrail.ports.errors import Conflict, NotFound
from handrail.ports.files import Folder, Stamp
from handrail.ports.paths import parse_path


@dataclass(frozen=True, slots=True)
class ProblemPlace:
    """The place of a problem: line, rule and first character."""

    line: int
    code: str
    start: int


@dataclass(frozen=True, slots=True)
class FixedFile:
    """A file with its fixes, and the hashes of its content before and after."""

    path: str
    content: str
    diff: str
    base_hash: str
    after_hash: str


_TOOL = "validate_script"
"""The tool whose read permission decides what is shown, as with every check."""
_MAX_FILE = 64 << 20
_BOM = "\ufeff"
"""Dropped when `config.txt` is read, but kept when it is fixed."""


@dataclass(frozen=True, slots=True)
class _OpenGame:
    stamp: str
    folder: str
    stamps: Mapping[str, Stamp]
    project: Project
    unreadable: list[str]


class GameView:
    """The project's game as a page shows it, ready to be encoded as JSON.

    All methods block, respect the project's rules, and change nothing.
    """

    def __init__(self, webgal: WebGal) -> None:
        checks = webgal.checks
        self._files: Folder = checks.files
        self._policy = checks.policy
        # A separate object, so that an agent's check in another thread can't change what a page is reading.
        self._games = Games(checks.files, checks.policy, checks.language)
        self._changes: Changes = webgal.changes
        self._lock = threading.Lock()
        self._last: _OpenGame | None = None

    def stamp(self) -> str | None:
        """Returns a value that changes when anything on the page may have changed; None if there is no game."""
        folder = find_game(self._files)
        return None if folder is None else self._stamp(folder, self._files.stamps(folder))

    def overview(self, language: Language) -> Overview | None:
        """Returns the scenes and all problems; None if there is no game."""
        with self._lock:
            if not has_games(self._files):
                return None
            game = self._open_game()
            return overview(game.project, game.unreadable, game.stamp, language)

    def scene(self, path: str) -> Text:
        """Returns the text of a scene or of `config.txt`, with the parts of each line. Raises NotFound."""
        with self._lock:
            game = self._open_game()
            name = self._text_in(game, path)
            return source(path, game.project.text_of(name), game.stamp, is_config=name == CONFIG)

    def graph(self) -> Layout:
        with self._lock:
            return make_layout(self._open_game().project.graph())

    def resources(self) -> Resources:
        """Returns the files that scenes can use, where they are used, and which used files are missing."""
        with self._lock:
            game = self._open_game()
            return resources(game.project, game.stamps)

    def file(self, path: str) -> tuple[str, bytes]:
        """Returns the media type and content of a picture or sound of the game. Raises NotFound."""
        name = "/".join(parse_path(path))
        folder = find_game(self._files)
        prefix = "" if folder in (None, ".") else f"{folder}/"
        kind = media_type(name.removeprefix(prefix)) if folder is not None and name.startswith(prefix) else None
        if kind is None or not self._policy().may_read(_TOOL, name):
            raise NotFound(f"{path} is neither a picture nor a sound of the game.", path=path)
        return kind, self._files.read(name, _MAX_FILE)

    def fix_file(self, path: str, place: ProblemPlace | None) -> FixedFile:
        """Returns the file with one problem fixed, or without a place with all safe fixes.

        Raises Conflict if there is no such problem.
        """
        with self._lock:
            game = self._open_game()
            name = self._text_in(game, path)
            before = game.project.text_of(name)
            after = (
                _fix_place(game.project, name, before, place) if place else game.project.with_safe_fixes(name, before)
            )
        bom = _BOM if name == CONFIG and self._games.text_of(path).startswith(_BOM) else ""
        preview = self._changes.preview(path, (bom + after).encode(), f"Fix {path}")
        if after == before or preview.binding["baseHash"] != hashlib.sha256((bom + before).encode()).hexdigest():
            raise Conflict(f"{path} has changed since it was shown.", hint="Reload it.", path=path)
        return FixedFile(
            path, bom + after, preview.diff or "", preview.binding["baseHash"], preview.binding["afterHash"]
        )

    def _text_in(self, game: _OpenGame, path: str) -> str:
        """Returns the path of a text below the game's folder."""
        prefix = game.project.assets.folder
        name = path.removeprefix(prefix)
        is_scene = name.startswith(f"{SCENES}/") and name.removeprefix(f"{SCENES}/") in game.project.scenes
        if not path.startswith(prefix) or not (is_scene or (name == CONFIG and game.project.assets.config is not None)):
            raise NotFound(f"There is no scene {path!r} that can be shown.", path=path)
        return name

    def _open_game(self) -> _OpenGame:
        folder = project_game(self._files, self._games.may_read)
        stamps = self._files.stamps(folder)
        stamp = self._stamp(folder, stamps)
        if self._last is None or self._last.stamp != stamp:
            project, unreadable = self._games.open_game(folder, _never)
            self._last = _OpenGame(stamp, folder, stamps, project, list(unreadable))
        return self._last

    def _stamp(self, folder: str, stamps: Mapping[str, Stamp]) -> str:
        """Covers the game's files, related files outside of its folder, and the rules."""
        policy = self._policy()
        names = ("characters.json", f"{posixpath.dirname(folder) or '.'}/webgal-engine.json")
        related = [text_or_nothing(self._files, name) for name in names]
        state = (folder, sorted(stamps.items()), related, policy.rules, policy.limits.lint_ignore)
        return hashlib.sha256(repr(state).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _fix_place(project: Project, name: str, text: str, place: ProblemPlace) -> str:
    findings = project.everything().get(name, ())
    matches = [each for each in findings if (each.line, each.code, each.start) == (place.line, place.code, place.start)]
    return with_fix(text, matches[0]) if matches else text


def _never() -> None:
    """Doesn't stop a check, because a page's request is not interrupted."""
