"""What walking the whole game shows: variables that are read before any way sets them, options that lead nowhere."""

import re
from collections.abc import Collection, Iterator, Mapping

from handrail.features.webgal.script.findings import Finding
from handrail.features.webgal.script.graph import Graph
from handrail.features.webgal.script.line import Line, variables_set
from handrail.features.webgal.script.parser import COMMENT, read_line
from handrail.features.webgal.script.scene import Scene

# Kept with the player's settings: an earlier game may have set it.
_GLOBAL = re.compile(r"^setVar:\s*([^\s=]+)\s*=.* -global\b", re.MULTILINE)


def early_reads(scenes: Mapping[str, Scene], graph: Graph, given: Collection[str]) -> Iterator[tuple[str, Finding]]:
    """Variables of which every setting lies behind the line that reads them."""
    if not any(scene.sets for scene in scenes.values()):
        return
    known = set().union(*(scene.sets for scene in scenes.values()))
    persistent = {name for scene in scenes.values() if "-global" in scene.text for name in _GLOBAL.findall(scene.text)}
    before = _set_before(scenes, graph, {*given, *persistent})
    for name, already in before.items():
        scene = scenes[name]
        for reference in scene.references:
            is_early = reference.kind == "variable" and reference.name in known and reference.name not in already
            if is_early and not _is_set_above(scene, reference.name, reference.line):
                values = {"name": reference.name}
                yield name, Finding("WG406", reference.line, reference.start, reference.end, values)


def _set_before(scenes: Mapping[str, Scene], graph: Graph, given: set[str]) -> dict[str, set[str]]:
    """For each scene that can be reached, what some way to it may have set; what it calls counts as its own."""
    onward: dict[str, list[str]] = {}
    called: dict[str, list[str]] = {}
    for way in graph.links:
        if not way.is_missing and way.target in scenes:
            onward.setdefault(way.source, []).append(way.target)
            if way.how == "callScene":
                called.setdefault(way.source, []).append(way.target)
    calls = {name: set().union(*(scenes[each].sets for each in _closure(name, called))) for name in called}
    before: dict[str, set[str]] = {}
    waiting = [(graph.entry, given)] if graph.entry is not None else []
    while waiting:
        name, more = waiting.pop()
        more = more | calls.get(name, set())
        if name in before and more <= before[name]:
            continue
        before[name] = before.get(name, set()) | more
        after = before[name] | scenes[name].sets
        waiting += [(target, after) for target in onward.get(name, ())]
    return before


def _closure(start: str, onward: Mapping[str, list[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = list(onward.get(start, ()))
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += onward.get(name, ())
    return reached


def _is_set_above(scene: Scene, name: str, line: int) -> bool:
    """In a scene with jumps, every line may come before."""
    if name not in scene.sets:
        return False
    if any(reference.kind == "label" for reference in scene.references):
        return True
    return any(name in text and name in _sets(text) for text in scene.lines[: line - 1])


def _sets(text: str) -> list[str]:
    sentence = read_line(text)
    return [] if sentence.command == COMMENT else list(variables_set(Line(text, sentence)))


def dead_ends(scenes: Mapping[str, Scene], graph: Graph) -> Iterator[tuple[str, Finding]]:
    """Options behind which nothing is left to run, unless the scene returns to one that called it."""
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
    """Its line; 0 if there is none."""
    lines = range(len(scene.lines), 0, -1)
    return next((line for line in lines if read_line(scene.lines[line - 1]).command != COMMENT), 0)
