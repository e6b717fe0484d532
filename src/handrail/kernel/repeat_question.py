"""Questioner a person again: what they said yes to has changed before it was done, and nothing was done."""

from collections.abc import Sequence
from dataclasses import replace

from handrail.kernel.tool import Difference, Preview

MAX_REPEATS = 2
"""A page that changes each time is not worth a third question."""

NEAR = "Something near it has changed that the question does not quote."


def repeat_question(before: Preview, now: Preview, times: int) -> Preview:
    """The same question with what has changed since. Earlier pictures stay among the evidence."""
    pictures = [replace(picture, name=evidence_name(picture.name, times)) for picture in now.pictures]
    return replace(now, changed=differences(before, now) or (Difference("", "", NEAR),), pictures=pictures)


def evidence_name(name: str, times: int) -> str:
    """A file of the evidence where a person was asked again so many times: one of each, beside the first."""
    return f"again-{times}-{name}" if times else name


def differences(before: Preview, now: Preview) -> Sequence[Difference]:
    """What was there and is not any more, and what is there instead; empty where none of it is quoted."""
    was, is_now = _facts(before), _facts(now)
    gone = [Difference("was", *fact) for fact in was if fact not in is_now]
    return (*gone, *(Difference("now", *fact) for fact in is_now if fact not in was))


def _facts(preview: Preview) -> list[tuple[str, str]]:
    about = preview.about
    own = (("object", about.object), ("kind", about.kind), ("within", about.within))
    return [*((name, value) for name, value in own if value), *preview.facts]
