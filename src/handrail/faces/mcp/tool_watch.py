"""Notices changes of the tool list that nobody announces: a new app, developer mode, a project that becomes a game."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from handrail.kernel.registry import Registry
from handrail.kernel.tool import Tool

_LOOK_EVERY_SECONDS = 1.0


class ToolWatch:
    """Looks at the list again and again while `is_needed`, from the first `start` on."""

    def __init__(self, registry: Registry, is_needed: Callable[[], bool], changed: Callable[[], None]) -> None:
        self._registry = registry
        self._is_needed = is_needed
        self._changed = changed
        self._seen: Sequence[Tool[Any, Any]] = ()
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Called when a client gets the list."""
        if self._timer is None:
            self._seen = self._list()
            self._look_later()

    def announce(self) -> None:
        """Tells clients of a change that was announced."""
        self._seen = self._list()
        self._changed()

    def _look(self) -> None:
        self._timer = None
        if not self._is_needed():
            return
        self._look_later()
        if self._list() != self._seen:
            self.announce()

    def _look_later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_LOOK_EVERY_SECONDS, self._look)

    def _list(self) -> Sequence[Tool[Any, Any]]:
        return [entry.tool for entry in self._registry.listed]
