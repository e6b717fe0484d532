"""An extension gets its own token for a code, until a person revokes it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import socketio

from handrail.features.browser.bus.protocol import fingerprint
from handrail.ports.browser import EXTENSION_ID, EXTENSION_ORIGIN
from tests.faces.http.listener import Listener
from tests.faces.http.running import Answer, Running
from tests.features.browser.routes.browser import browsing, bus_key, new_client_id

OURS = {"origin": EXTENSION_ORIGIN}


def new_code(server: Running, headers: dict[str, str] | None = None) -> str:
    headers_sent = bus_key(server) if headers is None else headers
    return str(server.request("POST", "/api/extension/pair-code", headers=headers_sent).json["data"]["code"])


def pair(server: Running, client_id: str, code: str | None = None, headers: Any = None, **members: Any) -> Answer:
    body = {"code": code or new_code(server), "clientId": client_id, "extensionId": EXTENSION_ID, **members}
    return server.request("POST", "/api/extension/pair", headers=OURS if headers is None else headers, json=body)


def joins(server: Running, client_id: str, token: str) -> bool:
    return welcome(server, client_id, token, protocol=fingerprint()) == ""


def welcome(server: Running, client_id: str, token: str, **about: Any) -> str:
    """Empty where it may join; otherwise the server's words."""

    async def run() -> str:
        try:
            async with browsing(server, client_id, auth={"token": token, **about}) as browser:
                assert (await browser.say({"v": 1, "type": "debugger_event"}))["ok"]
                return ""
        except socketio.exceptions.ConnectionError as refused:
            return str(refused)

    return asyncio.run(run())


@pytest.mark.parametrize("about", [{}, {"version": "0.1.0"}, {"version": "9.9.9", "protocol": "0123456789abcdef"}])
def test_our_extension_in_another_version_is_asked_to_update(server: Running, about: dict[str, str]) -> None:
    client_id = new_client_id()
    token = pair(server, client_id).json["data"]["token"]
    assert "Update the handrail extension" in welcome(server, client_id, token, **about)
    assert welcome(server, client_id, token, version="0.1.0", protocol=fingerprint()) == ""


def test_another_plugin_that_speaks_the_protocol_needs_no_version(server: Running) -> None:
    client_id = new_client_id()
    token = pair(server, client_id, extensionId="abcdefghijklmnopabcdefghijklmnop").json["data"]["token"]
    assert welcome(server, client_id, token) == ""
    for other in (server.token, server.server_token):
        assert "FORBIDDEN" in welcome(server, new_client_id(), other)


def test_a_code_becomes_a_token_that_lets_the_plugin_join(server: Running) -> None:
    client_id = new_client_id()
    answer = pair(server, client_id, new_code(server, server.sign_in()), name="work browser")
    assert set(answer.json["data"]) == {"token"}
    token = answer.json["data"]["token"]
    assert joins(server, client_id, token)
    assert not joins(server, new_client_id(), token), "it is good for one client alone"


def test_a_code_works_once(server: Running) -> None:
    code = new_code(server)
    assert pair(server, new_client_id(), code).status == 200
    again = pair(server, new_client_id(), code)
    assert (again.status, again.code) == (401, "UNAUTHORIZED")


def test_a_code_lives_ten_minutes(server: Running) -> None:
    data = server.request("POST", "/api/extension/pair-code", headers=bus_key(server)).json["data"]
    listing = server.request("GET", "/api/snapshot").json["data"]
    now = listing["lastUpdated"] + listing["ageMs"]
    assert 590_000 < data["expiresAt"] - now <= 601_000


@pytest.mark.parametrize("origin", [None, "http://localhost:3000", "own"])
def test_only_our_extension_can_be_paired(origin: str | None, server: Running) -> None:
    code = new_code(server)
    headers = {} if origin is None else {"origin": server.address if origin == "own" else origin}
    answer = pair(server, new_client_id(), code, {**server.bearer, **headers})
    assert (answer.status, answer.code) == (403, "FORBIDDEN")
    assert pair(server, new_client_id(), code).status == 200, "the code was not used up"


def test_making_a_code_is_a_persons_own_business(server: Running) -> None:
    assert server.request("POST", "/api/extension/pair-code", headers=OURS).status == 401
    assert server.request("POST", "/api/extension/pair-code").code == "FORBIDDEN"


def test_guessing_codes_is_slowed_down(state: Path, project: Path) -> None:
    with Running(state, project) as server:
        before = new_code(server, server.sign_in())
        codes = [pair(server, "p", "wrong").code for _ in range(11)]
        assert codes == ["UNAUTHORIZED"] * 10 + ["RATE_LIMITED"]
        assert pair(server, "p", before).status == 429
        assert pair(server, "p").status == 200, "a person who asks for a new code is not kept out"


def test_the_token_is_stored_as_a_hash_and_survives_a_restart(state: Path, project: Path) -> None:
    with Running(state, project) as server:
        token = pair(server, "plugin-abc").json["data"]["token"]
        assert server.stop() == ""
    assert not [file for file in state.rglob("*") if file.is_file() and token.encode() in file.read_bytes()]
    with Running(state, project) as server:
        assert joins(server, "plugin-abc", token)


def test_a_person_lists_and_revokes_tokens(server: Running) -> None:
    client_id = new_client_id()
    token = pair(server, client_id, name="home").json["data"]["token"]

    async def run() -> None:
        async with browsing(server, client_id, auth={"token": token, "protocol": fingerprint()}) as browser:
            listing = await asyncio.to_thread(server.request, "GET", "/api/extension/tokens")
            (mine,) = [paired for paired in listing.json["data"] if paired["clientId"] == client_id]
            assert (mine["name"], mine["extensionId"], mine["socketConnected"]) == ("home", EXTENSION_ID, True)
            assert token not in listing.body.decode()
            path = f"/api/extension/tokens/{client_id}"
            assert (await asyncio.to_thread(server.request, "DELETE", path)).code == "FORBIDDEN"
            person = await asyncio.to_thread(server.sign_in)
            revoked = await asyncio.to_thread(server.request, "DELETE", path, headers=person)
            assert revoked.json == {"ok": True, "data": {"revoked": True}}
            async with asyncio.timeout(10):
                await browser.left.wait()
            again = await asyncio.to_thread(server.request, "DELETE", path, headers=person)
            assert again.status == 404

    asyncio.run(run())
    assert not joins(server, client_id, token)
    restored = f"/api/extension/tokens/{client_id}/restore"
    assert server.request("POST", restored).code == "FORBIDDEN"
    person = server.sign_in()
    assert server.request("POST", restored, headers=person).status == 200
    assert joins(server, client_id, token)
    assert server.request("POST", restored, headers=person).status == 409


def test_pairing_again_replaces_the_token(server: Running) -> None:
    client_id = new_client_id()
    old, new = (pair(server, client_id).json["data"]["token"] for _ in range(2))
    assert not joins(server, client_id, old)
    assert joins(server, client_id, new)


def test_a_plugins_token_gives_access_only_to_what_a_plugin_needs(server: Running) -> None:
    client_id = new_client_id()
    bearer = {"authorization": f"Bearer {pair(server, client_id).json['data']['token']}", **OURS}
    body = {"extensionId": EXTENSION_ID, "clientId": client_id}
    assert server.request("POST", "/api/extension/extension-id", headers=bearer, json=body).status == 200
    other = server.request("POST", "/api/extension/extension-id", headers=bearer, json={**body, "clientId": "other"})
    assert (other.status, other.code) == (403, "FORBIDDEN")
    for method, path in (
        ("GET", "/api/tools"), ("POST", "/api/tools/echo"), ("GET", "/api/task/list"), ("POST", "/api/browser/act"),
        ("POST", "/api/session/code"), ("POST", "/api/extension/pair-code"), ("GET", "/api/extension/tokens"),
        ("GET", "/api/activity"), ("POST", "/mcp"), ("GET", "/no/such/path"),
    ):  # fmt: skip
        answer = server.request(method, path, headers=bearer)
        assert (answer.status, answer.code) == (403, "FORBIDDEN"), path
    assert server.request("GET", "/api/artifacts/art-none", headers=bearer).status == 404

    async def as_page() -> None:
        with pytest.raises(socketio.exceptions.ConnectionError):
            token = bearer["authorization"].partition(" ")[2]
            await Listener().connect(server, auth={"token": token, "clientType": "frontend"})
        with pytest.raises(socketio.exceptions.ConnectionError):
            await Listener().connect(server, headers=bearer)

    asyncio.run(as_page())
