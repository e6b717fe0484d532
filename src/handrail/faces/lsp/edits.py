"""Questions that end in a change. The editor makes it: here it is only worked out."""

from collections.abc import Iterator, Sequence

from lsprotocol import types

from handrail.contract.errors import Failure
from handrail.core.webgal.findings import Finding
from handrail.faces.lsp.answers import at_cursor, range_of, uri_of
from handrail.faces.lsp.desk import Desk
from handrail.faces.lsp.diagnostics import diagnostic, span
from handrail.faces.lsp.fixes import all_fixed, fixes
from handrail.faces.lsp.game import Game
from handrail.faces.lsp.phrases import phrase
from handrail.faces.lsp.refusal import Refused
from handrail.faces.lsp.renaming import Replacement, refusal, replacements
from handrail.faces.lsp.statements import Placed

FIX_ALL = "source.fixAll.handrail"
ACTION_KINDS = [types.CodeActionKind.QuickFix, FIX_ALL]
_MOST_FIXES = 50
"""For one place: who marks a whole scene wants them all at once."""


async def prepare_rename(desk: Desk, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder:
    def answer(game: Game, path: str, placed: Placed) -> types.PrepareRenamePlaceholder:
        if (refused := refusal(placed.part, desk.language)) is not None:
            raise Refused(refused.message)
        place = span(game.lines(path), placed.line, placed.start, placed.end, desk.columns)
        return types.PrepareRenamePlaceholder(place, placed.part.text)

    prepared = await at_cursor(desk, params, answer)
    if prepared is None:
        raise Refused(phrase("only names", desk.language))
    return prepared


async def rename(desk: Desk, params: types.RenameParams, client: types.ClientCapabilities) -> types.WorkspaceEdit:
    writing = Writing(desk, client)

    def answer(game: Game, path: str, placed: Placed) -> types.WorkspaceEdit:
        try:
            found = replacements(game, path, placed.part, params.new_name, desk.language)
        except Failure as failure:
            raise Refused(failure.message) from None
        return writing.edit(game, found)

    edit = await at_cursor(desk, params, answer)
    if edit is None:
        raise Refused(phrase("only names", desk.language))
    return edit


async def code_actions(
    desk: Desk, params: types.CodeActionParams, client: types.ClientCapabilities
) -> list[types.CodeAction] | None:
    writing, only = Writing(desk, client), params.context.only

    def answer(game: Game, path: str) -> list[types.CodeAction]:
        actions: list[types.CodeAction] = []
        if _is_wanted(types.CodeActionKind.QuickFix, only):
            actions += _quick_fixes(desk, game, path, params.range, writing)
        if _is_wanted(FIX_ALL, only) and (found := all_fixed(game, path)):
            title = phrase("fix all", desk.language)
            actions.append(types.CodeAction(title, kind=FIX_ALL, edit=writing.edit(game, found)))
        return actions

    return await desk.ask(params.text_document.uri, answer)


def _quick_fixes(
    desk: Desk, game: Game, path: str, marked: types.Range, writing: "Writing"
) -> Iterator[types.CodeAction]:
    lines = game.lines(path)
    on_lines = [each for each in game.findings(path) if marked.start.line < each.line <= marked.end.line + 1]
    touched = [each for each in on_lines if _touches(desk, lines, each, marked)] or on_lines
    for fix in fixes(game, path, touched[:_MOST_FIXES], desk.language):
        yield types.CodeAction(
            fix.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic(fix.finding, lines, desk.columns, desk.language)],
            edit=writing.edit(game, fix.replacements),
            is_preferred=fix.is_preferred or None,
        )


def _touches(desk: Desk, lines: Sequence[str], finding: Finding, marked: types.Range) -> bool:
    place = span(lines, finding.line - 1, finding.start, finding.end, desk.columns)
    return bool(place.start <= marked.end and marked.start <= place.end)


def _is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    """A kind stands for all below it."""
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)


class Writing:
    """Edits in the shape that the client understands, for exactly the versions that were looked at."""

    def __init__(self, desk: Desk, client: types.ClientCapabilities) -> None:
        workspace = client.workspace.workspace_edit if client.workspace is not None else None
        self._is_versioned = workspace is not None and bool(workspace.document_changes)
        self._versions = {document.uri: document.version for document in desk.documents}
        self._desk = desk

    def edit(self, game: Game, found: Sequence[Replacement]) -> types.WorkspaceEdit:
        by_uri: dict[str, list[types.TextEdit]] = {}
        for each in found:
            place = range_of(self._desk, game, each.place)
            by_uri.setdefault(uri_of(self._desk, game, each.place.path), []).append(types.TextEdit(place, each.text))
        if not self._is_versioned:
            return types.WorkspaceEdit(changes=by_uri)
        return types.WorkspaceEdit(document_changes=[self._versioned(uri, edits) for uri, edits in by_uri.items()])

    def _versioned(self, uri: str, edits: list[types.TextEdit]) -> types.TextDocumentEdit:
        return types.TextDocumentEdit(
            types.OptionalVersionedTextDocumentIdentifier(uri, self._versions.get(uri)), edits
        )
