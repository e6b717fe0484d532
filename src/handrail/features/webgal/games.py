"""The project's games, checked: each scene is read again at every look, and judged again where that matters."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from handrail.features.webgal.previews.place import game_of
from handrail.features.webgal.script.findings import Finding, Language, breaks, kind_of, message
from handrail.features.webgal.script.listing import Surroundings
from handrail.features.webgal.script.project import CONFIG, SCENES, Project
from handrail.features.webgal.surroundings import read_surroundings
from handrail.kernel.policy import Policy
from handrail.ports.errors import Damaged, Failure, NotClean
from handrail.ports.files import Folder

_MOST_TOLD = 20
_TOOL = "validate_script"
"""Whose leave to read decides what a check may look at."""

Checkpoint = Callable[[], None]


@dataclass(slots=True)
class _Game:
    project: Project
    unreadable: list[str] = field(default_factory=list)


class Games:
    def __init__(self, files: Folder, policy: Callable[[], Policy], language: Language) -> None:
        self.files = files
        self.language = language
        self._policy = policy
        self._known: dict[str, tuple[tuple[Surroundings, tuple[str, ...]], _Game]] = {}
        self._lock = threading.Lock()

    def check_text(self, text: str, path: str | None, checkpoint: Checkpoint) -> list[Finding]:
        """Of a script, in the surroundings of the game that its path belongs to."""
        with self._lock:
            game = self._game(game_of(self.files, path), checkpoint)
            if path is None:
                return game.project.findings_of(text)
            name = _below(game.project.around.folder, path)
            if name == CONFIG:
                return game.project.settings(text)
            return game.project.findings_of(text, name.removeprefix(f"{SCENES}/"))

    def opened(self, folder: str, checkpoint: Checkpoint) -> tuple[Project, list[str]]:
        """The game in a folder as it stands now, and the scenes that are no text."""
        with self._lock:
            game = self._game(folder, checkpoint)
            return game.project, game.unreadable

    def around(self, folder: str) -> Surroundings:
        return read_surroundings(self.files, folder, self._policy(), _TOOL)

    def may_read(self, path: str) -> bool:
        return self._policy().may_read(_TOOL, path)

    def text_of(self, path: str) -> str:
        data = self.files.read(path, self._policy().limits.max_read_bytes)
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise Damaged(f"Not a text: {path} (byte {error.start}).", path=path) from None
        if "\0" in text:
            raise Damaged(f"Not a text: {path} (it holds a NUL).", path=path)
        return text

    def review(self, path: str, content: bytes) -> None:
        """NotClean: a scene with mistakes."""
        if not _is_scene(path):
            return
        try:
            text = content.decode()
        except UnicodeDecodeError:
            return  # the write itself is refused for that
        found = [finding for finding in self.check_text(text, path, _never) if breaks(finding)]
        if found:
            raise NotClean(
                f"{path} has {len(found)} mistakes, and the policy wants a clean check before a write (lintOnWrite).",
                hint="Mend them; validate_script with this content lists them all.",
                path=path,
                diagnostics=[
                    {"line": each.line, "kind": kind_of(each), "message": message(each, self.language)}
                    for each in found[:_MOST_TOLD]
                ],
            )

    def _game(self, folder: str | None, checkpoint: Checkpoint) -> _Game:
        policy = self._policy()
        silenced = policy.limits.lint_ignore
        if folder is None:
            return _Game(Project(Surroundings(), silenced))
        around = read_surroundings(self.files, folder, policy, _TOOL)
        known = self._known.get(folder)
        key = (around, silenced)
        game = known[1] if known is not None and known[0] == key else _Game(Project(around, silenced))
        self._known[folder] = (key, game)
        self._read_scenes(game, checkpoint)
        return game

    def _read_scenes(self, game: _Game, checkpoint: Checkpoint) -> None:
        project, game.unreadable = game.project, []
        names = [name for name in project.around.listing.by_folder.get(SCENES, ()) if name.endswith(".txt")]
        for gone in set(project.scenes).difference(names):
            project.remove(gone)
        for name in names:
            checkpoint()
            path = f"{project.around.folder}{SCENES}/{name}"
            try:
                project.update(name, self.text_of(path))
            except Failure:
                game.unreadable.append(path)


def _never() -> None:
    """For a check that is part of something else and not stopped by itself."""


def _below(folder: str, path: str) -> str:
    return path.removeprefix(folder) if path.startswith(folder) else path


def _is_scene(path: str) -> bool:
    return path.endswith(".txt") and f"/{SCENES}/" in f"/{path}"
