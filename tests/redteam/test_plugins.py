"""Programs that pretend to be a browser: only the token that a browser was paired with is that browser."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
import socketio

from handrail.kernel.task_ids import new_task_id
from handrail.ports.browser import EXTENSION_ORIGIN
from tests.credentials import browser_token
from tests.faces.http.listener import Listener
from tests.redteam.agents_house import House, house_in

PAIRED = "plugin-of-the-person"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house_in(tmp_path_factory.mktemp("plugins")) as house:
        yield house


class _At:
    def __init__(self, address: str) -> None:
        self.address = address


async def joined(house: House, **auth: Any) -> Listener:
    """A raw client that says it is a browser."""
    client = Listener()
    given = {"clientType": "plugin", "skipAuthorization": True, "allowOtherClient": True, **auth}
    try:
        await client.connect(
            _At(house.address),  # type: ignore[arg-type]
            auth=given,
            headers={"origin": EXTENSION_ORIGIN},
            transports=["websocket"],
        )
    except socketio.exceptions.ConnectionError:
        await client.close()
        raise
    return client


def stays_out(house: House, **auth: Any) -> bool:
    async def run() -> bool:
        try:
            client = await joined(house, **auth)
        except socketio.exceptions.ConnectionError:
            return True
        await client.close()
        return False

    return asyncio.run(run())


@pytest.mark.parametrize("client_id", ["plugin-of-nobody", PAIRED])
def test_no_other_token_joins_as_a_browser_also_while_that_browser_is_away(house: House, client_id: str) -> None:
    own = browser_token(house.state, PAIRED)
    other = browser_token(house.state, "another-browser")
    for token in (house.server["token"], house.issue(f"agent-{client_id}"), other, "", None):
        assert stays_out(house, token=token, clientId=client_id)
    assert stays_out(house, token=own, clientId="plugin-of-nobody")
    assert not stays_out(house, token=own, clientId=PAIRED)


def test_no_program_takes_the_place_of_a_browser_that_is_there(house: House) -> None:
    own, agent = browser_token(house.state, PAIRED), house.issue("usurper")

    async def run() -> None:
        browser = await joined(house, token=own, clientId=PAIRED)
        try:
            for token in (house.server["token"], agent):
                with pytest.raises(socketio.exceptions.ConnectionError):
                    await joined(house, token=token, clientId=PAIRED)
            assert browser.client.connected
        finally:
            await browser.close()

    asyncio.run(run())
    about = {"extensionId": "x", "clientId": PAIRED, "allowOtherClient": True}
    for token in (house.server["token"], agent):
        assert house.ask("POST", "/api/extension/extension-id", token, json=about).status_code == 403


def test_only_a_person_moves_a_task_to_another_browser(house: House) -> None:
    victim, task = house.issue("owner-of-the-task"), new_task_id()
    browser_token(house.state, PAIRED)
    assert not stays_out(house, token=browser_token(house.state, PAIRED), clientId=PAIRED)
    slot = {"taskId": task, "kind": "upload", "contentType": "text/plain"}
    assert house.ask("POST", "/api/artifacts/presign", victim, json=slot).status_code == 200
    move = {"clientId": PAIRED}
    for token in (house.server["token"], victim, browser_token(house.state, PAIRED)):
        refused = house.ask("POST", f"/api/task/{task}/plugin", token, json=move)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "FORBIDDEN")
    moved = house.ask("POST", f"/api/task/{task}/plugin", headers=house.sign_in(), json=move)
    assert moved.json()["data"]["selectedClientId"] == PAIRED
