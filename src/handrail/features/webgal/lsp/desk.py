"""What the server knows: projects, open texts, the client's ways. Questions about a file are the worker's to answer."""

from collections.abc import Callable
from typing import TypeVar

from handrail.features.webgal.lsp.columns import Columns
from handrail.features.webgal.lsp.documents import Documents
from handrail.features.webgal.lsp.refusal import Refused
from handrail.features.webgal.lsp.sight import Sight
from handrail.features.webgal.lsp.studio import Studio
from handrail.features.webgal.lsp.worker import Worker
from handrail.features.webgal.script.findings import Language
from handrail.ports.errors import Failure

T = TypeVar("T")


class Desk:
    def __init__(self, language: Language) -> None:
        self.language = language
        self.columns = Columns()
        self.documents = Documents()
        self.studios: list[Studio] = []
        self.worker = Worker()
        self._left: list[Studio] = []

    def studio_of(self, uri: str) -> tuple[Studio, str] | None:
        """The innermost project that a file belongs to, and its path there."""
        found = [(studio, path) for studio in self.studios if (path := studio.addresses.below(uri)) is not None]
        return min(found, key=lambda each: len(each[1])) if found else None

    async def ask(self, uri: str, work: Callable[[Sight], T]) -> T | None:
        """About a file of a game, exactly as it stands in the editor now; None for any other file."""
        found = self.studio_of(uri)
        if found is None:
            return None
        studio, path = found
        snapshot, columns, language = studio.now(self.documents), self.columns, self.language

        def answer() -> T | None:
            game = studio.game_for(path)
            if game is None:
                return None
            try:
                if not game.is_read:
                    for _ in game.renewed(snapshot.texts):
                        continue
                game.follow(snapshot.texts)
                return work(Sight(game, path, snapshot, columns, language))
            except Failure as failure:
                raise Refused(failure.message) from None

        return await self.worker.do(answer)

    def leave(self, spelled: str) -> None:
        """A folder that is no longer open; closed at the end, because a question may still be on its way there."""
        self._left += [studio for studio in self.studios if studio.spelled == spelled]
        self.studios = [studio for studio in self.studios if studio.spelled != spelled]

    def close(self) -> None:
        self.worker.close()
        for studio in (*self.studios, *self._left):
            studio.ground.close()
