"""A real project on the disk and its game as the server sees it, without a server. `‸` marks the cursor."""

from dataclasses import dataclass, field
from pathlib import Path

from handrail.features.webgal.editor_project import ProjectReader
from handrail.features.webgal.lsp.completion import Completions, completions_at
from handrail.features.webgal.lsp.documents import Columns, Document
from handrail.features.webgal.lsp.editor_state import EditorProject, FileView
from handrail.features.webgal.lsp.usages import LocatedPart
from handrail.wiring import Wiring

CURSOR = "‸"
START = "game/scene/start.txt"


@dataclass
class Workshop:
    root: Path
    edited: dict[str, str] = field(default_factory=dict)
    _readers: list[ProjectReader] = field(default_factory=list)

    def put(self, path: str, text: str | bytes = "") -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def view(self, path: str = START) -> FileView:
        reader = ProjectReader(str(self.root), Wiring(), self.root.parent / "state")
        self._readers.append(reader)
        project = EditorProject(reader, str(self.root))
        game = project.game_for(path)
        assert game is not None
        documents = [Document(project.uris.uri(name), text, 1) for name, text in self.edited.items()]
        snapshot = project.now(documents)
        for _ in game.reload(snapshot.texts):
            continue
        return FileView(game, path, snapshot, Columns(), "en", edits_versions=True)

    def close(self) -> None:
        for reader in self._readers:
            reader.close()

    def pointed(self, text: str, path: str = START) -> tuple[FileView, LocatedPart]:
        """What stands at the cursor in an open text."""
        line, column = self.write(text, path)
        view = self.view(path)
        placed = view.part(view.span(line, column, column).start)
        assert placed is not None
        return view, placed

    def write(self, text: str, path: str = START) -> tuple[int, int]:
        """Where the cursor is."""
        before = text.partition(CURSOR)[0]
        self.edited[path] = text.replace(CURSOR, "")
        return before.count("\n"), len(before) - before.rfind("\n") - 1

    def offered(self, text: str, path: str = START) -> Completions:
        line, column = self.write(text, path)
        view = self.view(path)
        return completions_at(view.game, path, line, column, "en")

    def words(self, text: str, path: str = START) -> list[str]:
        return [offer.text for offer in self.offered(text, path).items]
