"""What a call is about, as far as a policy's rules can name it."""

from dataclasses import dataclass

ANY_PLACE = ""
"""The place of a page that nobody tells: it may be any, so every rule that forbids or asks counts."""


@dataclass(frozen=True, slots=True)
class Target:
    path: str | None = None
    place: str | None = None
    """On the web: scheme, host and port, as `web_address.Place` spells them."""
    app: str | None = None
    """The id of the desktop app whose window it is."""
    command: str | None = None
    """The command line that would run."""
    server: str | None = None
    """The MCP server behind handrail that would be called."""

    @property
    def where(self) -> str | None:
        """Where a yes for the rest of a task holds: it says nothing about another place or app."""
        return self.app if self.place is None else self.place

    def __str__(self) -> str:
        return self.path or self.where or "an unknown page"


NOWHERE = Target()
"""Of a call that no rule can name by where it acts."""
