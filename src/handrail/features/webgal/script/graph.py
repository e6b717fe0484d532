"""The graph of scenes, and jumps that lead back without a stop, so that the game hangs."""

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
    """A command (`how`) in `source` that leads to `target`. `is_missing` means that the target doesn't exist."""

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
    """False if a scene's name is only known at run time."""

    def reachable(self) -> set[str]:
        targets: dict[str, list[str]] = {}
        for link in self.links:
            targets.setdefault(link.source, []).append(link.target)
        reached: set[str] = set()
        pending = [self.entry] if self.entry is not None else []
        while pending:
            scene = pending.pop()
            if scene not in reached:
                reached.add(scene)
                pending += targets.get(scene, [])
        return reached

    def as_data(self) -> dict[str, object]:
        reached = self.reachable()
        return {
            "entry": self.entry,
            "scenes": [{"name": name, "reachable": name in reached} for name in self.scenes],
            "ways": [
                {"from": link.source, "to": link.target, "how": link.how, "line": link.line}
                | ({"missing": True} if link.is_missing else {})
                for link in self.links
            ],
        }


def scene_links(name: str, scene: Scene, listing: Listing) -> tuple[SceneLink, ...]:
    links = []
    for reference in scene.references:
        if reference.kind == "scene":
            status, path = listing.find("scene", reference.name)
            target = path.removeprefix("scene/")
            links.append(SceneLink(name, target, reference.by, reference.line, status is FileStatus.MISSING))
    return tuple(links)


def check_loops(scene: "Scene") -> Findings:
    """Finds labels of a scene from which the game jumps back to them without a stop."""
    if not any(reference.by == "jumpLabel" for reference in scene.references):
        return
    reported: set[int] = set()
    for name, lines in scene.labels.items():
        if len(lines) > 1:
            continue  # which of them is used depends on the engine
        cycle = _cycle_from(scene, lines[0])
        if cycle and cycle[-1] == lines[0] and not reported.intersection(cycle):
            reported.update(cycle)
            labels = [scene.sentence(line).content for line in cycle if line in _label_lines(scene)]
            yield Finding("WG123", lines[0], 0, len(scene.lines[lines[0] - 1]), {"path": " → ".join(labels or [name])})


def endless_cycles(exits: Mapping[str, tuple[int, str] | None]) -> dict[str, tuple[int, list[str]]]:
    """Finds scenes that change into each other without a stop: the lines that leave them, and the scenes involved."""
    cycles: dict[str, tuple[int, list[str]]] = {}
    for name, first in exits.items():
        visited = [name]
        while (following := exits.get(visited[-1])) is not None and following[1] not in visited:
            visited.append(following[1])
        if first is not None and following is not None and following[1] == name:
            cycles[name] = (first[0], [*visited, name])
    return cycles


def _label_lines(scene: "Scene") -> set[int]:
    return {line for lines in scene.labels.values() for line in lines}


def _cycle_from(scene: "Scene", start: int) -> list[int]:
    """Returns the lines that follow this one without a stop, ending with it if they lead back.

    Empty if something stops them.
    """
    lines, line = [start], start + 1
    while line <= len(scene.lines):
        sentence = scene.sentence(line)
        following = _next_line(scene, sentence, line)
        if following is None:
            return []
        if line in lines:
            return [*lines, line] if line == start else []
        lines.append(line)
        line = following
    return []


def exit_of(scene: "Scene") -> tuple[int, str] | None:
    """Returns the line and the scene into which this one changes before it shows anything."""
    if "changeScene" not in scene.text:
        return None
    line, seen = 1, set()
    while line <= len(scene.lines) and line not in seen:
        seen.add(line)
        sentence = scene.sentence(line)
        if sentence.command == "changeScene" and sentence.argument("when") is None:
            return line, sentence.content.removeprefix("./game/scene/")
        following = _next_line(scene, sentence, line)
        if following is None:
            return None
        line = following
    return None


def _next_line(scene: "Scene", sentence: Sentence, line: int) -> int | None:
    """Returns the line that runs next; None if something is shown, asked or decided."""
    if sentence.command == COMMENT:
        return line + 1
    if sentence.argument("when") is not None:
        return None
    if sentence.command == "jumpLabel":
        targets = scene.labels.get(sentence.content, ())
        return targets[0] if len(targets) == 1 else None
    command = BY_TYPE[sentence.command]
    return line + 1 if command.goes_on and command.is_run else None
