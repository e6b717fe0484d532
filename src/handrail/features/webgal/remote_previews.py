"""Scenes shown by the running `handrail up`, so that their addresses and pages outlive a call."""

import posixpath
from collections.abc import Collection

import msgspec

from handrail.features.browser.offers import RunningServer, ServerAnswer
from handrail.features.webgal.preview_ports import (
    SHOWING_PATH,
    Destination,
    NotHosted,
    PreviewContext,
    SceneRequest,
    ShownScene,
)
from handrail.kernel.dialect import failure_of
from handrail.ports.errors import Failure
from handrail.ports.unreadable_json import UNREADABLE_JSON

_NOT_FOUND = 404
_SCENES = "scene"


class RemotePreviews:
    """`context` is this process's; the server's must be equal."""

    def __init__(self, server: RunningServer, context: PreviewContext) -> None:
        self._server = server
        self._context = context

    async def show(self, game: str, destination: Destination, fetched_ahead: Collection[str]) -> ShownScene:
        """Raises Offline if no server runs, or it has ended.

        Raises NotHosted if it doesn't show this scene, otherwise NotShown, Timeout, Declined.
        """
        path = posixpath.normpath(posixpath.join(game, _SCENES, destination.scene))
        request = SceneRequest(
            self._context, path, destination.line, destination.content, [*fetched_ahead], destination.as_jpeg
        )
        headers = {"Content-Type": "application/json"}
        answer = await self._server.ask("POST", SHOWING_PATH, msgspec.json.encode(request), headers)
        if answer.status != 200:
            raise _failure(answer)
        try:
            return msgspec.json.decode(answer.body, type=_Shown).data
        except UNREADABLE_JSON:
            raise _version_mismatch() from None


class _Shown(msgspec.Struct):
    data: ShownScene


def _failure(answer: ServerAnswer) -> Failure:
    """`toolError` describes how showing the scene failed. Any other error means that the server doesn't show it."""
    try:
        error = msgspec.json.decode(answer.body)["error"]
        tool_error = error["details"].get("toolError")
        if tool_error is not None:
            return failure_of(tool_error)
        if answer.status == _NOT_FOUND:
            return _version_mismatch()
        return NotHosted(error["message"])
    except (KeyError, TypeError, AttributeError, *UNREADABLE_JSON):
        return _version_mismatch()


def _version_mismatch() -> NotHosted:
    return NotHosted("`handrail up` runs another version and does not show it.")
