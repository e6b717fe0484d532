"""Leaves out commands that only an older engine knows: a newer one shows them as dialogue."""

from collections.abc import Collection

from handrail.features.webgal.script.commands import COMMANDS, SAY
from handrail.features.webgal.script.parser import read_line, split_lines


def without_older_commands(text: str, known: Collection[str]) -> tuple[str, list[str]]:
    """Returns the text with these lines as comments, and the commands. `known` are those of the older engine."""
    older = set(known) - COMMANDS.keys()
    lines, left_out = split_lines(text), dict[str, None]()
    for index, line in enumerate(lines):
        sentence = read_line(line)
        if sentence.command == SAY and sentence.raw in older:
            lines[index] = f";{line}"
            left_out[sentence.raw] = None
    return "\n".join(lines) if left_out else text, [*left_out]
