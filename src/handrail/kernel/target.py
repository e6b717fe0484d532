"""What a call is about, as far as a policy's rules can name it."""

from dataclasses import dataclass

ANY_HOST = ""
"""The host of a page that nobody tells: it may be any, so every rule that forbids or asks counts."""


@dataclass(frozen=True, slots=True)
class Target:
    """`host` is lower case, without port, brackets and final dot, international names in their xn-- form."""

    path: str | None = None
    host: str | None = None
    app: str | None = None
    """The id of the desktop app whose window it is."""
    command: str | None = None
    """The command line that would run."""
    server: str | None = None
    """The MCP server behind handrail that would be called."""

    @property
    def place(self) -> str | None:
        """Where a yes for the rest of a task holds: it says nothing about another host or app."""
        return self.app if self.host is None else self.host

    def __str__(self) -> str:
        return self.path or self.place or "an unknown page"


NOWHERE = Target()
"""Of a call that no rule can name by where it acts."""
