"""One project that is open in the editor, and the games in it."""

from collections.abc import Iterable, Iterator, Mapping

from handrail.contract.errors import Failure
from handrail.faces.lsp.addresses import Addresses
from handrail.faces.lsp.documents import Document
from handrail.faces.lsp.game import Game
from handrail.faces.lsp.ground import Ground


class Studio:
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
        return None if folder is None else self.games.setdefault(folder, Game(self.ground, folder))

    def find_games(self, paths: Iterable[str | None]) -> None:
        """Those that the paths belong to, and are not known yet. Asks the disk, too."""
        for path in paths:
            if path is None or all(game.scene_name(path) is None for game in self.games.values()):
                self.game_for(path)

    def edited(self, documents: Iterable[Document]) -> dict[str, str]:
        """The open texts of this project by its own paths."""
        return {path: document.text for path, document in self.open_paths(documents)}

    def open_paths(self, documents: Iterable[Document]) -> Iterator[tuple[str, Document]]:
        for document in documents:
            path = self.addresses.below(document.uri)
            if path is not None:
                yield path, document

    def uri(self, path: str, open_uris: Mapping[str, str]) -> str:
        """As the client spells it, where it has the file open."""
        return open_uris.get(path) or self.addresses.uri(path)
