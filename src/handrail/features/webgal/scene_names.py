"""Scenes by the names that people give them: a path of the project, or just the scene's own name."""

from difflib import get_close_matches
from typing import TYPE_CHECKING

from handrail.ports.errors import NotFound
from handrail.ports.paths import parse_path

if TYPE_CHECKING:
    from handrail.features.webgal.script.project import Project

_FOLDER = "scene/"
_ENDING = ".txt"


def scene_path(project: "Project", name: str) -> str:
    """Where a scene lies, or would lie."""
    return f"{project.around.folder}{_FOLDER}{scene_name(project, name)}"


def scene_name(project: "Project", given: str) -> str:
    """As the game calls it: below its folder of scenes, with its ending. OutsideRoot, InvalidParams."""
    name = "/".join(parse_path(given)).removeprefix(f"{project.around.folder}{_FOLDER}")
    return name if name.endswith(_ENDING) else f"{name}{_ENDING}"


def known_scene(project: "Project", given: str) -> str:
    """The name of a scene that is there. NotFound."""
    name = scene_name(project, given)
    if name not in project.scenes:
        near = get_close_matches(name, project.scenes, n=3) or sorted(project.scenes)[:5]
        hint = f"There are {', '.join(near)}." if near else "The game has no scenes yet."
        raise NotFound(f"There is no scene {name}.", hint=hint, path=scene_path(project, given))
    return name
