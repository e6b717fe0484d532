"""Scenes shown by the `handrail up` that runs, so that their addresses and the page that shows them outlive a call."""

import posixpath
from collections.abc import Collection

import msgspec

from handrail.features.browser.offers import RunningServer, ServerAnswer
from handrail.features.webgal.preview_ports import (
    SHOWING_PATH,
    Destination,
    NotHosted,
    PreviewContext,
    Showing,
    WantedScene,
)
from handrail.kernel.dialect import failure_of
from handrail.ports.errors import Failure

_NOT_FOUND = 404
_SCENES = "scene"


class RemotePreviews:
    """`context` is where this process stands, which the server must, too."""

    def __init__(self, server: RunningServer, context: PreviewContext) -> None:
        self._server = server
        self._context = context

    async def show(self, game: str, destination: Destination, fetched_ahead: Collection[str]) -> Showing:
        """Offline: no server runs, or it has ended. NotHosted: it does not show this. NotShown, Timeout, Declined."""
        path = posixpath.normpath(posixpath.join(game, _SCENES, destination.scene))
        wanted = WantedScene(self._context, path, destination.line, destination.content, [*fetched_ahead])
        headers = {"Content-Type": "application/json"}
        answer = await self._server.ask("POST", SHOWING_PATH, msgspec.json.encode(wanted), headers)
        if answer.status != 200:
            raise _failure(answer)
        try:
            return msgspec.json.decode(answer.body, type=_Shown).data
        except msgspec.DecodeError:
            raise _strange() from None


class _Shown(msgspec.Struct):
    data: Showing


def _failure(answer: ServerAnswer) -> Failure:
    """What the scene came to stands in `toolError`; whatever else is said, the server does not show it."""
    try:
        error = msgspec.json.decode(answer.body)["error"]
        told = error["details"].get("toolError")
        if told is not None:
            return failure_of(told)
        if answer.status == _NOT_FOUND:
            return _strange()
        return NotHosted(error["message"])
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError):
        return _strange()


def _strange() -> NotHosted:
    return NotHosted("`handrail up` runs in another version and does not show it.")
