"""Answers of long ago, and what was asked: read from the log when somebody pages that far, and not kept."""

from collections.abc import Collection

from handrail.ports.prompts import Entry, PromptQueue, RequestEntry, ResponseEntry

Placed = tuple[int, Entry]

_ENTRIES_AN_ANSWER = 3  # a little more than the two that there usually are
_AT_ONCE = 500
_MOST_SEARCHED = 20_000


async def responses_before(queue: PromptQueue, place: int, limit: int) -> tuple[list[Placed], bool]:
    """The newest `limit`, in the order of the log, and whether there may be more."""
    found: dict[str, Placed] = {}
    while place > 0 and len(found) < limit:
        page = await queue.older(place, limit * _ENTRIES_AN_ANSWER)
        place = page.position
        for placed in zip(reversed(page.places), reversed(page.entries), strict=True):
            if isinstance(placed[1], ResponseEntry):
                found.pop(placed[1].request_id, None)  # of several, the first counts
                found[placed[1].request_id] = placed
    newest = list(found.values())[:limit]
    return newest[::-1], place > 0 or len(newest) < len(found)


async def requests_before(queue: PromptQueue, place: int, wanted: Collection[str]) -> list[Placed]:
    """Those of the `wanted` ids. One that lies too far back, or that nobody wrote, is left out."""
    found: dict[str, Placed] = {}
    searched = 0
    while place > 0 and len(found) < len(wanted) and searched < _MOST_SEARCHED:
        page = await queue.older(place, _AT_ONCE)
        place = page.position
        searched += len(page.entries)
        for placed in zip(page.places, page.entries, strict=True):
            if isinstance(placed[1], RequestEntry) and placed[1].request_id in wanted:
                found.setdefault(placed[1].request_id, placed)
    return list(found.values())
