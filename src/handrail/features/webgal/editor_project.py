"""A project's folder as the language server reads it, with the editor's unsaved texts in place of the files."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.features.webgal.games import Games
from handrail.features.webgal.previews.scene_finder import find_game

if TYPE_CHECKING:
    from handrail.features.webgal.backends.game_site.server import LocalGameSite
    from handrail.features.webgal.script.listing import GameAssets
    from handrail.kernel.program import Program

_PREVIEW = "preview_scene"
"""The tool whose read permission decides what an engine may load."""


async def serve_editor(project: Path | None, program: Program, state: Path | None) -> int:
    """Runs until the client ends it; returns the exit status. `project` is an absolute path."""
    from handrail.features.webgal.lsp.server import EditorServer
    from handrail.features.webgal.lsp.stdio import serve
    from handrail.ports.language import preferred_language

    language = preferred_language(os.environ) or "zh"
    only = str(project) if project is not None else None
    return await serve(EditorServer(lambda folder: ProjectReader(folder, program, state), language, only))


class ProjectReader:
    """Reads with the same rules and limits as the tools, and writes nothing."""

    def __init__(self, folder: str, program: Program, state: Path | None) -> None:
        self._program = program
        self._opened = program.open_for_reading(Path(folder), state)
        self._files, self._policy = self._opened.files, self._opened.policy
        self._games = Games(self._files, self._policy.current, "zh")

    @property
    def location(self) -> str:
        return self._files.location

    @property
    def largest(self) -> int:
        return self._policy.current().limits.max_read_bytes

    def find_game(self, path: str | None) -> str | None:
        return find_game(self._files, path)

    def assets(self, folder: str, edited: Mapping[str, str]) -> GameAssets:
        self._files.overlay(edited)
        try:
            return self._games.assets(folder)
        finally:
            self._files.overlay({})

    def silenced(self) -> tuple[str, ...]:
        return tuple(self._policy.current().limits.lint_ignore)

    def text(self, path: str) -> str:
        return self._games.text_of(path)

    def size(self, path: str) -> int | None:
        folder, _, name = path.rpartition("/")
        stamp = self._files.stamps(folder or ".").get(name)
        return stamp.size if stamp is not None else None

    async def open_site(self, game: str) -> LocalGameSite:
        """Starts the site where an engine shows the game. Raises NotShown if there is no engine."""
        from handrail.features.webgal.backends.game_site.server import Game, LocalGameSite
        from handrail.features.webgal.engines import find_engine

        files, policy = self._files, self._policy
        engine, page = await asyncio.to_thread(find_engine, self._program.machine.open_folder, files, game)
        return await LocalGameSite.start(
            Game(files, game, engine, page, allows=lambda path: policy.current().may_read(_PREVIEW, path))
        )

    def close(self) -> None:
        self._opened.close()
