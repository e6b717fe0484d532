"""What we offer as the owner of a selection: answers those who ask, large contents in parts.

Refuses to know why something is offered. `allows` decides who gets it: a text for one program is not for its history.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from Xlib import X
from Xlib.protocol import event as events

from handrail.features.desktop.backends.x11.selection import Content, SelectionWindow

_PART = 128 * 1024
"""Below the 256 KiB that every X server takes in one request."""


class Offer:
    def __init__(
        self,
        selection: SelectionWindow,
        contents: Mapping[int, Content],
        owned_since: int,
        *,
        allows: Callable[[int], bool] = lambda _: True,
    ) -> None:
        self.contents = contents
        self.asked = asyncio.Event()
        """Somebody who is allowed has begun to take a content."""
        self.taken = asyncio.Event()
        """Somebody who is allowed has all of it."""
        self._selection = selection
        self.owned_since = owned_since
        self._allows = allows
        self._unfinished: dict[tuple[int, int], tuple[Content, int]] = {}
        self._targets, self._timestamp, self._multiple, self._incr, self._atom_type, self._pairs = (
            selection.atom(name) for name in ("TARGETS", "TIMESTAMP", "MULTIPLE", "INCR", "ATOM", "ATOM_PAIR")
        )

    def answer(self, request: Any) -> None:
        """Tells the requestor where its answer is, or that there is none."""
        place = request.property or request.target
        is_given = self._allows(request.requestor.id) and self._give(request.requestor, request.target, place)
        request.requestor.send_event(
            events.SelectionNotify(
                time=request.time,
                requestor=request.requestor,
                selection=request.selection,
                target=request.target,
                property=place if is_given else X.NONE,
            )
        )
        self._selection.display.flush()

    def go_on(self, deleted: Any) -> None:
        """The requestor has taken a part away: the next one, and after the last an empty one."""
        key = (deleted.window.id, deleted.atom)
        if (unfinished := self._unfinished.get(key)) is None:
            return
        content, at = unfinished
        part = content.value[at : at + _PART]
        deleted.window.change_property(deleted.atom, content.type, 8, part)
        if part:
            self._unfinished[key] = (content, at + len(part))
        else:
            del self._unfinished[key]
            self.taken.set()
        self._selection.display.flush()

    def _give(self, requestor: Any, target: int, place: int) -> bool:
        if target == self._targets:
            known = [self._targets, self._timestamp, self._multiple, *self.contents]
            requestor.change_property(place, self._atom_type, 32, known)
            return True
        if target == self._timestamp:
            requestor.change_property(place, self._selection.atom("INTEGER"), 32, [self.owned_since])
            return True
        if target == self._multiple:
            return self._give_several(requestor, place)
        if (content := self.contents.get(target)) is None:
            return False
        self.asked.set()
        if content.format == 8 and content.size > _PART:
            requestor.change_attributes(event_mask=X.PropertyChangeMask)
            requestor.change_property(place, self._incr, 32, [content.size])
            self._unfinished[requestor.id, place] = (content, 0)
        else:
            requestor.change_property(place, content.type, content.format, content.value)
            self.taken.set()
        return True

    def _give_several(self, requestor: Any, place: int) -> bool:
        asked = requestor.get_full_property(place, X.AnyPropertyType)
        if asked is None or asked.format != 32:
            return False
        pairs = list(asked.value)
        for at in range(0, len(pairs) - 1, 2):
            if pairs[at] == self._multiple or not self._give(requestor, pairs[at], pairs[at + 1]):
                pairs[at + 1] = X.NONE
        requestor.change_property(place, self._pairs, 32, pairs)
        return True
