"""Stretches of the prompt log as entries, in its order, for those who look on. What is pending is not known here."""

from handrail.kernel.prompts.entries import read_entry
from handrail.ports.journal import Journal
from handrail.ports.prompts import Entry, Page

_FIRST_LOOK_BACK = 1 << 18


class PromptPages:
    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def newest(self, limit: int | None) -> Page:
        """As many as can be read; without a limit, all."""
        size = self._journal.glimpse().size or 0
        if limit is None:
            return self._page(0, size)
        back = _FIRST_LOOK_BACK
        while True:
            start = max(0, size - back)
            page = self._page(start, size, is_line_start=start == 0)
            if start == 0 or len(page.entries) >= limit:
                first = max(0, len(page.entries) - limit)
                return Page(page.entries[first:], page.position, places=page.places[first:])
            back *= 4

    def before(self, place: int, limit: int) -> Page:
        """The entries that begin before `place`: `limit` of them, or the few more at hand, or all that there are."""
        end = min(place, self._journal.glimpse().size or 0)
        back = _FIRST_LOOK_BACK
        while True:
            start = max(0, end - back)
            page = self._page(start, end, is_line_start=start == 0)
            if start == 0 or len(page.entries) >= limit:
                return Page(page.entries, page.places[0] if start and page.places else 0, places=page.places)
            back *= 4

    def since(self, position: int) -> Page:
        """What came after a page that ended at `position`."""
        size = self._journal.glimpse().size or 0
        if self._is_between_lines(position, size):
            return self._page(position, size)
        page = self._page(0, size)
        return Page(page.entries, page.position, is_restart=True, places=page.places)

    def _is_between_lines(self, position: int, size: int) -> bool:
        """False where another log has come, or other lines in place of those that a failing disk took back."""
        if position in (0, size):
            return True
        return b"\n" in b"".join(self._journal.lines(position - 1, until=min(position + 1, size)))

    def _page(self, start: int, size: int, *, is_line_start: bool = True) -> Page:
        entries: list[Entry] = []
        places: list[int] = []
        position = start
        for line in self._journal.lines(start, until=size):
            entry = read_entry(line) if is_line_start else None
            is_line_start = True
            if entry is None and not line.endswith(b"\n"):
                break  # torn, or still being written
            if entry is not None:
                entries.append(entry)
                places.append(position)
            position += len(line)
        return Page(entries, position, places=places)
