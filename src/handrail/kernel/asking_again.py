"""Asking a person again: what they said yes to has changed before it was done, and nothing was done."""

from collections.abc import Sequence
from dataclasses import replace

from handrail.kernel.tool import Preview

MOST_TIMES = 2
"""A page that changes each time is not worth a third question."""

_UNTOLD = "Something near it has changed that the question does not quote."


def asked_again(before: Preview, now: Preview, times: int) -> Preview:
    """The same question with what has changed since. Earlier pictures stay among the evidence."""
    pictures = [replace(picture, name=evidence_name(picture.name, times)) for picture in now.pictures]
    return replace(now, changed=differences(before, now), pictures=pictures)


def evidence_name(name: str, times: int) -> str:
    """A file of the evidence where a person was asked again so many times: one of each, beside the first."""
    return f"again-{times}-{name}" if times else name


def differences(before: Preview, now: Preview) -> Sequence[str]:
    """One line for each: what was there and is not any more, and what is there instead."""
    was, is_now = _lines(before), _lines(now)
    gone = [f"was: {line}" for line in was if line not in is_now]
    new = [f"now: {line}" for line in is_now if line not in was]
    return (*gone, *new) or (_UNTOLD,)


def _lines(preview: Preview) -> list[str]:
    return [preview.summary, *(f"{name}: {value}" for name, value in preview.facts)]
