"""The target of a call, as far as policy rules can name it."""

import msgspec

from handrail.kernel.visible import one_line
from handrail.ports.effect import Effect

_LONGEST_LABEL = 200
_MOST_NAMED = 3

ANY_PLACE = ""
"""The place of an unknown page. It may be any place, so every rule that denies or asks applies."""


class Target(msgspec.Struct, frozen=True):
    path: str | None = None
    place: str | None = None
    """On the web: scheme, host and port, as in `web_address.Place`."""
    app: str | None = None
    """The id of the desktop app whose window it is."""
    command: str | None = None
    """The command line that would run."""
    server: str | None = None
    """The MCP server behind handrail that would be called."""
    listed_as: str | None = None
    """The tool's name in lists for agents, if it is another one; rules may use either."""
    is_outside: bool = False
    """`path` is absolute and outside the project."""
    is_closed: bool = False
    """In a folder that the policy closes, such as `.git`; even reading asks there, unless it is refused."""
    program: tuple[str, ...] | None = None
    """A program that would be started, with its arguments; empty if that is known only when it runs."""
    steps: tuple["Step", ...] = ()
    """The steps of a command; the strictest verdict about a step applies to the whole."""

    @property
    def where(self) -> str | None:
        """The place or app to which an approval for the rest of a task is limited."""
        return self.app if self.place is None else self.place

    @property
    def label(self) -> str | None:
        """The target in the audit and in lists of calls; long commands are shortened."""
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

    `is_certain`: it does exactly this. Rules that allow apply only then.
    """

    effect: Effect
    target: Target
    is_certain: bool = True


NOWHERE = Target()
"""The target of a call that has none that a rule could name."""
