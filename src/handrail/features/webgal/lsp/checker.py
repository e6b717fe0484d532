"""Checks games in the background shortly after a change, open texts first, and publishes only differences."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from lsprotocol.types import Diagnostic, DiagnosticSeverity

from handrail.features.webgal.lsp.documents import Columns, Snapshot
from handrail.features.webgal.lsp.editor_state import EditorProject, EditorState
from handrail.features.webgal.lsp.game import Game
from handrail.features.webgal.lsp.phrases import phrase
from handrail.features.webgal.script.findings import Finding, Kind, Language, kind_of, message
from handrail.ports.errors import Failure

SOURCE = "handrail"
MAX_DIAGNOSTICS = 1000
"""Per file; editors show no more, and a script for another engine may have a problem on each line."""

_SEVERITIES: dict[Kind, DiagnosticSeverity] = {
    "syntax": DiagnosticSeverity.Error,
    "resource": DiagnosticSeverity.Error,
    "style": DiagnosticSeverity.Warning,
}


def diagnostic(finding: Finding, lines: Sequence[str], columns: Columns, language: Language) -> Diagnostic:
    return Diagnostic(
        range=columns.span(lines, finding.line - 1, finding.start, finding.end),
        message=message(finding, language),
        severity=_SEVERITIES[kind_of(finding)],
        code=finding.code,
        source=SOURCE,
    )


def diagnostics(
    findings: Sequence[Finding], lines: Sequence[str], columns: Columns, language: Language
) -> list[Diagnostic]:
    items = [diagnostic(finding, lines, columns, language) for finding in findings[:MAX_DIAGNOSTICS]]
    if len(findings) > MAX_DIAGNOSTICS:
        text = phrase("more", language, count=len(findings) - MAX_DIAGNOSTICS)
        end = columns.span(lines, len(lines), 0, 0)
        items.append(Diagnostic(range=end, message=text, severity=DiagnosticSeverity.Information, source=SOURCE))
    return items


_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.03, 0.5

Publish = Callable[[str, int | None, Sequence[Diagnostic]], None]
_CheckedFile = tuple[str, object, list[Finding], list[Diagnostic]]
_PublishedFile = tuple[Game, int | None, object, list[Finding]]


class Checker:
    """`publish` gets a URI, the version that was checked, and all problems in it."""

    def __init__(self, state: EditorState, publish: Publish, complain: Callable[[str], None]) -> None:
        self._state = state
        self._publish = publish
        self._report = complain
        self._has_work = asyncio.Event()
        self._is_deep = True
        self._last_change = self._pause = 0.0
        self._published: dict[str, _PublishedFile] = {}
        self._complaints: dict[EditorProject, str] = {}

    def schedule(self, *, is_deep: bool = False) -> None:
        """Schedules a check after a change. `is_deep` includes files on disk and those around the scenes."""
        self._is_deep |= is_deep
        self._last_change = asyncio.get_running_loop().time()
        self._has_work.set()

    def republish(self) -> None:
        """Publishes everything again, as after a change of the language."""
        self._published.clear()
        self.schedule()

    async def run(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            await self._has_work.wait()
            await self._debounce()
            self._has_work.clear()
            started = clock()
            is_deep, self._is_deep = self._is_deep, False
            self._withdraw_closed()
            for project in tuple(self._state.projects):
                await self._try(project, is_deep=is_deep)
            if not is_deep:  # slow checks are done less often while the person types
                self._pause = 2 * (clock() - started)

    async def _try(self, project: EditorProject, *, is_deep: bool) -> None:
        """Reports a project that can't be checked once, and continues with the others."""
        try:
            await self._check(project, is_deep=is_deep)
            self._complaints.pop(project, None)
        except Failure as failure:
            if self._complaints.get(project) != failure.message:
                self._report(failure.message)
            self._complaints[project] = failure.message

    async def _debounce(self) -> None:
        clock, started = asyncio.get_running_loop().time, self._last_change
        pause = min(max(self._pause, _SHORTEST_PAUSE), _LONGEST_PAUSE)
        while (remaining := min(self._last_change + pause, started + _LONGEST_PAUSE) - clock()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(remaining)

    async def _check(self, project: EditorProject, *, is_deep: bool) -> None:
        worker, texts = self._state.worker, project.now(self._state.documents.values()).texts
        await worker.do(partial(project.find_games, (*texts, None) if is_deep else texts))
        for game in tuple(project.games.values()):
            if is_deep or not game.is_read:
                async for _ in worker.in_turns(game.reload(texts)):
                    continue
            await self._publish_changes(game, project.now(self._state.documents.values()))

    async def _publish_changes(self, game: Game, snapshot: Snapshot) -> None:
        published_uris: set[str] = set()
        async for batch in self._state.worker.in_turns(self._changed_files(game, snapshot, published_uris)):
            for path, text, findings, shown in (each for each in batch if each is not None):
                if snapshot.is_current(path, self._state.documents.values()):
                    uri, version = snapshot.uri(path), snapshot.version(path)
                    self._published[uri] = (game, version, text, findings)
                    self._publish(uri, version, shown)
            if self._has_work.is_set():
                return  # there is a newer text
        self._withdraw(game, published_uris)

    def _changed_files(self, game: Game, snapshot: Snapshot, published_uris: set[str]) -> Iterator[_CheckedFile | None]:
        """Runs in the worker's thread."""
        columns, language = self._state.columns, self._state.language
        game.update_texts(snapshot.texts)
        yield None
        for path, findings in game.all_findings(snapshot.texts):
            uri = snapshot.uri(path)
            published_uris.add(uri)
            text: object = game.scene(path) or game.text(path)
            before = self._published.get(uri)
            is_empty = not findings and path not in snapshot.texts
            if is_empty if before is None else before[1:] == (snapshot.version(path), text, findings):
                yield None
            else:
                yield path, text, findings, diagnostics(findings, game.lines(path), columns, language)

    def _withdraw_closed(self) -> None:
        """Removes the problems of folders that were closed."""
        existing = {game for project in self._state.projects for game in tuple(project.games.values())}
        for game in {published[0] for published in self._published.values()} - existing:
            self._withdraw(game, set())

    def _withdraw(self, game: Game, published_uris: set[str]) -> None:
        """Removes the problems of files that no longer exist."""
        for uri in [
            uri for uri, published in self._published.items() if published[0] is game and uri not in published_uris
        ]:
            if self._published.pop(uri)[-1]:
                self._publish(uri, None, [])
