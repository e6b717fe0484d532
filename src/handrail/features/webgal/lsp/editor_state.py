"""The editor's projects, open texts and settings. One thread does all reading."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeVar

from lsprotocol.types import Location, LSPErrorCodes, Position, Range
from pygls.exceptions import JsonRpcException

from handrail.features.webgal.editor_project import ProjectReader
from handrail.features.webgal.lsp.documents import Columns, Document, ProjectUris, Snapshot
from handrail.features.webgal.lsp.game import Game
from handrail.features.webgal.lsp.usages import LocatedPart, Place, part_at
from handrail.features.webgal.script.findings import Language
from handrail.features.webgal.script.project import CONFIG
from handrail.ports.errors import Failure


class RequestFailed(JsonRpcException):
    CODE = LSPErrorCodes.RequestFailed.value


T = TypeVar("T")

_TURN_SECONDS = 0.03


class Worker:
    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="webgal")

    async def do(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def in_turns(self, steps: Iterator[T]) -> AsyncIterator[list[T]]:
        """Yields the results of the steps in batches. To stop the work, stop iterating."""
        has_ended = False
        while not has_ended:
            results, has_ended = await self.do(lambda: _run_turn(steps))
            yield results

    def close(self) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)


def _run_turn(steps: Iterator[T]) -> tuple[list[T], bool]:
    results: list[T] = []
    end = time.monotonic() + _TURN_SECONDS
    for step in steps:
        results.append(step)
        if time.monotonic() >= end:
            return results, False
    return results, True


@dataclass(frozen=True)
class FileView:
    game: Game
    path: str
    snapshot: Snapshot
    columns: Columns
    language: Language
    edits_versions: bool
    """Whether the client supports edits that apply to one version only."""

    @cached_property
    def lines(self) -> Sequence[str]:
        return self.game.lines(self.path)

    def at(self, position: Position) -> tuple[int, int]:
        """Returns the line and the character. After the end, a line that doesn't exist."""
        if position.line >= len(self.lines):
            return len(self.lines), 0
        return position.line, self.columns.characters(self.lines[position.line], position.character)

    def part(self, position: Position) -> LocatedPart | None:
        return part_at(self.lines, *self.at(position)) if self.game.scene(self.path) is not None else None

    def span(self, line: int, start: int, end: int) -> Range:
        return self.columns.span(self.lines, line, start, end)

    def range_of(self, place: Place) -> Range:
        if not (place.line or place.end):  # the whole file, which may be a picture
            return Range(Position(0, 0), Position(0, 0))
        return self.columns.span(self.game.lines(place.path), place.line, place.start, place.end)

    def locations(self, places: Sequence[Place]) -> list[Location]:
        return [Location(self.snapshot.uri(place.path), self.range_of(place)) for place in places]


class EditorProject:
    """`spelled` is the project's folder as the client writes it."""

    def __init__(self, reader: ProjectReader, spelled: str) -> None:
        self.reader = reader
        self.spelled = spelled
        self.uris = ProjectUris(reader.location, spelled)
        self.games: dict[str, Game] = {}

    def game_for(self, path: str | None) -> Game | None:
        """Reads from disk, so never call it on the event loop."""
        try:
            folder = self.reader.find_game(path)
        except Failure:
            return None
        if folder is not None and folder not in self.games:
            self.games[folder] = Game(self.reader, folder)
        return self.games[folder] if folder is not None else None

    def find_games(self, paths: Iterable[str | None]) -> None:
        """Finds the games of these paths. Reads from disk."""
        for path in paths:
            if path is None or not self.is_scene(path):
                self.game_for(path)

    def now(self, documents: Iterable[Document]) -> Snapshot:
        return Snapshot(self.uris, documents)

    def is_scene(self, path: str) -> bool:
        return any(game.scene_name(path) is not None for game in self._games_copy())

    def depends_on_text(self, path: str) -> bool:
        """Returns whether a text that is not a scene affects a game."""
        return any(game.depends_on_text(path) for game in self._games_copy())

    def depends_on_file(self, path: str) -> bool:
        """Returns whether a change of this file on disk may change a game's problems."""
        if path.startswith("."):
            return path.startswith(".handrail/")
        return not self.games or any(game.depends_on_file(path) for game in self._games_copy())

    def _games_copy(self) -> tuple[Game, ...]:
        """Returns a copy, because the worker may find other games at the same time."""
        return tuple(self.games.values())


class EditorState:
    def __init__(self, language: Language) -> None:
        self.language = language
        self.columns = Columns()
        self.documents: dict[str, Document] = {}
        """The documents by the URI that the client uses."""
        self.edits_versions = False
        self.projects: list[EditorProject] = []
        self.worker = Worker()
        self._closed_projects: list[EditorProject] = []

    def project_of(self, uri: str) -> tuple[EditorProject, str] | None:
        """Returns the innermost project that contains the file, and the file's path in it."""
        matches = [(project, path) for project in self.projects if (path := project.uris.below(uri)) is not None]
        return min(matches, key=lambda match: len(match[1])) if matches else None

    async def ask(self, uri: str, work: Callable[[FileView], T]) -> T | None:
        """Runs work on a file of a game as it is in the editor. Returns None for any other file."""
        match = self.project_of(uri)
        if match is None:
            return None
        project, path = match
        snapshot = project.now(self.documents.values())
        view_settings = (snapshot, self.columns, self.language, self.edits_versions)

        def answer() -> T | None:
            game = project.game_for(path)
            if game is None:
                return None
            try:
                _bring_up_to_date(game, snapshot)
                return work(FileView(game, path, *view_settings))
            except Failure as failure:
                raise RequestFailed(failure.message) from None

        return await self.worker.do(answer)

    async def ask_all(self, work: Callable[[FileView], Iterable[T]]) -> list[T]:
        """Runs work on every game of the open folders; the view's path is the game's config file."""
        documents = list(self.documents.values())

        def answer(project: EditorProject) -> list[T]:
            snapshot = project.now(documents)
            settings = (snapshot, self.columns, self.language, self.edits_versions)
            project.game_for(None)
            results: list[T] = []
            for game in tuple(project.games.values()):
                _bring_up_to_date(game, snapshot)
                results += work(FileView(game, game.prefix + CONFIG, *settings))
            return results

        return [each for project in self.projects for each in await self.worker.do(partial(answer, project))]

    def close_project(self, spelled: str) -> None:
        """Removes a closed folder. Its reader is closed at the end, because a request may still use it."""
        self._closed_projects += [project for project in self.projects if project.spelled == spelled]
        self.projects = [project for project in self.projects if project.spelled != spelled]

    def close(self) -> None:
        self.worker.close()
        for project in (*self.projects, *self._closed_projects):
            project.reader.close()


def _bring_up_to_date(game: Game, snapshot: Snapshot) -> None:
    if not game.is_read:
        for _ in game.reload(snapshot.texts):
            continue
    game.update_texts(snapshot.texts)
