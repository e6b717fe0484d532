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
MOST_SHOWN = 1000
"""Of one file; editors show no more, and a script for another engine may have one on each of its lines."""

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
    shown = [diagnostic(finding, lines, columns, language) for finding in findings[:MOST_SHOWN]]
    if len(findings) > MOST_SHOWN:
        more = phrase("more", language, count=len(findings) - MOST_SHOWN)
        last = columns.span(lines, len(lines), 0, 0)
        shown.append(Diagnostic(range=last, message=more, severity=DiagnosticSeverity.Information, source=SOURCE))
    return shown


_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.03, 0.5

Publish = Callable[[str, int | None, Sequence[Diagnostic]], None]
_News = tuple[str, object, list[Finding], list[Diagnostic]]
_Told = tuple[Game, int | None, object, list[Finding]]


class Checker:
    """`publish` gets a URI, the version that was checked, and all problems in it."""

    def __init__(self, state: EditorState, publish: Publish, complain: Callable[[str], None]) -> None:
        self._state = state
        self._publish = publish
        self._complain = complain
        self._has_work = asyncio.Event()
        self._is_deep = True
        self._last_stir = self._pause = 0.0
        self._told: dict[str, _Told] = {}
        self._complaints: dict[EditorProject, str] = {}

    def schedule(self, *, is_deep: bool = False) -> None:
        """Something has changed. With `deep`, also files on disk or around the scenes."""
        self._is_deep |= is_deep
        self._last_stir = asyncio.get_running_loop().time()
        self._has_work.set()

    def republish(self) -> None:
        """Publishes everything again, as after a change of the language."""
        self._told.clear()
        self.schedule()

    async def run(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            await self._has_work.wait()
            await self._calm()
            self._has_work.clear()
            started = clock()
            is_deep, self._is_deep = self._is_deep, False
            self._forget_left()
            for project in tuple(self._state.projects):
                await self._try(project, is_deep=is_deep)
            if not is_deep:  # what takes long while somebody types is done less often
                self._pause = 2 * (clock() - started)

    async def _try(self, project: EditorProject, *, is_deep: bool) -> None:
        """Reports a project that can't be checked once, and goes on with the others."""
        try:
            await self._check(project, is_deep=is_deep)
            self._complaints.pop(project, None)
        except Failure as failure:
            if self._complaints.get(project) != failure.message:
                self._complain(failure.message)
            self._complaints[project] = failure.message

    async def _calm(self) -> None:
        clock, begun = asyncio.get_running_loop().time, self._last_stir
        pause = min(max(self._pause, _SHORTEST_PAUSE), _LONGEST_PAUSE)
        while (left := min(self._last_stir + pause, begun + _LONGEST_PAUSE) - clock()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(left)

    async def _check(self, project: EditorProject, *, is_deep: bool) -> None:
        worker, texts = self._state.worker, project.now(self._state.documents.values()).texts
        await worker.do(partial(project.find_games, (*texts, None) if is_deep else texts))
        for game in tuple(project.games.values()):
            if is_deep or not game.is_read:
                async for _ in worker.in_turns(game.reload(texts)):
                    continue
            await self._publish_changes(game, project.now(self._state.documents.values()))

    async def _publish_changes(self, game: Game, snapshot: Snapshot) -> None:
        seen: set[str] = set()
        async for news in self._state.worker.in_turns(self._news(game, snapshot, seen)):
            for path, text, findings, shown in (each for each in news if each is not None):
                if snapshot.is_current(path, self._state.documents.values()):
                    uri, version = snapshot.uri(path), snapshot.version(path)
                    self._told[uri] = (game, version, text, findings)
                    self._publish(uri, version, shown)
            if self._has_work.is_set():
                return  # a newer text has overtaken the others
        self._withdraw(game, seen)

    def _news(self, game: Game, snapshot: Snapshot, seen: set[str]) -> Iterator[_News | None]:
        """Runs in the worker's thread."""
        columns, language = self._state.columns, self._state.language
        game.update_texts(snapshot.texts)
        yield None
        for path, findings in game.all_findings(snapshot.texts):
            uri = snapshot.uri(path)
            seen.add(uri)
            text: object = game.scene(path) or game.text(path)
            before = self._told.get(uri)
            is_quiet = not findings and path not in snapshot.texts
            if is_quiet if before is None else before[1:] == (snapshot.version(path), text, findings):
                yield None
            else:
                yield path, text, findings, diagnostics(findings, game.lines(path), columns, language)

    def _forget_left(self) -> None:
        """Publishes nothing about folders that were closed."""
        known = {game for project in self._state.projects for game in tuple(project.games.values())}
        for game in {told[0] for told in self._told.values()} - known:
            self._withdraw(game, set())

    def _withdraw(self, game: Game, seen: set[str]) -> None:
        """Clears the problems of files that are gone."""
        for uri in [uri for uri, told in self._told.items() if told[0] is game and uri not in seen]:
            if self._told.pop(uri)[-1]:
                self._publish(uri, None, [])
