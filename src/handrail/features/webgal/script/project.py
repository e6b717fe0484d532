"""A whole game: its scenes and how they are connected. After a change, only what it affects is checked again."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

import msgspec

from handrail.features.webgal.script.config_file import check_config, read_config
from handrail.features.webgal.script.findings import Finding, with_safe_fixes
from handrail.features.webgal.script.flow import dead_ends, early_reads
from handrail.features.webgal.script.graph import (
    ENTRY,
    Graph,
    SceneLink,
    check_loops,
    endless_cycles,
    exit_of,
    scene_links,
)
from handrail.features.webgal.script.line import Reference
from handrail.features.webgal.script.listing import GameAssets
from handrail.features.webgal.script.parser import FOLDERS
from handrail.features.webgal.script.rules.effects import check_animation
from handrail.features.webgal.script.rules.project_names import (
    ProjectNames,
    check_files,
    check_labels,
    check_speakers,
    check_targets,
    check_variables,
    referenced_files,
    unused,
)
from handrail.features.webgal.script.scene import Scene, check_scene

SCENES = "scene"
CONFIG = "config.txt"
_JOINS_LINES_SINCE = (4, 6, 3)
_WALKED = frozenset({"variable", "label"})
_OF_ENGINE = frozenset({"WG105", "WG108", "WG308"})
"""Unknown commands and arguments, which the engine that the game ships may know."""


class _Ties(msgspec.Struct, frozen=True, gc=False):
    """Everything in a scene that affects other scenes or the whole game."""

    links: tuple[SceneLink, ...]
    uses: frozenset[str]
    exit: tuple[int, str] | None
    sets: frozenset[str]
    named: tuple[Reference, ...]
    """Variables and labels, which matter for walking the game."""


class Project:
    def __init__(self, assets: GameAssets, silenced: Collection[str] = ()) -> None:
        self.assets = assets
        self.scenes: dict[str, Scene] = {}
        self._silenced = frozenset(code.upper() for code in silenced)
        self._config_variables = frozenset(setting.key for setting in read_config(assets.config or ""))
        self._ties: dict[str, _Ties] = {}
        self._spoken: Counter[str] = Counter()
        self._set: Counter[str] = Counter()
        self._figures: Counter[str] = Counter()
        self._names: ProjectNames | None = None
        self._names_key: object = None
        self._checked: dict[str, list[Finding]] = {}
        self._overall: dict[str, list[Finding]] | None = None

    def update(self, name: str, text: str) -> Scene:
        """Checks a scene's text; `name` is below the folder of scenes."""
        before = self.scenes.get(name)
        if before is not None and before.text == text:
            return before
        return self.adopt(name, check_scene(text))

    def adopt(self, name: str, scene: Scene) -> Scene:
        """Takes over a scene that was checked already: its own results don't depend on the game."""
        before = self.scenes.get(name)
        listing = self.assets.listing
        ties = _Ties(
            scene_links(name, scene, listing),
            referenced_files(scene, listing),
            exit_of(scene),
            frozenset(scene.sets),
            tuple([each for each in scene.references if each.kind in _WALKED]),
        )
        if before is None or ties != self._ties[name] or scene.dynamic != before.dynamic:
            self._overall = None
        if before is not None:
            self._forget(before)
        self.scenes[name], self._ties[name] = scene, ties
        for counter, more in self._name_counts(scene):
            for key, count in more.items():
                counter[key] = counter.get(key, 0) + count
        self._names = None
        self._checked.pop(name, None)
        return scene

    def remove(self, name: str) -> None:
        self._forget(self.scenes.pop(name))
        self._ties.pop(name)
        self._names = self._overall = None

    def findings(self, name: str) -> list[Finding]:
        """Returns the problems of one scene, in the order of its lines."""
        names = self._current_names()
        if name not in self._checked:
            self._checked[name] = self._check(self.scenes[name], names)
        return self._checked[name]

    def findings_of(self, text: str, name: str | None = None) -> list[Finding]:
        """Returns the problems that a scene with this text would have, in place of `name` or as a new scene."""
        before = self.scenes.get(name) if name is not None else None
        if before is not None and before.text == text:
            return self.findings(name or "")
        scene = check_scene(text)
        names = self._current_names()
        spoken = Counter(names.spoken)
        spoken.update(scene.speakers)
        if before is not None:
            spoken.subtract(before.speakers)
        return self._check(scene, ProjectNames(spoken, names.known | scene.sets, names.figures | scene.figures))

    def text_of(self, path: str) -> str:
        """Returns the text of a scene, of `config.txt` or of an animation; empty for any other file."""
        scene = self.scenes.get(path.removeprefix(f"{SCENES}/"))
        if scene is not None:
            return scene.text
        if path == CONFIG:
            return self.assets.config or ""
        return dict(self.assets.animation_files).get(path, "")

    def with_safe_fixes(self, path: str, text: str) -> str:
        """Applies the safe fixes to a text for this file."""
        if path == CONFIG:
            return with_safe_fixes(text, self.settings)
        return with_safe_fixes(text, lambda now: self.findings_of(now, path.removeprefix(f"{SCENES}/")))

    def settings(self, text: str) -> list[Finding]:
        """Returns the problems of a `config.txt` with this text."""
        findings = check_config(text, self.assets.listing, self.assets.folder)
        return [finding for finding in findings if self._is_relevant(finding)]

    def overall(self) -> dict[str, list[Finding]]:
        """Returns the problems that only the whole game shows, by path below its folder."""
        if self._overall is None:
            self._overall = {}
            for path, finding in self._find_overall():
                scene = self.scenes.get(path.removeprefix(f"{SCENES}/"))
                if self._is_relevant(finding) and (scene is None or scene.nolint.allows(finding)):
                    self._overall.setdefault(path, []).append(finding)
        return self._overall

    def everything(self) -> dict[str, list[Finding]]:
        """Returns all problems by path below the game's folder; each missing folder is reported once."""
        findings = {f"{SCENES}/{name}": mine for name in sorted(self.scenes) if (mine := self.findings(name))}
        for path, more in self.overall().items():
            findings[path] = [*findings.get(path, ()), *more]
        if all(map(self.assets.listing.has_files_in, FOLDERS)):
            return findings
        reported: set[str] = set()
        once = {path: [each for each in mine if not _is_repeated(each, reported)] for path, mine in findings.items()}
        return {path: mine for path, mine in once.items() if mine}

    def graph(self) -> Graph:
        ways = tuple(way for name in sorted(self._ties) for way in self._ties[name].links)
        is_complete = not any(SCENES in scene.dynamic for scene in self.scenes.values())
        return Graph(tuple(sorted(self.scenes)), ways, ENTRY if ENTRY in self.scenes else None, is_complete)

    def _check(self, scene: Scene, names: ProjectNames) -> list[Finding]:
        findings = [
            *scene.findings,
            *check_files(scene, self.assets),
            *check_labels(scene, self.assets.listing),
            *check_loops(scene),
            *check_speakers(scene, names, self.assets.characters),
            *check_variables(scene, names, self._set or scene.sets),
            *check_targets(scene, names),
        ]
        if not findings:
            return findings
        relevant = (scene.relocate(each) for each in findings if self._is_relevant(each) and scene.nolint.allows(each))
        return sorted(relevant, key=lambda finding: (finding.line, finding.start, finding.code))

    def _is_relevant(self, finding: Finding) -> bool:
        if finding.code == "WG118" and self.assets.engine is not None:
            return self.assets.engine.number < _JOINS_LINES_SINCE
        if finding.code == "WG105" and finding.values["name"] in self.assets.characters:
            return False
        if (engine := self.assets.engine) is not None and finding.code in _OF_ENGINE:
            known_names = engine.commands if finding.code == "WG105" else engine.arguments
            if finding.values["name"] in known_names:
                return False
        return finding.code not in self._silenced

    def _name_counts(self, scene: Scene) -> Iterator[tuple[Counter[str], Mapping[str, int]]]:
        """Yields what a scene adds to the names of the whole game."""
        yield self._spoken, scene.speakers
        yield self._set, dict.fromkeys(scene.sets, 1)
        yield self._figures, dict.fromkeys(scene.figures, 1)

    def _forget(self, scene: Scene) -> None:
        for counter, gone in self._name_counts(scene):
            for name, count in gone.items():
                counter[name] -= count
                if not counter[name]:
                    del counter[name]

    def _current_names(self) -> ProjectNames:
        """Clears the results if names that rules use have changed."""
        if self._names is None:
            known = self._config_variables.union(self._set)  # every setting is a variable, too
            self._names = ProjectNames(self._spoken, known, frozenset(self._figures))
            names_key = self._names.cache_key()
            if names_key != self._names_key:
                self._names_key = names_key
                self._checked.clear()
        return self._names

    def _find_overall(self) -> Iterator[tuple[str, Finding]]:
        assets, graph = self.assets, self.graph()
        if assets.config is not None:
            yield from ((CONFIG, finding) for finding in self.settings(assets.config))
        if graph.entry is None:
            yield f"{SCENES}/{ENTRY}", Finding("WG209", 1)
            return
        for file, text in assets.animation_files:
            yield from ((file, finding) for finding in check_animation(text))
        for name, (line, path) in endless_cycles({name: ties.exit for name, ties in self._ties.items()}).items():
            yield f"{SCENES}/{name}", Finding("WG123", line, values={"path": " → ".join(path)})
        if graph.is_complete:
            for name in sorted(set(graph.scenes) - graph.reachable()):
                yield f"{SCENES}/{name}", Finding("WG402", 1)
            for name, finding in (
                *early_reads(self.scenes, graph, self._config_variables),
                *dead_ends(self.scenes, graph),
            ):
                yield f"{SCENES}/{name}", finding
        uses = frozenset().union(*(ties.uses for ties in self._ties.values()))
        dynamic = frozenset().union(*(scene.dynamic for scene in self.scenes.values()))
        for file in unused(assets, uses, dynamic):
            yield file, Finding("WG404", 1)


def _is_repeated(finding: Finding, absent: set[str]) -> bool:
    if finding.code != "WG202":
        return False
    if finding.values["path"] in absent:
        return True
    absent.add(finding.values["path"])
    return False
