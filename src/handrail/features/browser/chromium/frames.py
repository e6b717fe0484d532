"""Frames of other sites in a page, each in its own process and with its own session.

Each frame waits until it is observed, so that none of its requests is missed. Workers are not observed: events about
them come too late, and their context limits what they can reach.
"""

from collections.abc import Callable
from typing import Any

from handrail.features.browser.chromium.launching import Wire

OnEvent = Callable[[str, str, dict[str, Any]], None]
"""Gets the session, the method and the parameters."""
_FRAMES_ALONE = [{"type": "iframe"}]


class ForeignFrames:
    """`on_event` gets their events, together with the page's."""

    def __init__(self, wire: Wire, on_event: OnEvent) -> None:
        self._wire = wire
        self._on_event = on_event
        self._sessions: set[str] = set()

    async def watch(self, page: str) -> None:
        await self._wire.ask("Target.setAutoAttach", page, **_ATTACHING)

    def on_event(self, method: str, params: dict[str, Any]) -> None:
        """An event of the page, or of a frame that has frames itself."""
        if method == "Target.attachedToTarget":
            self._attached(params["sessionId"])
        elif method == "Target.detachedFromTarget":
            self._detached(params["sessionId"])

    def forget(self) -> None:
        for session in tuple(self._sessions):
            self._detached(session)

    def _attached(self, session: str) -> None:
        self._sessions.add(session)

        def told(method: str, params: dict[str, Any]) -> None:
            self.on_event(method, params)
            self._on_event(session, method, params)

        self._wire.listen(session, told)
        self._wire.tell("Fetch.enable", session, patterns=[{"urlPattern": "*"}])
        self._wire.tell("Runtime.enable", session)
        self._wire.tell("Target.setAutoAttach", session, **_ATTACHING)
        self._wire.tell("Runtime.runIfWaitingForDebugger", session)

    def _detached(self, session: str) -> None:
        self._sessions.discard(session)
        self._wire.forget(session)


_ATTACHING = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True, "filter": _FRAMES_ALONE}
