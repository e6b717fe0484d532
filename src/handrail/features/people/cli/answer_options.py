"""Converts the options of `handrail prompts answer` to members of the answer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

import click

if TYPE_CHECKING:
    from handrail.ports.prompts import ChoicePrompt, FileChangePrompt


def taken_parts(prompt: "FileChangePrompt", numbers: Sequence[int], content: BinaryIO | None) -> dict[str, Any]:
    """The parts of a change that `--part` and `--content` select. Without both, all of it is taken."""
    from handrail.kernel.prompts.part_numbers import select_parts

    parts = prompt.parts or ()
    if (numbers or content is not None) and not parts:
        raise click.UsageError("This can only be allowed or denied as a whole.")
    if content is not None:
        if numbers:
            raise click.UsageError("Give --part or --content, not both.")
        try:
            return {"content": content.read().decode()}
        except UnicodeDecodeError:
            raise click.UsageError("--content must be UTF-8 text.") from None
    return select_parts(parts, numbers) if numbers else {}


def selection_of(prompt: "ChoicePrompt", chosen: Sequence[str]) -> list[str] | str:
    """The chosen options, or the prompt's default if none is chosen."""
    default = prompt.default if isinstance(prompt.default, str | tuple) else ()
    if prompt.multiple:
        return list(chosen or default)
    if len(chosen) > 1:
        raise click.UsageError("Only one option can be chosen here: give --choose once.")
    return chosen[0] if chosen else default if isinstance(default, str) else ""


def pairs_of(values: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for value in values:
        key, equals, text = value.partition("=")
        if not equals:
            raise click.UsageError(f"--value {value!r} isn't KEY=VALUE.")
        pairs[key] = text
    return pairs
