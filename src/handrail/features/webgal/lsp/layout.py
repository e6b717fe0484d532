"""Formatting, and inlay hints: who continues to speak, and where a jump leads."""

from collections.abc import Iterator

from lsprotocol import types

from handrail.features.webgal.lsp.editor_state import FileView
from handrail.features.webgal.lsp.phrases import phrase
from handrail.features.webgal.lsp.usages import parts_on
from handrail.features.webgal.script.anatomy import Role
from handrail.features.webgal.script.commands import SAY
from handrail.features.webgal.script.formatting import formatted_lines
from handrail.features.webgal.script.multi_line import continues
from handrail.features.webgal.script.parser import Sentence, read_line

_JUMPS = ("jumpLabel", "choose")


def formatting(view: FileView, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    return _edits(view, range(len(view.lines)))


def range_formatting(view: FileView, params: types.DocumentRangeFormattingParams) -> list[types.TextEdit]:
    first, last = params.range.start.line, params.range.end.line
    return _edits(view, range(first, last + (params.range.end.character > 0 or first == last)))


def _edits(view: FileView, numbers: range) -> list[types.TextEdit]:
    if view.game.scene(view.path) is None:
        return []
    return [
        types.TextEdit(view.span(number, 0, len(view.lines[number])), line)
        for number, line in formatted_lines(view.lines)
        if number in numbers
    ]


def inlay_hints(view: FileView, params: types.InlayHintParams) -> list[types.InlayHint]:
    if view.game.scene(view.path) is None:
        return []
    visible_lines = range(params.range.start.line, min(params.range.end.line + 1, len(view.lines)))
    return [*_speakers(view, visible_lines), *_jumps(view, visible_lines)]


def _speakers(view: FileView, visible_lines: range) -> Iterator[types.InlayHint]:
    """Yields the name that stays in the name box, before text without a name."""
    speaker: str | None = None
    for number, line in enumerate(view.lines[: visible_lines.stop]):
        if continues(line):
            continue
        sentence = read_line(line)
        if sentence.command == "label":  # jumps to here may come with any name
            speaker = None
        if sentence.command != SAY:
            continue
        name = _shown_name(sentence)
        if name is not None:
            speaker = name
        elif speaker and number in visible_lines and line.strip():
            yield types.InlayHint(types.Position(number, 0), f"{speaker}:", tooltip=_hint(view, "goes on"))


def _shown_name(sentence: Sentence) -> str | None:
    """Returns the name that a line shows: empty with `-clear`, None if the line leaves it unchanged."""
    if sentence.argument("clear") is True:
        return ""
    return next((str(value).strip() for name, value in sentence.args if name == "speaker"), None)


def _jumps(view: FileView, visible_lines: range) -> Iterator[types.InlayHint]:
    scene = view.game.scene(view.path)
    assert scene is not None
    for number in visible_lines:
        line = view.lines[number]
        if not (line.startswith(_JUMPS) or continues(line)):
            continue
        for placed in parts_on(view.lines, number):
            if placed.part.role is Role.JUMP and placed.part.text in scene.labels:
                hint = phrase("leads to", view.language, line=scene.labels[placed.part.text][0])
                place = view.span(placed.line, placed.end, placed.end).start
                yield types.InlayHint(place, hint, padding_left=True)


def _hint(view: FileView, which: str) -> str:
    return phrase(which, view.language)
