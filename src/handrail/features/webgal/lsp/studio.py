"""One project that is open in the editor, and the games in it."""

from collections.abc import Iterable

from handrail.features.webgal.lsp.addresses import Addresses
from handrail.features.webgal.lsp.documents import Document
from handrail.features.webgal.lsp.game import Game
from handrail.features.webgal.lsp.ground import Ground
from handrail.features.webgal.lsp.snapshot import Snapshot
from handrail.ports.errors import Failure


class Studio:
    """`spelled` is the project's folder as the client calls it."""

    def __init__(self, ground: Ground, spelled: str) -> None:
        self.ground = ground
        self.spelled = spelled
        self.addresses = Addresses(ground.location, spelled)
        self.games: dict[str, Game] = {}

    def game_for(self, path: str | None) -> Game | None:
        """Asks the disk: not on the loop."""
        try:
            folder = self.ground.game_of(path)
        except Failure:
            return None
        if folder is not None and folder not in self.games:
            self.games[folder] = Game(self.ground, folder)
        return self.games[folder] if folder is not None else None

    def find_games(self, paths: Iterable[str | None]) -> None:
        """Those that the paths belong to, and are not known yet. Asks the disk, too."""
        for path in paths:
            if path is None or not self.is_scene(path):
                self.game_for(path)

    def now(self, documents: Iterable[Document]) -> Snapshot:
        return Snapshot(self.addresses, documents)

    def is_scene(self, path: str) -> bool:
        return any(game.scene_name(path) is not None for game in self._known())

    def is_told_by(self, path: str) -> bool:
        """Whether a text that is no scene says something about a game."""
        return any(game.is_told_by(path) for game in self._known())

    def is_touched_by(self, path: str) -> bool:
        """Whether a change of this file on the disk may change what is wrong with a game."""
        if path.startswith("."):
            return path.startswith(".handrail/")
        return not self.games or any(game.is_touched_by(path) for game in self._known())

    def _known(self) -> tuple[Game, ...]:
        """At this moment: the worker may find others meanwhile."""
        return tuple(self.games.values())
