"""What a program prints, for somebody who watches: each line once, when it is complete and shows no secret's piece."""

from handrail.features.webgal.commands.masking import Mask
from handrail.features.webgal.commands.printed_lines import printed_lines

_MOST_BYTES = 16 * 1024


class ToldLines:
    def __init__(self, mask: Mask) -> None:
        self._mask = mask
        self._untold = b""
        self._is_cut = False

    def add(self, chunk: bytes) -> None:
        self._untold += chunk
        if len(self._untold) > _MOST_BYTES:
            self._untold, self._is_cut = self._untold[-_MOST_BYTES:], True

    def take(self, most: int) -> str:
        """The last lines that have been completed since they were last taken."""
        told = _whole_lines(self._untold)
        while (safe := _whole_lines(self._mask.without_loose_end(told))) != told:
            told = safe  # a secret may have several lines
        if not told:
            return ""
        self._untold = self._untold[len(told) :]
        if self._is_cut:
            told, self._is_cut = self._mask.without_loose_start(told).partition(b"\n")[2], False
        return "\n".join(printed_lines(self._mask.hidden(told))[-most:])


def _whole_lines(data: bytes) -> bytes:
    return data[: data.rfind(b"\n") + 1]
