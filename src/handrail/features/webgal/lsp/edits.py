"""Computes renames and fixes, which the editor then makes."""

import re
from collections.abc import Iterator, Sequence

import msgspec
from lsprotocol import types

from handrail.features.webgal.lsp import usages
from handrail.features.webgal.lsp.checker import diagnostic
from handrail.features.webgal.lsp.editor_state import FileView
from handrail.features.webgal.lsp.game import Game
from handrail.features.webgal.lsp.phrases import phrase
from handrail.features.webgal.lsp.usages import Place, character, character_files
from handrail.features.webgal.script.anatomy import Part, Role, statement_end
from handrail.features.webgal.script.character_file import rename_edits
from handrail.features.webgal.script.commands import COMMANDS
from handrail.features.webgal.script.findings import Finding, Language
from handrail.features.webgal.script.multi_line import continues
from handrail.features.webgal.script.parser import BLANKS
from handrail.features.webgal.script.project import CONFIG
from handrail.ports.errors import Conflict, InvalidParams

_LABELS = (Role.LABEL, Role.JUMP)
_NEVER_IN_LABELS = (":", ";", "|", ".", "{", "\\", " -", "\n", "\r")
_NEVER_IN_NAMES = (":", ";", "\\", " -", "\n", "\r")


class Replacement(msgspec.Struct, frozen=True, gc=False):
    place: Place
    text: str


def check_renameable(part: Part | None, language: Language) -> Part:
    if part is None or part.role not in (*_LABELS, Role.SPEAKER):
        raise InvalidParams(phrase("only names", language))
    return part


def replacements(game: Game, path: str, part: Part, new: str, language: Language) -> list[Replacement]:
    if new == part.text:
        return []
    return (_label if part.role in _LABELS else _character)(game, path, part.text, new, language)


def _label(game: Game, path: str, old: str, new: str, language: Language) -> list[Replacement]:
    if not _is_valid(new, _NEVER_IN_LABELS) or new == "none":
        raise InvalidParams(phrase("bad label", language))
    if usages.labels(game, path, new, Role.LABEL):
        raise Conflict(phrase("taken label", language, name=new))
    return [Replacement(place, new) for place in usages.labels(game, path, old, *_LABELS)]


def _character(game: Game, path: str, old: str, new: str, language: Language) -> list[Replacement]:
    if not _is_valid(new, _NEVER_IN_NAMES) or new in COMMANDS:
        raise InvalidParams(phrase("bad name", language))
    if usages.speakers(game, new) or character(game, new):
        raise Conflict(phrase("taken name", language, name=new))
    edits_found = [Replacement(place, new) for place in usages.speakers(game, old)]
    for file in character_files(game):
        places = [place for place in character(game, old) if place.path == file]
        edits = rename_edits("\n".join(game.lines(file)), old, new) if places else []
        if edits is None:
            raise Conflict(phrase("mend characters", language, path=file))
        edits_found += [Replacement(place, text) for place, (_, _, text) in zip(places, edits, strict=True)]
    return edits_found


def _is_valid(name: str, never: Sequence[str]) -> bool:
    return bool(name) and name == name.strip(BLANKS) and not any(mark in name for mark in never)


_NOLINT = re.compile(r";\s*nolint[\s:：]*(?:[A-Za-z]{2}\d{3}[\s,，]*)+$", re.ASCII)
_LONGEST = 60
# Rules about the whole file, or about lines without a statement of their own.
_ABOUT_FILES = frozenset({"WG118", "WG402"})
# A comment can't silence rules about the bytes before it.
_NOT_SILENCEABLE = frozenset({"WG107", "WG125"})


class Fix(msgspec.Struct, frozen=True, gc=False):
    """`finding` is what it fixes. `is_preferred` means that it can't change what the author meant."""

    title: str
    replacements: list[Replacement]
    finding: Finding
    is_preferred: bool = False


def fixes(game: Game, path: str, findings: Sequence[Finding], language: Language) -> Iterator[Fix]:
    lines = game.lines(path)
    for finding in findings:
        if finding.line > len(lines):
            continue
        if (edit := finding.edit) is not None:
            place = Place(path, finding.line - 1, edit.start, edit.end)
            better = edit.apply(lines[finding.line - 1]).strip()
            title = phrase("fix", language, text=better if len(better) <= _LONGEST else better[:_LONGEST] + "…")
            yield Fix(title, [Replacement(place, edit.text)], finding, edit.is_safe)
        if path != game.prefix + CONFIG and finding.code not in _NOT_SILENCEABLE:
            yield _silence_fix(path, finding, lines, language)


def all_fixed(game: Game, path: str) -> list[Replacement]:
    """Edits lines only. Returns nothing for files that are neither scenes nor settings."""
    if game.scene_name(path) is None and path != game.prefix + CONFIG:
        return []
    lines = game.lines(path)
    after = game.project.with_safe_fixes(path.removeprefix(game.prefix), "\n".join(lines)).split("\n")
    return [
        Replacement(Place(path, number, 0, len(old)), new)
        for number, (old, new) in enumerate(zip(lines, after, strict=True))
        if old != new
    ]


def _silence_fix(path: str, finding: Finding, lines: Sequence[str], language: Language) -> Fix:
    code, number = finding.code, finding.line - 1
    if code in _ABOUT_FILES:
        start = len(lines[0]) - len(lines[0].lstrip("\ufeff"))
        edit = Replacement(Place(path, 0, start, start), f";nolint-file {code}\n")
        return Fix(phrase("silence file", language, code=code), [edit], finding)
    return Fix(phrase("silence", language, code=code), [_nolint_comment(path, number, lines, code)], finding)


def _nolint_comment(path: str, number: int, lines: Sequence[str], code: str) -> Replacement:
    """Puts the comment after the statement if there is none yet, otherwise on a line before it."""
    line = lines[number]
    end, width = statement_end(line), len(line.rstrip())
    is_continued = number + 1 < len(lines) and continues(lines[number + 1])
    if end < len(line) and not is_continued:
        if width == end + 1:
            return Replacement(Place(path, number, end + 1, len(line)), f"nolint {code}")
        if _NOLINT.fullmatch(line, end, width):
            return Replacement(Place(path, number, width, len(line)), f" {code}")
    return Replacement(Place(path, number, 0, 0), f";nolint {code}\n")


FIX_ALL = "source.fixAll.handrail"
ACTION_KINDS = [types.CodeActionKind.QuickFix, FIX_ALL]
_MOST_FIXES = 50
"""Per selection: for a whole scene, fixing everything at once is better."""


def prepare_rename(view: FileView, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder:
    placed = view.part(params.position)
    part = check_renameable(placed.part if placed is not None else None, view.language)
    assert placed is not None
    return types.PrepareRenamePlaceholder(view.span(placed.line, placed.start, placed.end), part.text)


def rename(view: FileView, params: types.RenameParams) -> types.WorkspaceEdit:
    placed = view.part(params.position)
    part = check_renameable(placed.part if placed is not None else None, view.language)
    edits = replacements(view.game, view.path, part, params.new_name, view.language)
    return _edit(view, edits)


def code_actions(view: FileView, params: types.CodeActionParams) -> list[types.CodeAction]:
    context = params.context
    actions: list[types.CodeAction] = []
    if _is_wanted(types.CodeActionKind.QuickFix, context.only):
        actions += _quick_fixes(view, params.range)
    # Don't compute fixes for a whole scene at every move of the cursor.
    is_asked = context.only is not None or context.trigger_kind is not types.CodeActionTriggerKind.Automatic
    if is_asked and _is_wanted(FIX_ALL, context.only) and (edits := all_fixed(view.game, view.path)):
        edit = _edit(view, edits)
        actions.append(types.CodeAction(phrase("fix all", view.language), kind=FIX_ALL, edit=edit))
    return actions


def _quick_fixes(view: FileView, selection: types.Range) -> Iterator[types.CodeAction]:
    findings = view.game.findings(view.path)
    on_lines = [each for each in findings if selection.start.line < each.line <= selection.end.line + 1]
    selected = [each for each in on_lines if _touches(view, each, selection)] or on_lines
    for fix in fixes(view.game, view.path, selected[:_MOST_FIXES], view.language):
        yield types.CodeAction(
            fix.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic(fix.finding, view.lines, view.columns, view.language)],
            edit=_edit(view, fix.replacements),
            is_preferred=fix.is_preferred or None,
        )


def _touches(view: FileView, finding: Finding, selection: types.Range) -> bool:
    place = view.span(finding.line - 1, finding.start, finding.end)
    return bool(place.start <= selection.end and selection.start <= place.end)


def _is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    """A kind includes all kinds below it."""
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)


def _edit(view: FileView, edits: Sequence[Replacement]) -> types.WorkspaceEdit:
    """Bound to the versions that were checked, if the client supports that."""
    by_path: dict[str, list[types.TextEdit]] = {}
    for each in edits:
        by_path.setdefault(each.place.path, []).append(types.TextEdit(view.range_of(each.place), each.text))
    snapshot = view.snapshot
    if not view.edits_versions:
        return types.WorkspaceEdit(changes={snapshot.uri(path): text_edits for path, text_edits in by_path.items()})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(snapshot.uri(path), snapshot.version(path)), text_edits
            )
            for path, text_edits in by_path.items()
        ]
    )
