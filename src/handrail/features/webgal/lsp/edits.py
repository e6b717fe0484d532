"""Questions that end in a change. The editor makes it: here it is only worked out."""

from collections.abc import Iterator, Sequence

from lsprotocol import types

from handrail.features.webgal.lsp.diagnostics import diagnostic
from handrail.features.webgal.lsp.fixes import all_fixed, fixes
from handrail.features.webgal.lsp.phrases import phrase
from handrail.features.webgal.lsp.renaming import Replacement, check_renameable, replacements
from handrail.features.webgal.lsp.sight import Sight
from handrail.features.webgal.script.findings import Finding

FIX_ALL = "source.fixAll.handrail"
ACTION_KINDS = [types.CodeActionKind.QuickFix, FIX_ALL]
_MOST_FIXES = 50
"""For one place: who marks a whole scene wants them all at once."""


def prepare_rename(sight: Sight, position: types.Position) -> types.PrepareRenamePlaceholder:
    placed = sight.part(position)
    part = check_renameable(placed.part if placed is not None else None, sight.language)
    assert placed is not None
    return types.PrepareRenamePlaceholder(sight.span(placed.line, placed.start, placed.end), part.text)


def rename(sight: Sight, position: types.Position, new: str, *, is_versioned: bool) -> types.WorkspaceEdit:
    placed = sight.part(position)
    part = check_renameable(placed.part if placed is not None else None, sight.language)
    found = replacements(sight.game, sight.path, part, new, sight.language)
    return _edit(sight, found, is_versioned=is_versioned)


def code_actions(
    sight: Sight, marked: types.Range, context: types.CodeActionContext, *, is_versioned: bool
) -> list[types.CodeAction]:
    actions: list[types.CodeAction] = []
    if _is_wanted(types.CodeActionKind.QuickFix, context.only):
        actions += _quick_fixes(sight, marked, is_versioned=is_versioned)
    # All of a long scene is not mended anew for every move of the cursor.
    is_asked = context.only is not None or context.trigger_kind is not types.CodeActionTriggerKind.Automatic
    if is_asked and _is_wanted(FIX_ALL, context.only) and (found := all_fixed(sight.game, sight.path)):
        edit = _edit(sight, found, is_versioned=is_versioned)
        actions.append(types.CodeAction(phrase("fix all", sight.language), kind=FIX_ALL, edit=edit))
    return actions


def _quick_fixes(sight: Sight, marked: types.Range, *, is_versioned: bool) -> Iterator[types.CodeAction]:
    found = sight.game.findings(sight.path)
    on_lines = [each for each in found if marked.start.line < each.line <= marked.end.line + 1]
    touched = [each for each in on_lines if _touches(sight, each, marked)] or on_lines
    for fix in fixes(sight.game, sight.path, touched[:_MOST_FIXES], sight.language):
        yield types.CodeAction(
            fix.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic(fix.finding, sight.lines, sight.columns, sight.language)],
            edit=_edit(sight, fix.replacements, is_versioned=is_versioned),
            is_preferred=fix.is_preferred or None,
        )


def _touches(sight: Sight, finding: Finding, marked: types.Range) -> bool:
    place = sight.span(finding.line - 1, finding.start, finding.end)
    return bool(place.start <= marked.end and marked.start <= place.end)


def _is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    """A kind stands for all below it."""
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)


def _edit(sight: Sight, found: Sequence[Replacement], *, is_versioned: bool) -> types.WorkspaceEdit:
    """For exactly the versions that were looked at, where the client understands that."""
    by_path: dict[str, list[types.TextEdit]] = {}
    for each in found:
        by_path.setdefault(each.place.path, []).append(types.TextEdit(sight.range_of(each.place), each.text))
    snapshot = sight.snapshot
    if not is_versioned:
        return types.WorkspaceEdit(changes={snapshot.uri(path): edits for path, edits in by_path.items()})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(snapshot.uri(path), snapshot.version(path)), edits
            )
            for path, edits in by_path.items()
        ]
    )
