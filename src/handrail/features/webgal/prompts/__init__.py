"""Texts that a person hands to an agent, with the facts of this game put in."""

from handrail.features.webgal.prompts import create_scene, fix_validation, refactor_scene

PROMPTS = (create_scene.PROMPT, refactor_scene.PROMPT, fix_validation.PROMPT)
