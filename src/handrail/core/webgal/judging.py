"""The long way to what is known of a line: by every rule, and as its author meant it where only a sign is wrong."""

from msgspec.structs import replace

from handrail.core.webgal.findings import Edit, Finding
from handrail.core.webgal.javascript import BLANKS
from handrail.core.webgal.nearness import folded
from handrail.core.webgal.references import Reference, references, variables_set
from handrail.core.webgal.report import Report
from handrail.core.webgal.rules import arguments, choices, contents, heads, punctuation
from handrail.core.webgal.rules.line import Line
from handrail.core.webgal.sentences import COMMENT, read_line

FAMILIES = (punctuation.check, heads.check, arguments.check, contents.check, choices.check)
# A wide sign, a blank or a letter in the other case: the engine reads another statement, or another file's name.
# All else about the line is told of the statement that was meant: one slip is one problem, not three.
_SLIPS = "WG102 WG103 WG104 WG105 WG109 WG112 WG115 WG120 WG121 WG126 WG127 WG128 WG129 WG130"
SLIPS = frozenset(_SLIPS.split())
_OTHER_NAME = "WG105"
_NO_SEMICOLON = "WG101"
# Behind so many nobody knows what was meant; and `\\` before a semicolon makes none of it.
_MOST_SLIPS = 6


def judged(text: str) -> Report:
    return _judged(text, _MOST_SLIPS)


def _judged(text: str, slips: int) -> Report:
    sentence = read_line(text)
    if sentence.command == COMMENT:
        return Report()
    line = Line(text, sentence)
    findings = tuple([finding for check in FAMILIES for finding in check(line)])
    for finding in findings if slips else ():
        if (edit := finding.edit) is not None and _is_slip(finding.code, edit, text):
            return _as_meant(text, finding, edit, slips - 1)
    name = sentence.speaker
    named = tuple(references(line))
    return Report(
        findings,
        named,
        tuple(variables_set(line)),
        tuple([each.folder for each in named if each.what == "dynamic"]),
        name,
        name is not None and heads.is_suspect(name) and not any(finding.code == "WG306" for finding in findings),
        sentence.content if sentence.command == "label" else "",
        sentence.command == "changeScene",
    )


def _is_slip(code: str, edit: Edit, text: str) -> bool:
    if code == _NO_SEMICOLON:  # a remark follows where it should be
        return bool(text[edit.end :].strip(BLANKS))
    if code == _OTHER_NAME:  # another case is a slip, another name a guess
        return folded(text[edit.start : edit.end]) == folded(edit.text)
    return code in SLIPS


def _as_meant(text: str, slip: Finding, edit: Edit, slips: int) -> Report:
    meant = _judged(edit.applied(text), slips)
    if slip.code == _OTHER_NAME and meant.findings:  # the command could not do it: it may have been said
        slip = replace(slip, edit=replace(edit, is_safe=False))
    return replace(
        meant,
        findings=(slip, *(_moved(finding, edit) for finding in meant.findings)),
        references=tuple(_reference(each, edit) for each in meant.references),
    )


def _moved(finding: Finding, slip: Edit) -> Finding:
    start, end, edit = _start(finding.start, slip), _end(finding.end, slip), finding.edit
    if edit is not None:
        edit = Edit(_start(edit.start, slip), _end(edit.end, slip), edit.text, edit.is_safe)
        if edit.start < slip.end and slip.start < edit.end:
            edit = None  # what stands there is another text
    return replace(finding, start=start, end=end, edit=edit)


def _reference(each: Reference, slip: Edit) -> Reference:
    return replace(each, start=_start(each.start, slip))


def _start(place: int, slip: Edit) -> int:
    """Where a place of the mended line stands in the line as it is written."""
    if len(slip.text) == slip.end - slip.start:
        return place
    behind = place - (slip.start + len(slip.text))
    return slip.end + behind if behind >= 0 else min(place, slip.start)


def _end(place: int, slip: Edit) -> int:
    if len(slip.text) == slip.end - slip.start:
        return place
    behind = place - (slip.start + len(slip.text))
    return slip.end + behind if behind >= 0 else slip.end if place > slip.start else place
