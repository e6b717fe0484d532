"""Labels of one scene: jumped to and not there, or there twice."""

from typing import TYPE_CHECKING

from handrail.core.webgal.files import is_placeholder
from handrail.core.webgal.findings import Edit, Finding
from handrail.core.webgal.nearness import MOST_GUESSES, folded, meant, nearest
from handrail.core.webgal.rules.line import Findings

if TYPE_CHECKING:
    from handrail.core.webgal.scene import Scene

_SHORT = 4


def check(scene: "Scene") -> Findings:
    jumps = [reference for reference in scene.references if reference.what == "label"]
    wanted = {jump.name for jump in jumps}
    for name, lines in scene.labels.items():
        for line in lines[1:]:
            start = max(scene.lines[line - 1].find(name), 0)
            values = {"name": name, "other": str(lines[0])}
            yield Finding("WG401", line, start, start + len(name), values, is_grave=name in wanted)
    unknown = [jump for jump in jumps if jump.name not in scene.labels]
    for number, jump in enumerate(unknown):
        if is_placeholder(jump.name):  # without a dot, an option's target is taken for a label
            yield Finding("WG207", jump.line, jump.start, jump.end, {"name": jump.name})
            continue
        # Labels are few: even a short name's neighbour is worth naming, unless no letter of it is the same.
        length = len(folded(jump.name))
        limit = min(1, length - 1) if length < _SHORT else None
        near = nearest(jump.name, scene.labels, limit) if number < MOST_GUESSES else []
        fix = meant(jump.name, near)
        edit = Edit(jump.start, jump.end, fix, is_safe=False) if fix is not None else None
        values = {"name": jump.name, "near": ", ".join(near)}
        yield Finding("WG204", jump.line, jump.start, jump.end, values, edit)
