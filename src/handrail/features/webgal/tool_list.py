"""WebGAL games: check scripts, list resources, define characters, show scenes, run the project's scripts."""

from handrail.features.webgal import scene_resource
from handrail.features.webgal.prompts import PROMPTS
from handrail.features.webgal.tools import (
    browser_action,
    check_game,
    execute_command,
    generate_character_profile,
    list_project_resources,
    preview_scene,
    show_scene_graph,
    validate_script,
)

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
RESOURCES = (scene_resource.RESOURCE,)
__all__ = ["PROMPTS", "RESOURCES", "TOOLS"]
