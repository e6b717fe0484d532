"""Makes the card of an approval: who wants what, where and why, as data. Clients put it into words in the person's
language.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from handrail.kernel.approval import Question
from handrail.kernel.auto_run_files import auto_run_files
from handrail.kernel.prompts.phrases import phrase
from handrail.kernel.target import ANY_PLACE
from handrail.kernel.tool import Difference
from handrail.kernel.visible import one_line, visible
from handrail.kernel.web_address import is_elsewhere
from handrail.ports.approval_card import Card, CardFact, Risk
from handrail.ports.effect import Effect
from handrail.ports.secret_files import is_secret_path

_LONGEST_REASON = 600


def card_of(question: Question, project: str, params: Iterator[tuple[str, Any]]) -> Card:
    """`params` are the parameters to show, by their names."""
    preview, call = question.preview, question.call
    about = preview.about
    facts = [*(preview.consent.facts if preview.consent is not None else ()), *preview.facts]
    return Card(
        agent=one_line(call.caller.name),
        identity=one_line(str(call.caller)),
        tool=one_line(call.tool),
        effect=question.effect.value,
        project=one_line(project),
        object=one_line(about.object or preview.path or preview.command or ""),
        kind=one_line(about.kind),
        within=one_line(about.within or preview.place or preview.app or ""),
        place=one_line(place) if (place := preview.place or question.target.place) else UNSET,
        server=one_line(question.target.server) if question.target.server else UNSET,
        reason=visible(about.reason.strip()[:_LONGEST_REASON]),
        risks=tuple(_risks(question)),
        notes=tuple(_notes(question)),
        unseen=UNSET if preview.unseen is None else card_fact("", preview.unseen),
        changed=tuple(_changed(each) for each in preview.changed),
        facts=tuple(card_fact(name, line) for name, value in facts for line in _lines(value)),
        params=tuple(CardFact(name=one_line(name), value=visible(_text(value))) for name, value in params),
        parts=tuple(tuple(map(visible, part)) for part in about.parts),
        digest=question.digest,
    )


def card_fact(name: str, value: str) -> CardFact:
    """Sentences of handrail's become codes, everything else stays as it is."""
    match = phrase(value)
    if match is None:
        return CardFact(name=one_line(name), value=visible(value))
    code, subject = match
    return CardFact(name=one_line(name), code=code, value=visible(subject))


def auto_run_writes(question: Question) -> list[tuple[str, str]]:
    """Files that would be written and that run automatically, each with the reason."""
    if question.effect is not Effect.WRITE:
        return []
    steps = (step.target.path for step in question.target.steps if step.effect is Effect.WRITE)
    return auto_run_files((question.preview.path, *steps))


def _risks(question: Question) -> Iterator[Risk]:
    preview, target = question.preview, question.target
    if preview.about.can_undo:
        yield "undoable"
    place = preview.place or target.place
    if preview.about.leaves or (place is not None and is_elsewhere(place)):
        yield "leaves"
    if auto_run_writes(question) or preview.command is not None or target.program is not None:
        yield "code"
    paths = [preview.path, *(step.target.path for step in target.steps)]
    if any(path is not None and is_secret_path(path) for path in paths):
        yield "secrets"


def _notes(question: Question) -> Iterator[CardFact]:
    preview = question.preview
    for path, why in auto_run_writes(question):
        note = card_fact("runsLater", why)
        yield note if path == preview.path else replace(note, value=visible(path))
    if question.effect is Effect.READ and question.target.is_outside:
        yield CardFact(name="outside")
    elif question.effect is Effect.READ and question.target.is_closed:
        yield CardFact(name="closed")
    if preview.place == ANY_PLACE:
        yield CardFact(name="nameless")
    if preview.consent is not None and question.is_by_rule:
        yield CardFact(name="ruled")
    if preview.consent is not None and question.stale is not None:
        yield CardFact(name="stale", code=question.stale)
    if question.is_critical:
        yield CardFact(name="critical")


def _changed(difference: Difference) -> CardFact:
    fact = card_fact(difference.which, difference.value)
    return replace(fact, of=one_line(difference.name)) if difference.name else fact


def _lines(value: str) -> list[str]:
    """Splits a value into lines if one of them is a sentence of handrail's."""
    lines = value.split("\n")
    return lines if any(phrase(line) for line in lines) else [value]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
