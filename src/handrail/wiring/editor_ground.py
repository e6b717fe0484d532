"""A project's folder as an editor's language server reads it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.features.webgal.games import Games
from handrail.features.webgal.previews.place import game_of
from handrail.ports.errors import NotFound
from handrail.ports.paths import ClosedFolders
from handrail.stores.local.files.folder import LocalFolder
from handrail.stores.local.policy_source import PolicySource
from handrail.stores.local.state import state_path
from handrail.stores.local.user_rules import UserRules
from handrail.wiring.house import HANDRAIL_FOLDER

if TYPE_CHECKING:
    from handrail.features.webgal.script.listing import Surroundings


class EditedFolder(LocalFolder):
    """Reads the texts that are being edited in the place of their files."""

    edited: Mapping[str, str] = {}

    def read(self, path: str, limit: int | None = None) -> bytes:
        text = self.edited.get("/".join(self.parse(path)))
        return super().read(path, limit) if text is None else text.encode("utf-8", "replace")


class LocalProjectReader:
    """The same folder, rules and limits as for the tools. Nothing is made, neither here nor in the state directory."""

    def __init__(self, folder: str, state_dir: Path | None) -> None:
        closed = ClosedFolders(())
        try:
            files = EditedFolder.open(os.path.abspath(folder), closed)
        except NotFound:
            raise NotFound(f"There is no project folder {folder}.") from None
        assert isinstance(files, EditedFolder)
        self._files = files
        state = state_path(state_dir)
        self._policy = PolicySource(self._files.subfolder(HANDRAIL_FOLDER), state, UserRules(state), closed)
        self._policy.load()
        self._games = Games(self._files, self._policy.current, "zh")

    @property
    def location(self) -> str:
        return self._files.location

    @property
    def largest(self) -> int:
        return self._policy.current().limits.max_read_bytes

    def game_of(self, path: str | None) -> str | None:
        return game_of(self._files, path)

    def around(self, folder: str, edited: Mapping[str, str]) -> Surroundings:
        self._files.edited = edited
        try:
            return self._games.around(folder)
        finally:
            self._files.edited = {}

    def silenced(self) -> tuple[str, ...]:
        return tuple(self._policy.current().limits.lint_ignore)

    def text(self, path: str) -> str:
        return self._games.text_of(path)

    def size(self, path: str) -> int | None:
        folder, _, name = path.rpartition("/")
        found = self._files.stamps(folder or ".").get(name)
        return found.size if found is not None else None

    def close(self) -> None:
        self._files.close()
