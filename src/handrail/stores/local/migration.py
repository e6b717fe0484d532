"""Versions of what is stored: numbered steps from any older one to today's, and a clear stop before a newer one."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from handrail.ports.errors import Unsupported

T = TypeVar("T")
Step = Callable[[T], None]


class NewerState(Unsupported):
    """What is stored was made by a newer handrail; this one must not touch it."""

    recoverable = False


def steps_from(version: int, steps: Sequence[Step[T]], what: str) -> Iterator[tuple[int, Step[T]]]:
    """(the version that a step leads to, the step) for each step that is still to be taken."""
    if version > len(steps):
        raise NewerState(
            f"{what} has format {version}; this program knows formats up to {len(steps)}.",
            hint="It was made by a newer handrail: update this one, or name another folder with --state.",
            format=version,
            known=len(steps),
        )
    return ((number, step) for number, step in enumerate(steps, 1) if number > version)
