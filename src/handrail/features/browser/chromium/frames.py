"""Frames of other sites in a page: each lives in a process of its own, and its requests are told to its own session.

Each waits until it is listened to, so that no request of it passes unseen. Workers are left alone: what is told of them
would come too late, and what they may reach is their context's business.
"""

from collections.abc import Callable
from typing import Any

from handrail.features.browser.chromium.launching import Wire

OnEvent = Callable[[str, str, dict[str, Any]], None]
"""Gets the session, the method and the parameters."""
_FRAMES_ALONE = [{"type": "iframe"}]


class ForeignFrames:
    """`on_event` gets what they tell, beside what the page itself does."""

    def __init__(self, wire: Wire, on_event: OnEvent) -> None:
        self._wire = wire
        self._on_event = on_event
        self._sessions: set[str] = set()

    async def watch(self, page: str) -> None:
        await self._wire.ask("Target.setAutoAttach", page, **_ATTACHING)

    def on_event(self, method: str, params: dict[str, Any]) -> None:
        """An event of the page's, or of a frame's that has frames of its own."""
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
