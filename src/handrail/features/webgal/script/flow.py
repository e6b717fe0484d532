"""Finds problems by walking the whole game: variables read before they are set, and options that lead nowhere."""

import re
from collections.abc import Collection, Iterator, Mapping

from handrail.features.webgal.script.findings import Finding
from handrail.features.webgal.script.graph import Graph
from handrail.features.webgal.script.line import Line, variables_set
from handrail.features.webgal.script.parser import COMMENT, read_line
from handrail.features.webgal.script.scene import Scene

# Stored with the player's settings: an earlier playthrough may have set it.
_GLOBAL = re.compile(r"^setVar:\s*([^\s=]+)\s*=.* -global\b", re.MULTILINE)


def early_reads(scenes: Mapping[str, Scene], graph: Graph, preset: Collection[str]) -> Iterator[tuple[str, Finding]]:
    """Finds variables that are only set after the line that reads them."""
    if not any(scene.sets for scene in scenes.values()):
        return
    set_somewhere = set().union(*(scene.sets for scene in scenes.values()))
    persistent = {name for scene in scenes.values() if "-global" in scene.text for name in _GLOBAL.findall(scene.text)}
    before = _set_before(scenes, graph, {*preset, *persistent})
    for name, set_before in before.items():
        scene = scenes[name]
        for reference in scene.references:
            is_early = (
                reference.kind == "variable" and reference.name in set_somewhere and reference.name not in set_before
            )
            if is_early and not _may_be_set_in(scene, reference.name, reference.line):
                values = {"name": reference.name}
                yield name, Finding("WG406", reference.line, reference.start, reference.end, values)


def _set_before(scenes: Mapping[str, Scene], graph: Graph, preset: set[str]) -> dict[str, set[str]]:
    """Returns, for each reachable scene, the variables that may have been set on a way to it, calls included."""
    targets: dict[str, list[str]] = {}
    calls_of: dict[str, list[str]] = {}
    for way in graph.links:
        if not way.is_missing and way.target in scenes:
            targets.setdefault(way.source, []).append(way.target)
            if way.how == "callScene":
                calls_of.setdefault(way.source, []).append(way.target)
    calls = {name: set().union(*(scenes[each].sets for each in _closure(name, calls_of))) for name in calls_of}
    before: dict[str, set[str]] = {}
    pending = [(graph.entry, preset)] if graph.entry is not None else []
    while pending:
        name, set_so_far = pending.pop()
        set_so_far = set_so_far | calls.get(name, set())
        if name in before and set_so_far <= before[name]:
            continue
        before[name] = before.get(name, set()) | set_so_far
        after = before[name] | scenes[name].sets
        pending += [(target, after) for target in targets.get(name, ())]
    return before


def _closure(start: str, targets: Mapping[str, list[str]]) -> set[str]:
    reached: set[str] = set()
    pending = list(targets.get(start, ()))
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending += targets.get(name, ())
    return reached


def _may_be_set_in(scene: Scene, name: str, line: int) -> bool:
    """Returns whether the scene itself may set the variable before this line: above it, or below by a jump back."""
    if name not in scene.sets:
        return False
    if any(name in text and name in _variables_in(text) for text in scene.lines[: line - 1]):
        return True
    jumps = (reference for reference in scene.references if reference.kind == "label" and reference.line >= line)
    return any(at <= line for jump in jumps for at in scene.labels.get(jump.name, ()))


def _variables_in(text: str) -> list[str]:
    sentence = read_line(text)
    return [] if sentence.command == COMMENT else list(variables_set(Line(text, sentence)))


def dead_ends(scenes: Mapping[str, Scene], graph: Graph) -> Iterator[tuple[str, Finding]]:
    """Finds options after which nothing runs, unless the scene returns to a caller."""
    called = {way.target for way in graph.links if way.how == "callScene"}
    ends = {name: _last_statement(scene) for name, scene in scenes.items() if "choose" in scene.text}
    for name in ends:
        for reference in scenes[name].references:
            if reference.by != "choose":
                continue
            target = reference.name
            if reference.kind == "label":
                lines = scenes[name].labels.get(target, [])
                is_end = name not in called and bool(lines) and lines[0] >= ends[name]
            else:
                is_end = reference.kind == "scene" and target in scenes and _last_statement(scenes[target]) == 0
            if is_end:
                yield name, Finding("WG407", reference.line, reference.start, reference.end, {"name": target})


def _last_statement(scene: Scene) -> int:
    """Returns its line, or 0 if there is none."""
    lines = range(len(scene.lines), 0, -1)
    return next((line for line in lines if read_line(scene.lines[line - 1]).command != COMMENT), 0)
