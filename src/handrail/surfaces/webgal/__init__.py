"""WebGAL games: check scripts, list resources, define characters, show scenes, run the project's scripts."""

from handrail.contract.tool import Surface
from handrail.surfaces.webgal import (
    browser_action,
    check_game,
    execute_command,
    generate_character_profile,
    list_project_resources,
    preview_scene,
    scene_resource,
    show_scene_graph,
    validate_script,
)
from handrail.surfaces.webgal.port import WebGal
from handrail.surfaces.webgal.prompts import PROMPTS

TOOLS = (
    list_project_resources.TOOL,
    validate_script.TOOL,
    preview_scene.TOOL,
    generate_character_profile.TOOL,
    execute_command.TOOL,
    browser_action.TOOL,
    check_game.TOOL,
    show_scene_graph.TOOL,
)


def surface(port: WebGal | None) -> Surface:
    """Without a port the tools can be described, not run."""
    return Surface("webgal", "webgal", port, TOOLS, PROMPTS, (scene_resource.SHELF,))
