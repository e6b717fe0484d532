"""Who may write to the agent of a team, over a real console's socket."""

import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import socketio

from handrail.kernel.task_ids import new_task_id
from tests.features.team.servers import Person, Team
from tests.waiting import PATIENCE


@asynccontextmanager
async def socket_of(person: Person) -> AsyncIterator[socketio.AsyncClient]:
    """The console's socket, on a WebSocket only."""
    client, url = socketio.AsyncClient(reconnection=False), str(person.http.base_url)
    cookie = "; ".join(f"{name}={value}" for name, value in person.http.cookies.items())
    auth = {"clientType": "frontend", "page": person.http.headers["x-handrail-page"]}
    headers = {"Cookie": cookie, "Origin": person.http.headers["origin"]}
    await client.connect(url, namespaces=["/mimo"], auth=auth, headers=headers, transports=["websocket"])
    try:
        yield client
    finally:
        await client.disconnect()


async def start_run(client: socketio.AsyncClient, script: Path) -> Any:
    message = {"v": 1, "type": "user_message", "id": f"evt-{secrets.token_hex(4)}", "taskId": new_task_id(),
               "content": "Begin.", "model": f"script:{script}"}  # fmt: skip
    return await client.call("frontend_message", message, namespace="/mimo", timeout=PATIENCE)


async def test_a_viewer_starts_no_run_over_a_websocket(shared: Team) -> None:
    viewer = Person(shared.servers[0].url, shared.token("looks-on", "viewer"))
    script = shared.where / "none.json"
    script.write_text(json.dumps({"turns": [{"text": "Done."}]}))
    async with socket_of(viewer) as client:
        answer = await start_run(client, script)
    assert answer["error"]["code"] == "FORBIDDEN", answer
