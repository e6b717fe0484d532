"""Which scene leads to which, and jumps that lead back at once, so that the game hangs."""

from collections.abc import Mapping
from dataclasses import dataclass

from handrail.features.webgal.script.commands import BY_TYPE
from handrail.features.webgal.script.findings import Finding
from handrail.features.webgal.script.line import Findings
from handrail.features.webgal.script.listing import FileStatus, Listing
from handrail.features.webgal.script.parser import COMMENT, Sentence
from handrail.features.webgal.script.scene import Scene

ENTRY = "start.txt"


@dataclass(frozen=True, slots=True)
class SceneLink:
    """`how` is the command. `is_missing` means that there is no such scene."""

    source: str
    target: str
    how: str
    line: int
    is_missing: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    scenes: tuple[str, ...]
    links: tuple[SceneLink, ...]
    entry: str | None
    is_complete: bool
    """False where a scene's name is known only while the game runs."""

    def reachable(self) -> set[str]:
        onward: dict[str, list[str]] = {}
        for way in self.links:
            onward.setdefault(way.source, []).append(way.target)
        reached: set[str] = set()
        waiting = [self.entry] if self.entry is not None else []
        while waiting:
            scene = waiting.pop()
            if scene not in reached:
                reached.add(scene)
                waiting += onward.get(scene, [])
        return reached

    def as_data(self) -> dict[str, object]:
        reached = self.reachable()
        return {
            "entry": self.entry,
            "scenes": [{"name": name, "reachable": name in reached} for name in self.scenes],
            "ways": [
                {"from": way.source, "to": way.target, "how": way.how, "line": way.line}
                | ({"missing": True} if way.is_missing else {})
                for way in self.links
            ],
        }


def scene_links(name: str, scene: Scene, listing: Listing) -> tuple[SceneLink, ...]:
    found = []
    for reference in scene.references:
        if reference.kind == "scene":
            standing, path = listing.find("scene", reference.name)
            target = path.removeprefix("scene/")
            found.append(SceneLink(name, target, reference.by, reference.line, standing is FileStatus.MISSING))
    return tuple(found)


def check_loops(scene: "Scene") -> Findings:
    """Finds labels of one scene from which the game jumps back to them at once."""
    if not any(reference.by == "jumpLabel" for reference in scene.references):
        return
    told: set[int] = set()
    for name, lines in scene.labels.items():
        if len(lines) > 1:
            continue  # which of them is meant depends on the engine
        way = _way(scene, lines[0])
        if way and way[-1] == lines[0] and not told.intersection(way):
            told.update(way)
            labels = [scene.sentence(line).content for line in way if line in _label_lines(scene)]
            yield Finding("WG123", lines[0], 0, len(scene.lines[lines[0] - 1]), {"path": " → ".join(labels or [name])})


def endless_cycles(exits: Mapping[str, tuple[int, str] | None]) -> dict[str, tuple[int, list[str]]]:
    """Scenes that change into each other at once, for ever: the lines that leave them, and the scenes involved."""
    found: dict[str, tuple[int, list[str]]] = {}
    for name, first in exits.items():
        seen = [name]
        while (onward := exits.get(seen[-1])) is not None and onward[1] not in seen:
            seen.append(onward[1])
        if first is not None and onward is not None and onward[1] == name:
            found[name] = (first[0], [*seen, name])
    return found


def _label_lines(scene: "Scene") -> set[int]:
    return {line for lines in scene.labels.values() for line in lines}


def _way(scene: "Scene", start: int) -> list[int]:
    """The lines that follow this one without a stop, ending with it if they lead back.

    Empty if something stops them.
    """
    way, line = [start], start + 1
    while line <= len(scene.lines):
        sentence = scene.sentence(line)
        onward = _onward(scene, sentence, line)
        if onward is None:
            return []
        if line in way:
            return [*way, line] if line == start else []
        way.append(line)
        line = onward
    return []


def exit_of(scene: "Scene") -> tuple[int, str] | None:
    """The line and the scene into which this one changes before it shows anything."""
    if "changeScene" not in scene.text:
        return None
    line, seen = 1, set()
    while line <= len(scene.lines) and line not in seen:
        seen.add(line)
        sentence = scene.sentence(line)
        if sentence.command == "changeScene" and sentence.argument("when") is None:
            return line, sentence.content.removeprefix("./game/scene/")
        onward = _onward(scene, sentence, line)
        if onward is None:
            return None
        line = onward
    return None


def _onward(scene: "Scene", sentence: Sentence, line: int) -> int | None:
    """The line that follows at once; None if something is shown, asked or decided."""
    if sentence.command == COMMENT:
        return line + 1
    if sentence.argument("when") is not None:
        return None
    if sentence.command == "jumpLabel":
        targets = scene.labels.get(sentence.content, ())
        return targets[0] if len(targets) == 1 else None
    command = BY_TYPE[sentence.command]
    return line + 1 if command.goes_on and command.is_run else None
