"""What a call is about, as far as a policy's rules can name it."""

import msgspec

from handrail.kernel.visible import one_line
from handrail.ports.effect import Effect

_LONGEST_LABEL = 200
_MOST_NAMED = 3

ANY_PLACE = ""
"""The place of a page that nobody tells: it may be any, so every rule that forbids or asks counts."""


class Target(msgspec.Struct, frozen=True):
    path: str | None = None
    place: str | None = None
    """On the web: scheme, host and port, as `web_address.Place` spells them."""
    app: str | None = None
    """The id of the desktop app whose window it is."""
    command: str | None = None
    """The command line that would run."""
    server: str | None = None
    """The MCP server behind handrail that would be called."""
    listed_as: str | None = None
    """What agents call the tool, where that isn't its name: a rule may have either."""
    is_outside: bool = False
    """`path` is absolute, and not in the project."""
    is_closed: bool = False
    """In a folder that the policy closes, such as `.git`: reading asks there too, where it isn't refused."""
    program: tuple[str, ...] | None = None
    """A program that would be started, and its arguments; empty where it is known only when it runs."""
    steps: tuple["Step", ...] = ()
    """What a command does, one by one: the strictest of them counts for the whole."""

    @property
    def where(self) -> str | None:
        """Where a yes for the rest of a task holds: it says nothing about another place or app."""
        return self.app if self.place is None else self.place

    @property
    def label(self) -> str | None:
        """What the audit and lists of calls say it was about; of a long command the beginning."""
        if self.path or self.where:
            return self.path or self.where
        if self.command is None:
            paths = list(dict.fromkeys(step.target.path for step in self.steps if step.target.path))
            return ", ".join([*paths[:_MOST_NAMED], *(["…"] if len(paths) > _MOST_NAMED else [])]) or None
        line = one_line(self.command)
        return line if len(line) <= _LONGEST_LABEL else f"{line[: _LONGEST_LABEL - 1]}…"

    def __str__(self) -> str:
        return self.path or self.where or " ".join(self.program or ()) or "an unknown page"


class Step(msgspec.Struct, frozen=True):
    """A part of a command: a program, or a file or place that it names.

    `is_certain`: it does just what is said here. A rule that allows counts for nothing else.
    """

    effect: Effect
    target: Target
    is_certain: bool = True


NOWHERE = Target()
"""Of a call that no rule can name by where it acts."""
