"""A running WebGAL Terre that has the project's game: its own preview page, steered over its own websocket."""

from handrail.features.webgal.backends.terre.editor import TerreFinder

__all__ = ["TerreFinder"]
