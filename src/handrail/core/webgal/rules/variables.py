"""Variables that are read and never set."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from handrail.core.webgal.company import Company
from handrail.core.webgal.findings import Edit, Finding
from handrail.core.webgal.nearness import meant
from handrail.core.webgal.rules.line import Findings

if TYPE_CHECKING:
    from handrail.core.webgal.scene import Scene


def check(scene: "Scene", company: Company, set_by_scenes: Collection[str]) -> Findings:
    """In a game that sets none at all, braces are most likely just text."""
    if not set_by_scenes:
        return
    for reference in scene.references:
        if reference.what == "variable" and reference.name not in company.known:
            near = company.names.guessed(reference.name)
            fix = meant(reference.name, near)
            edit = Edit(reference.start, reference.end, fix, is_safe=False) if fix is not None else None
            values = {"name": reference.name, "near": ", ".join(near)}
            yield Finding("WG403", reference.line, reference.start, reference.end, values, edit)
