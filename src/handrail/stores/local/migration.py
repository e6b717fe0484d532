"""Migrations: numbered steps from any older version to the current one, and an error for a newer one."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from handrail.ports.errors import Unsupported

T = TypeVar("T")
Step = Callable[[T], None]


class NewerState(Unsupported):
    """A newer handrail wrote this; this version must not touch it."""

    recoverable = False


def steps_from(version: int, steps: Sequence[Step[T]], what: str) -> Iterator[tuple[int, Step[T]]]:
    """The steps that are left, each with the version that it leads to."""
    if version > len(steps):
        raise NewerState(
            f"{what} has format {version}; this program knows formats up to {len(steps)}.",
            hint="It was made by a newer handrail: update this one, or name another folder with --state.",
            format=version,
            known=len(steps),
        )
    return ((number, step) for number, step in enumerate(steps, 1) if number > version)
