"""The command `handrail.server.variables`: every variable of the game, with the places that set and read it."""

from typing import Any

from lsprotocol import converters

from handrail.features.webgal.lsp.editor_state import FileView
from handrail.features.webgal.lsp.usages import settings, variables
from handrail.features.webgal.script.anatomy import Role


def all_variables(view: FileView) -> list[dict[str, Any]]:
    """Returns `name`, `sets` and `reads` (places) of each. Settings that no scene uses are left out."""
    scenes = view.game.project.scenes.values()
    names = set().union(*(scene.sets for scene in scenes))
    names |= {each.name for scene in scenes for each in scene.references if each.kind == "variable"}
    return [_variable(view, name) for name in sorted(names)]


def _variable(view: FileView, name: str) -> dict[str, Any]:
    sets = [*variables(view.game, name, Role.SET), *settings(view.game, name)]
    reads = variables(view.game, name, Role.READ)
    unstructure = converters.get_converter().unstructure
    return {"name": name, "sets": unstructure(view.locations(sets)), "reads": unstructure(view.locations(reads))}
