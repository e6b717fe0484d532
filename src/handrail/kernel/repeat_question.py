"""Repeats a question when what a person approved has changed before it was done."""

from collections.abc import Sequence
from dataclasses import replace

from handrail.kernel.tool import Difference, Preview

MAX_REPEATS = 2
"""A page that changes every time doesn't deserve more questions."""

NEAR = "Something near it has changed that the question does not quote."


def repeat_question(before: Preview, now: Preview, times: int) -> Preview:
    """The new preview with its differences from the old one. Earlier pictures stay in the evidence."""
    pictures = [replace(picture, name=evidence_name(picture.name, times)) for picture in now.pictures]
    return replace(now, changed=differences(before, now) or (Difference("", "", NEAR),), pictures=pictures)


def evidence_name(name: str, times: int) -> str:
    """The name of a file of evidence for a repeated question, next to the first question's file."""
    return f"again-{times}-{name}" if times else name


def differences(before: Preview, now: Preview) -> Sequence[Difference]:
    """What is gone and what is new in the facts that the question quotes."""
    was, is_now = _facts(before), _facts(now)
    gone = [Difference("was", *fact) for fact in was if fact not in is_now]
    return (*gone, *(Difference("now", *fact) for fact in is_now if fact not in was))


def _facts(preview: Preview) -> list[tuple[str, str]]:
    about = preview.about
    own = (("object", about.object), ("kind", about.kind), ("within", about.within))
    return [*((name, value) for name, value in own if value), *preview.facts]
