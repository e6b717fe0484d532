"""Whoever answers in the server's place, a scene is shown, and `whereabouts` says why the server does not.

The server is a stand-in: an older or newer one can't be installed beside ours.
"""

import asyncio
import json
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

import msgspec
import pytest

from handrail.features.webgal.opening import server_first
from handrail.features.webgal.preview_ports import Destination, Position, ShownScene
from handrail.features.webgal.previews.preview_session import PreviewSession
from handrail.kernel.approval import NoApprover
from handrail.ports.errors import NotShown, Timeout
from handrail.stores.local.state import open_state
from handrail.wiring import Wiring

pytestmark = pytest.mark.anyio
OWN = ShownScene("http://127.0.0.1:1/own/", Position("start.txt", 1, {}), b"own", [], [], [], 0.1, "By itself.")
THEIRS = ShownScene(
    "http://127.0.0.1:1/up/", Position("start.txt", 1, {"a": 1}), b"\x89PNG", ["x"], [], [], 0.1, "By up."
)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class OwnSession(PreviewSession):
    def __init__(self) -> None:
        """Nothing is started."""

    async def show(self, game: str, destination: Destination, fetched_ahead: Collection[str] = ()) -> ShownScene:
        return OWN


async def shown(tmp_path: Path, status: int | None, body: Any) -> tuple[ShownScene, Any]:
    """By a process beside a server that gives this answer, or hangs up; and what that server was asked."""
    requests: list[Any] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(head.lower().partition("content-length: ")[2].partition("\r\n")[0])
        requests.append(json.loads(await reader.readexactly(length)))
        if status is not None:
            text = body if isinstance(body, bytes) else msgspec.json.encode(body)
            writer.write(b"HTTP/1.1 %d X\r\ncontent-length: %d\r\n\r\n" % (status, len(text)) + text)
        writer.close()

    state = open_state(tmp_path / "state")
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    address = {"pid": os.getpid(), "host": "127.0.0.1", "port": server.sockets[0].getsockname()[1], "token": "t" * 43}
    (state.path / "server.json").write_text(json.dumps(address))
    try:
        project = Wiring().open_project(tmp_path, tmp_path / "state", NoApprover())
        previews = server_first(project, OwnSession())
        return await previews.show("game", Destination("a b/start.txt", 3, "雪乃:未保存;"), ["x.png"]), requests[0]
    finally:
        server.close()
        project.close()
        state.close()


def refusal(code: str, message: str, **details: Any) -> dict[str, Any]:
    return {"ok": False, "error": {"code": code, "message": message, "details": details}}


async def test_the_servers_preview_is_returned_in_full_and_unsaved_content_is_sent_along(tmp_path: Path) -> None:
    showing, requests = await shown(tmp_path, 200, {"ok": True, "data": THEIRS})
    assert showing == THEIRS
    assert (requests["path"], requests["line"], requests["content"]) == ("game/scene/a b/start.txt", 3, "雪乃:未保存;")
    assert requests["fetchedAhead"] == ["x.png"]
    assert requests["ground"]["project"] == str(tmp_path)


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (None, b"", "By itself."),
        (409, refusal("CONFLICT", "It is another's."), "By itself. It is another's."),
        (404, refusal("NOT_FOUND", "There is nothing at this path."), "another version"),
        (401, refusal("UNAUTHORIZED", "This needs a token."), "By itself. This needs a token."),
        (200, {"ok": True, "data": {"url": 1}}, "another version"),
        (500, b"\xff", "another version"),
        (500, b"[]", "another version"),
    ],
)
async def test_if_the_server_cannot_show_a_preview_the_process_does_and_reports_why(
    tmp_path: Path, status: int | None, body: Any, message: str
) -> None:
    showing, _ = await shown(tmp_path, status, body)
    assert showing.picture == b"own"
    assert message in showing.whereabouts


async def test_a_scene_that_the_server_could_not_show_is_not_tried_again(tmp_path: Path) -> None:
    failed = {"code": "E_PREVIEW_FAIL", "message": "No.", "hint": "Yes.", "details": {"near": ["a"]}}
    with pytest.raises(NotShown) as raised:
        await shown(tmp_path, 503, refusal("UNAVAILABLE", "No.", toolError=failed))
    assert (raised.value.message, raised.value.hint, raised.value.details) == ("No.", "Yes.", {"near": ["a"]})
    late = {"code": "E_TIMEOUT", "message": "Late."}
    with pytest.raises(Timeout):
        await shown(tmp_path, 503, refusal("UNAVAILABLE", "Late.", toolError=late))
