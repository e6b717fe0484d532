"""Frames of other sites in a page, each with its own process and DevTools session.

Each frame waits until it is observed, so that no request is missed. Workers aren't observed: events about them come too
late, and their browser context limits what they can reach.
"""

from collections.abc import Callable
from typing import Any

from handrail.features.browser.chromium.launching import DevToolsPipe

OnEvent = Callable[[str, str, dict[str, Any]], None]
"""Called with the session, the method and the parameters."""
_ONLY_FRAMES = [{"type": "iframe"}]


class ForeignFrames:
    """`on_event` gets their events."""

    def __init__(self, pipe: DevToolsPipe, on_event: OnEvent) -> None:
        self._pipe = pipe
        self._on_event = on_event
        self._sessions: set[str] = set()

    async def watch(self, page: str) -> None:
        await self._pipe.ask("Target.setAutoAttach", page, **_ATTACHING)

    def on_event(self, method: str, params: dict[str, Any]) -> None:
        """Handles an event of the page, or of a frame that has frames itself."""
        if method == "Target.attachedToTarget":
            self._attached(params["sessionId"])
        elif method == "Target.detachedFromTarget":
            self._detached(params["sessionId"])

    def forget(self) -> None:
        for session in tuple(self._sessions):
            self._detached(session)

    def _attached(self, session: str) -> None:
        self._sessions.add(session)

        def handle(method: str, params: dict[str, Any]) -> None:
            self.on_event(method, params)
            self._on_event(session, method, params)

        self._pipe.listen(session, handle)
        self._pipe.send("Fetch.enable", session, patterns=[{"urlPattern": "*"}])
        self._pipe.send("Runtime.enable", session)
        self._pipe.send("Target.setAutoAttach", session, **_ATTACHING)
        self._pipe.send("Runtime.runIfWaitingForDebugger", session)

    def _detached(self, session: str) -> None:
        self._sessions.discard(session)
        self._pipe.forget(session)


_ATTACHING = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True, "filter": _ONLY_FRAMES}
