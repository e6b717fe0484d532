"""Runs numbered migration steps from an older version to the current one, and refuses newer versions."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from handrail.ports.errors import Unsupported

T = TypeVar("T")
Step = Callable[[T], None]


class NewerState(Unsupported):
    """A newer handrail wrote this; this version must not change it."""

    recoverable = False


def steps_from(version: int, steps: Sequence[Step[T]], what: str) -> Iterator[tuple[int, Step[T]]]:
    """The remaining steps, each with the version that it leads to."""
    if version > len(steps):
        raise NewerState(
            f"{what} has format {version}; this version supports formats up to {len(steps)}.",
            hint="A newer handrail wrote it. Update handrail, or use another folder with --state.",
            format=version,
            known=len(steps),
        )
    return ((number, step) for number, step in enumerate(steps, 1) if number > version)
