"""What a call is about, as far as a policy's rules can name it."""

from dataclasses import dataclass

ANY_HOST = ""
"""The host of a page that nobody tells: it may be any, so every rule that forbids or asks counts."""


@dataclass(frozen=True, slots=True)
class Target:
    """`host` is lower case, without port, brackets and final dot, international names in their xn-- form."""

    path: str | None = None
    host: str | None = None

    def __str__(self) -> str:
        return self.path or self.host or "an unknown page"
