"""One game as it is in the editor: files on disk, with open texts in place of their files."""

from collections.abc import Iterator, Mapping

from handrail.features.webgal.editor_project import ProjectReader
from handrail.features.webgal.lsp.documents import lines_of, normalize_line_ends
from handrail.features.webgal.script.character_file import CHARACTERS
from handrail.features.webgal.script.config_file import read_config
from handrail.features.webgal.script.findings import Finding
from handrail.features.webgal.script.listing import GameAssets
from handrail.features.webgal.script.project import CONFIG, SCENES, Project
from handrail.features.webgal.script.scene import Scene
from handrail.ports.errors import Failure, TooLarge

_BOM = "\ufeff"
_ASSET_SUFFIXES = (".json", ".css", ".scss", ".atlas")
# Files that a project may have outside of its game's folder.
_PROJECT_FILES = (CHARACTERS, "webgal-engine.json")


class Game:
    """`edited` maps paths of the project to unsaved texts."""

    def __init__(self, reader: ProjectReader, folder: str) -> None:
        self.reader = reader
        self.prefix = "" if folder == "." else f"{folder}/"
        self.project = Project(GameAssets(folder=self.prefix))
        self.is_read = False
        self._folder = folder
        self._assets_key: object = None
        self._unreadable: set[str] = set()
        self._with_bom: set[str] = set()
        """Scenes whose files begin with a BOM."""
        self._edited: Mapping[str, str] = {}

    def scene_name(self, path: str) -> str | None:
        """Returns the name below the folder of scenes; None if the path is not a scene."""
        start = f"{self.prefix}{SCENES}/"
        return path[len(start) :] if path.startswith(start) and path.endswith(".txt") else None

    def scene_path(self, name: str) -> str:
        return f"{self.prefix}{SCENES}/{name}"

    def depends_on_file(self, path: str) -> bool:
        """Returns whether adding, removing or changing this file may affect the game."""
        return path.startswith(self.prefix) or path in _PROJECT_FILES

    def depends_on_text(self, path: str) -> bool:
        """Returns whether this text affects the game without being a scene: settings, characters, models, styles."""
        return path == self.prefix + CONFIG or (path.endswith(_ASSET_SUFFIXES) and self.depends_on_file(path))

    def reload(self, edited: Mapping[str, str]) -> Iterator[None]:
        """Reads everything again, one file per step. Results stay valid if nothing has changed."""
        assets, silenced = self.reader.assets(self._folder, edited), self.reader.silenced()
        project = self.project if (assets, silenced) == self._assets_key else Project(assets, silenced)
        unreadable: set[str] = set()
        names = {name for name in assets.listing.by_folder.get(SCENES, ()) if name.endswith(".txt")}
        names |= {name for path in edited if (name := self.scene_name(path)) is not None}
        for name in sorted(names):
            yield
            try:
                text = self._read(name, edited)
            except Failure:
                unreadable.add(name)
                continue
            before = self.project.scenes.get(name)
            if before is not None and before.text == text and project is not self.project:
                project.adopt(name, before)
            else:
                project.update(name, text)
        for name in (set(project.scenes) - names) | (unreadable & set(project.scenes)):
            project.remove(name)
        self.project, self._unreadable, self._assets_key = project, unreadable, (assets, silenced)
        self._edited = dict(edited)
        self.is_read = True

    def update_texts(self, edited: Mapping[str, str]) -> None:
        """Updates the scenes to the editor's present texts."""
        for path, text in edited.items():
            name = self.scene_name(path)
            if name is None or self._edited.get(path) is text:
                continue
            try:
                self.project.update(name, self._check_size(text))
                self._unreadable.discard(name)
            except TooLarge:
                self._unreadable.add(name)
                if name in self.project.scenes:
                    self.project.remove(name)
        self._edited = dict(edited)

    def scene(self, path: str) -> Scene | None:
        name = self.scene_name(path)
        return self.project.scenes.get(name) if name is not None else None

    def lines(self, path: str) -> list[str]:
        """Returns the lines of any text of the game; none if it doesn't exist."""
        scene = self.scene(path)
        return scene.lines if scene is not None else lines_of(self.text(path))

    def text(self, path: str) -> str:
        if path in self._edited:
            return self._edited[path]
        try:
            return normalize_line_ends(self.reader.text(path))
        except Failure:
            return ""

    def speakers(self) -> set[str]:
        return set().union(*(scene.speakers for scene in self.project.scenes.values()))

    def variables(self) -> set[str]:
        """Settings are variables as well."""
        settings = {setting.key for setting in read_config(self.project.assets.config or "")}
        return settings.union(*(scene.sets for scene in self.project.scenes.values()))

    def all_findings(self, first: Mapping[str, str]) -> Iterator[tuple[str, list[Finding]]]:
        """Yields all problems by path, the given paths first. Paths without problems have empty lists."""
        project = self.project
        names = {*project.scenes, *self._unreadable}
        first_names = [name for path in first if (name := self.scene_name(path)) in names and name is not None]
        overall = project.overall()
        for name in dict.fromkeys((*first_names, *sorted(names))):
            if name in self._unreadable:
                yield self.scene_path(name), [Finding("WG125", 1)]
                continue
            if name not in project.scenes:
                continue  # it was removed in the meantime
            findings = project.findings(name)
            overall_findings = overall.get(f"{SCENES}/{name}", ())
            bom_findings = self._hidden_bom(name)
            yield (
                self.scene_path(name),
                [*bom_findings, *findings, *overall_findings] if overall_findings or bom_findings else findings,
            )
        if CONFIG in project.assets.listing.paths:
            path = self.prefix + CONFIG
            yield path, self.findings(path)

    def findings(self, path: str) -> list[Finding]:
        """Returns the problems of one file, without those that need the whole game."""
        if path == self.prefix + CONFIG:
            return self.project.settings(self.text(path))
        name = self.scene_name(path)
        return self.project.findings(name) if name in self.project.scenes and name is not None else []

    def _read(self, name: str, edited: Mapping[str, str]) -> str:
        path = self.scene_path(name)
        stored: str | Failure
        try:
            stored = self.reader.text(path)
        except Failure as failure:
            stored = failure
        has_mark = isinstance(stored, str) and stored.startswith(_BOM)
        (self._with_bom.add if has_mark else self._with_bom.discard)(name)
        if path in edited:
            return self._check_size(edited[path])
        if isinstance(stored, Failure):
            raise stored
        return normalize_line_ends(stored)

    def _check_size(self, text: str) -> str:
        if len(text) > self.reader.largest:
            raise TooLarge(f"A text of {len(text)} characters.")
        return text

    def _hidden_bom(self, name: str) -> list[Finding]:
        """Editors hide a BOM and write it back, so the engine still sees it."""
        scene = self.project.scenes[name]
        if name not in self._with_bom or scene.text.startswith(_BOM):
            return []
        finding = Finding("WG107", 1)
        is_told = self.scene_path(name) in self._edited and scene.nolint.allows(finding)
        return [finding] if is_told and scene.lines[0].partition(";")[0].strip() else []
