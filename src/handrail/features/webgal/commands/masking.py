"""Texts that are shown as stars wherever they are printed, also where only a piece of the output is at hand."""

from collections.abc import Sequence

_STARS = b"******"


class Mask:
    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [text.encode() for text in sorted(texts, key=len, reverse=True)]

    def hidden(self, data: bytes) -> bytes:
        for text in self._texts:
            data = data.replace(text, _STARS)
        return data

    def without_loose_end(self, data: bytes) -> bytes:
        """Up to where a text may have begun whose rest is not at hand."""
        while size := max((_begun(text, data) for text in self._texts), default=0):
            data = data[:-size]  # what is left may end in the beginning of one again
        return data

    def without_loose_start(self, data: bytes) -> bytes:
        """From where no text goes on that began before."""
        while size := max((_begun(text[::-1], data[::-1]) for text in self._texts), default=0):
            data = data[size:]
        return data


def _begun(text: bytes, data: bytes) -> int:
    """How many bytes of a text the data ends with, where that is not the whole text."""
    tail = data[-len(text) + 1 :] if len(text) > 1 else b""
    return next((len(tail) - at for at in range(len(tail)) if text.startswith(tail[at:])), 0)
