"""A real project on the disk and its game as the server sees it, without a server. `‸` marks the cursor."""

from dataclasses import dataclass, field
from pathlib import Path

from handrail.features.webgal.lsp.columns import Columns
from handrail.features.webgal.lsp.completion import Offers, offers
from handrail.features.webgal.lsp.documents import Document
from handrail.features.webgal.lsp.sight import Sight
from handrail.features.webgal.lsp.statements import Placed
from handrail.features.webgal.lsp.studio import Studio
from handrail.wiring.editor_ground import ProjectGround

CURSOR = "‸"
START = "game/scene/start.txt"


@dataclass
class Workshop:
    root: Path
    edited: dict[str, str] = field(default_factory=dict)
    _grounds: list[ProjectGround] = field(default_factory=list)

    def put(self, path: str, text: str | bytes = "") -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def sight(self, path: str = START) -> Sight:
        ground = ProjectGround(str(self.root), self.root.parent / "state")
        self._grounds.append(ground)
        studio = Studio(ground, str(self.root))
        game = studio.game_for(path)
        assert game is not None
        documents = [Document(studio.addresses.uri(name), text, 1) for name, text in self.edited.items()]
        snapshot = studio.now(documents)
        for _ in game.renewed(snapshot.texts):
            continue
        return Sight(game, path, snapshot, Columns(), "en")

    def close(self) -> None:
        for ground in self._grounds:
            ground.close()

    def pointed(self, text: str, path: str = START) -> tuple[Sight, Placed]:
        """What stands at the cursor in an open text."""
        line, column = self.write(text, path)
        sight = self.sight(path)
        placed = sight.part(sight.span(line, column, column).start)
        assert placed is not None
        return sight, placed

    def write(self, text: str, path: str = START) -> tuple[int, int]:
        """Where the cursor is."""
        before = text.partition(CURSOR)[0]
        self.edited[path] = text.replace(CURSOR, "")
        return before.count("\n"), len(before) - before.rfind("\n") - 1

    def offered(self, text: str, path: str = START) -> Offers:
        line, column = self.write(text, path)
        sight = self.sight(path)
        return offers(sight.game, path, line, column, "en")

    def words(self, text: str, path: str = START) -> list[str]:
        return [offer.text for offer in self.offered(text, path).items]
