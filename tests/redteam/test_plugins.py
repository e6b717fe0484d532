"""Programs that pretend to be a browser: only the token that a browser was paired with identifies it."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
import socketio

from handrail.kernel.task_ids import new_task_id
from handrail.ports.browser import EXTENSION_ORIGIN
from tests.credentials import browser_token
from tests.faces.http.listener import Listener
from tests.redteam.agents_rig import Rig, rig_in

PAIRED = "plugin-of-the-person"


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with rig_in(tmp_path_factory.mktemp("plugins")) as rig:
        yield rig


class _At:
    def __init__(self, address: str) -> None:
        self.address = address


async def joined(rig: Rig, **auth: Any) -> Listener:
    """A raw client that claims to be a browser."""
    client = Listener()
    given = {"clientType": "plugin", "skipAuthorization": True, "allowOtherClient": True, **auth}
    try:
        await client.connect(
            _At(rig.address),  # type: ignore[arg-type]
            auth=given,
            headers={"origin": EXTENSION_ORIGIN},
            transports=["websocket"],
        )
    except socketio.exceptions.ConnectionError:
        await client.close()
        raise
    return client


def stays_out(rig: Rig, **auth: Any) -> bool:
    async def run() -> bool:
        try:
            client = await joined(rig, **auth)
        except socketio.exceptions.ConnectionError:
            return True
        await client.close()
        return False

    return asyncio.run(run())


@pytest.mark.parametrize("client_id", ["plugin-of-nobody", PAIRED])
def test_no_other_token_joins_as_a_browser_also_while_that_browser_is_away(rig: Rig, client_id: str) -> None:
    own = browser_token(rig.state, PAIRED)
    other = browser_token(rig.state, "another-browser")
    for token in (rig.server["token"], rig.issue(f"agent-{client_id}"), other, "", None):
        assert stays_out(rig, token=token, clientId=client_id)
    assert stays_out(rig, token=own, clientId="plugin-of-nobody")
    assert not stays_out(rig, token=own, clientId=PAIRED)


def test_no_program_can_replace_a_connected_browser(rig: Rig) -> None:
    own, agent = browser_token(rig.state, PAIRED), rig.issue("usurper")

    async def run() -> None:
        browser = await joined(rig, token=own, clientId=PAIRED)
        try:
            for token in (rig.server["token"], agent):
                with pytest.raises(socketio.exceptions.ConnectionError):
                    await joined(rig, token=token, clientId=PAIRED)
            assert browser.client.connected
        finally:
            await browser.close()

    asyncio.run(run())
    about = {"extensionId": "x", "clientId": PAIRED, "allowOtherClient": True}
    for token in (rig.server["token"], agent):
        assert rig.ask("POST", "/api/extension/extension-id", token, json=about).status_code == 403


def test_only_a_person_moves_a_task_to_another_browser(rig: Rig) -> None:
    victim, task = rig.issue("owner-of-the-task"), new_task_id()
    browser_token(rig.state, PAIRED)
    assert not stays_out(rig, token=browser_token(rig.state, PAIRED), clientId=PAIRED)
    slot = {"taskId": task, "kind": "upload", "contentType": "text/plain"}
    assert rig.ask("POST", "/api/artifacts/presign", victim, json=slot).status_code == 200
    move = {"clientId": PAIRED}
    for token in (rig.server["token"], victim, browser_token(rig.state, PAIRED)):
        refusal = rig.ask("POST", f"/api/task/{task}/plugin", token, json=move)
        assert (refusal.status_code, refusal.json()["error"]["code"]) == (403, "FORBIDDEN")
    moved = rig.ask("POST", f"/api/task/{task}/plugin", headers=rig.sign_in(), json=move)
    assert moved.json()["data"]["selectedClientId"] == PAIRED
