"""A game and its engine on a free port of this machine, and the engine's own websocket."""

from handrail.features.webgal.backends.game_site.server import Game, LocalGameSite

__all__ = ["Game", "LocalGameSite"]
