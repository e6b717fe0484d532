"""The port to a regular-expression replacer."""

from collections.abc import Callable
from typing import Protocol


class Replacer(Protocol):
    def replace(
        self, text: bytes, pattern: str, replacement: bytes, checkpoint: Callable[[], None]
    ) -> tuple[bytes, int]:
        """The text with every match replaced, and how many there were.

        The replacement may use $1, $<name>, $& and $$. InvalidParams: the pattern does not compile; TooLarge: the
        result has no bounds. `checkpoint` is called again and again where it takes long; when it raises, it is over.
        """
        ...
