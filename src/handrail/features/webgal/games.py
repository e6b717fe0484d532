"""The project's games, read from disk and checked again when files have changed."""

import json
import posixpath
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from handrail.features.webgal.engines import engine_folder, engine_in
from handrail.features.webgal.previews.scene_finder import find_game
from handrail.features.webgal.script.character_file import CHARACTERS, names_in
from handrail.features.webgal.script.commands import STOCK_ANIMATIONS
from handrail.features.webgal.script.engine import Engine
from handrail.features.webgal.script.findings import Finding, Language, is_breaking, kind_of, message
from handrail.features.webgal.script.listing import GameAssets, Listing
from handrail.features.webgal.script.media import atlas_pages, is_part, model_parts
from handrail.features.webgal.script.project import CONFIG, SCENES, Project
from handrail.kernel.policy import Policy
from handrail.ports.errors import Damaged, Failure, NotClean
from handrail.ports.files import Folder

_MAX_FILE = 1 << 20
_VERSION = re.compile(r'"(?:webgalVersion|version)"\s*:\s*"(\d+\.\d+\.\d+)')
# Style sheets, and lists of models that derived engines show as one.
_MENTIONING_SUFFIXES = (".css", ".scss", ".jsonl")


def read_assets(files: Folder, folder: str, policy: Policy, tool: str) -> GameAssets:
    prefix = "" if folder == "." else f"{folder}/"
    paths, hidden = [], []
    for path, entry in files.walk(folder):
        if entry.is_link:
            hidden.append(path)
        elif policy.rules and not policy.may_read(tool, prefix + path):
            hidden.append(posixpath.dirname(path))  # which files exist there must not be revealed either
        elif not entry.is_folder:
            paths.append(path)
    listing = Listing.of(paths, hidden)

    def text(path: str) -> str:
        return text_or_nothing(files, prefix + path)

    parts: set[str] = set()
    models: set[str] = set()
    for name in listing.by_folder.get("figure", ()):
        path = f"figure/{name}"
        if name.endswith(".json") and not is_part(name) and (model_files := model_parts(path, text(path))) is not None:
            models.add(path)
            parts |= model_files
        elif name.endswith(".atlas"):
            parts |= atlas_pages(path, text(path)) | {path}
    mentioning = [path for path in listing.paths if path.endswith(_MENTIONING_SUFFIXES) or path.startswith("template/")]
    existing = set(listing.paths)
    return GameAssets(
        listing=listing,
        folder=prefix,
        animations=_animations(listing, text("animation/animationTable.json")),
        animation_files=tuple(
            (path, text(path)) for path in listing.paths if path.startswith("animation/") and path.endswith(".json")
        ),
        characters=names_in(text(CHARACTERS)) | names_in(text_or_nothing(files, CHARACTERS)),
        engine=_engine(files, folder),
        config=text(CONFIG) if CONFIG in existing else None,
        mentions="\n".join(text(path) for path in mentioning if not path.endswith((".png", ".jpg", ".webp", ".ttf"))),
        parts=frozenset(parts),
        models=frozenset(models),
    )


def text_or_nothing(files: Folder, path: str) -> str:
    """Returns the file's text, or an empty one if it can't be read."""
    try:
        return files.read(path, _MAX_FILE).decode("utf-8-sig")
    except (Failure, UnicodeDecodeError):
        return ""


def _animations(listing: Listing, table: str) -> frozenset[str] | None:
    """Returns the names of the game's animations; None if it has no such folder."""
    names = listing.by_folder.get("animation")
    if names is None:
        return None
    try:
        listed = json.loads(table)
    except (ValueError, RecursionError):
        listed = []
    from_table = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    return STOCK_ANIMATIONS.union(from_table, (posixpath.splitext(name)[0] for name in names))


def _engine(files: Folder, game: str) -> Engine | None:
    """Returns the engine that the game includes, by its script or by the file with its version."""
    folder = engine_folder(files, game)
    if folder is not None and (engine := engine_in(files, folder)) is not None:
        return engine
    match = _VERSION.search(text_or_nothing(files, f"{posixpath.dirname(game) or '.'}/webgal-engine.json"))
    return Engine(match[1]) if match else None


_MAX_DIAGNOSTICS = 20
_TOOL = "validate_script"
"""The tool whose read permission decides what a check may read."""

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
        self._cache: dict[str, tuple[tuple[GameAssets, tuple[str, ...]], _Game]] = {}
        self._lock = threading.Lock()

    def check_text(self, text: str, path: str | None, checkpoint: Checkpoint) -> list[Finding]:
        """Checks a script in the game that its path belongs to."""
        with self._lock:
            game = self._game(find_game(self.files, path), checkpoint)
            if path is None:
                return game.project.findings_of(text)
            name = _below(game.project.assets.folder, path)
            if name == CONFIG:
                return game.project.settings(text)
            return game.project.findings_of(text, name.removeprefix(f"{SCENES}/"))

    def open_game(self, folder: str, checkpoint: Checkpoint) -> tuple[Project, list[str]]:
        """Returns the game in a folder as it is now, and the scenes that are not valid text."""
        with self._lock:
            game = self._game(folder, checkpoint)
            return game.project, game.unreadable

    def assets(self, folder: str) -> GameAssets:
        return read_assets(self.files, folder, self._policy(), _TOOL)

    def may_read(self, path: str) -> bool:
        return self._policy().may_read(_TOOL, path)

    def text_of(self, path: str) -> str:
        data = self.files.read(path, self._policy().limits.max_read_bytes)
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise Damaged(f"Not a text: {path} (byte {error.start}).", path=path) from None
        if "\0" in text:
            raise Damaged(f"Not a text: {path} (it contains a NUL).", path=path)
        return text

    def review(self, path: str, content: bytes) -> None:
        """Raises NotClean if a scene has mistakes."""
        if not _is_scene(path):
            return
        try:
            text = content.decode()
        except UnicodeDecodeError:
            return  # the write itself is refused for that
        findings = [finding for finding in self.check_text(text, path, _never) if is_breaking(finding)]
        if findings:
            raise NotClean(
                f"{path} has {len(findings)} mistakes; the policy requires a clean check before writes (lintOnWrite).",
                hint="Fix them; validate_script with this content lists them all.",
                path=path,
                diagnostics=[
                    {"line": each.line, "kind": kind_of(each), "message": message(each, self.language)}
                    for each in findings[:_MAX_DIAGNOSTICS]
                ],
            )

    def _game(self, folder: str | None, checkpoint: Checkpoint) -> _Game:
        policy = self._policy()
        silenced = policy.limits.lint_ignore
        if folder is None:
            return _Game(Project(GameAssets(), silenced))
        assets = read_assets(self.files, folder, policy, _TOOL)
        cached = self._cache.get(folder)
        key = (assets, silenced)
        game = cached[1] if cached is not None and cached[0] == key else _Game(Project(assets, silenced))
        self._cache[folder] = (key, game)
        self._read_scenes(game, checkpoint)
        return game

    def _read_scenes(self, game: _Game, checkpoint: Checkpoint) -> None:
        project, game.unreadable = game.project, []
        names = [name for name in project.assets.listing.by_folder.get(SCENES, ()) if name.endswith(".txt")]
        for name in set(project.scenes).difference(names):
            project.remove(name)
        for name in names:
            checkpoint()
            path = f"{project.assets.folder}{SCENES}/{name}"
            try:
                project.update(name, self.text_of(path))
            except Failure:
                game.unreadable.append(path)


def _never() -> None:
    """Doesn't stop a check that runs inside of something else."""


def _below(folder: str, path: str) -> str:
    return path.removeprefix(folder) if path.startswith(folder) else path


def _is_scene(path: str) -> bool:
    return path.endswith(".txt") and f"/{SCENES}/" in f"/{path}"
