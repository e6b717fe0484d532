"""Logs requests of the prompt log that can't be read, up to a limit per minute.

Any program may write to that log. Without a limit, it could fill the server's log, or block a server whose log isn't
read by anyone.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence

from handrail.kernel.visible import one_line
from handrail.ports.prompt_entries import Entry, ResponseEntry
from handrail.ports.prompt_queue import QueuedPrompt
from handrail.ports.prompts import UnreadablePrompt

MAX_PER_MINUTE = 20

logger = logging.getLogger(__name__)


class UnreadableLog:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._minute = -1
        self._logged = 0

    def note(self, entries: Sequence[Entry | QueuedPrompt], nameless: Sequence[int] = ()) -> None:
        minute = int(self._clock() // 60)
        if minute != self._minute:
            self._minute, self._logged = minute, 0
        for text in _texts(entries, nameless):
            if self._logged > MAX_PER_MINUTE:
                return
            if self._logged == MAX_PER_MINUTE:
                text = "more requests in the prompt log can't be read; no more are logged in this minute"
            self._logged += 1
            logger.warning("%s", text)


def _texts(entries: Sequence[Entry | QueuedPrompt], nameless: Sequence[int]) -> Iterator[str]:
    for each in entries:
        prompt = each.response if isinstance(each, ResponseEntry) else each.prompt
        if isinstance(prompt, UnreadablePrompt):
            name = one_line(each.request_id)
            yield f"the request {name} in the prompt log is shown as it is, to be canceled: {prompt.reason}"
    for place in nameless:
        yield f"a request in the prompt log (byte {place}) can't be answered: it has no usable requestId"
