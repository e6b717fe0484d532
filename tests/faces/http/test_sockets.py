"""Socket.IO, namespace /mimo: pages receive events as they happen."""

import asyncio
import signal
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import socketio

from handrail.faces.socketio.audience import Audience
from handrail.faces.socketio.sockets import Sockets
from handrail.kernel.audit import Audit
from handrail.wiring import Wiring
from tests.faces.http.listener import BOTH, Listener, listening
from tests.faces.http.running import Running

HANDSHAKE = "/socket.io/?EIO=4&transport=polling"
UPGRADE = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
WEBSOCKET = "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n"


@pytest.mark.parametrize("transports", [["polling"], ["websocket"], BOTH])
def test_a_call_is_announced_when_it_ends(transports: list[str], server: Running) -> None:
    async def run() -> Any:
        async with listening(server, transports=transports) as page:
            await asyncio.to_thread(server.call, "echo", {}, x_task_id=f"by {transports[0]}".replace(" ", "-"))
            return await page.next("activity")

    result = asyncio.run(run())
    (record,) = result["records"]
    assert (record["tool"], record["event"], record["task"]) == ("echo", "end", f"by-{transports[0]}")
    assert record["seq"] >= 1


def test_calls_of_other_processes_are_announced_too(server: Running) -> None:
    def elsewhere() -> None:
        audit = Audit(Wiring().open_stores(server.state).audit)
        audit.append({"event": "end", "tool": "elsewhere"}, durable=True)
        audit.close()

    async def run() -> Any:
        async with listening(server, auth=server.frontend) as page:
            await asyncio.to_thread(elsewhere)
            return await page.next("activity")

    assert asyncio.run(run())["records"][0]["tool"] == "elsewhere"


def test_two_pages_receive_the_same_events(server: Running) -> None:
    async def run() -> list[Any]:
        console = server.sign_in()
        async with listening(server) as first, listening(server, headers=console) as second:
            await asyncio.to_thread(server.call, "echo")
            return [await page.next("activity") for page in (first, second)]

    first, second = asyncio.run(run())
    assert first == second


@pytest.mark.parametrize("transports", [["polling"], ["websocket"], BOTH])
def test_the_cookie_lets_a_page_of_ours_in(transports: list[str], server: Running) -> None:
    async def run() -> None:
        async with listening(server, headers=server.sign_in(), transports=transports) as page:
            assert page.joined.is_set()

    asyncio.run(run())


@pytest.mark.parametrize("transports", [["polling"], ["websocket"]])
@pytest.mark.parametrize("auth", [None, {}, {"token": "wrong"}, {"token": ""}, {"token": None}, {"token": 7}, "token"])
def test_sockets_without_valid_credentials_are_refused(auth: Any, transports: list[str], server: Running) -> None:
    async def run() -> list[Any]:
        page = Listener()
        with pytest.raises(socketio.exceptions.ConnectionError):
            await page.connect(server, auth=auth, transports=transports)
        return page.refusals

    (refusal,) = asyncio.run(run())
    assert refusal["data"] == {"code": "UNAUTHORIZED"}


def test_a_wrong_token_is_not_healed_by_the_cookie(server: Running) -> None:
    async def run() -> None:
        with pytest.raises(socketio.exceptions.ConnectionError):
            await Listener().connect(server, auth={"token": "wrong"}, headers=server.sign_in())

    asyncio.run(run())


def test_a_cookie_that_another_local_page_brings_along_does_not_count(server: Running) -> None:
    console = server.sign_in()
    foreign = {**console, "origin": "http://localhost:3000"}
    without_origin = {name: value for name, value in console.items() if name != "origin"}

    async def run() -> None:
        for transports in (["polling"], ["websocket"]):
            with pytest.raises(socketio.exceptions.ConnectionError):
                await Listener().connect(server, headers=foreign, transports=transports)
            with pytest.raises(socketio.exceptions.ConnectionError):
                await Listener().connect(server, headers=without_origin, transports=["websocket"])
            auth = {"token": server.token}
            async with listening(server, auth=auth, headers=foreign, transports=transports) as page:
                assert page.joined.is_set()

    asyncio.run(run())


def test_the_cookie_joins_only_with_the_pages_secret(server: Running) -> None:
    console = server.sign_in()
    cookie = {"cookie": console["cookie"], "origin": server.address}

    async def run() -> None:
        for auth in ({}, {"page": "wrong"}, {"page": ""}, {"page": None}, {"page": 7}):
            with pytest.raises(socketio.exceptions.ConnectionError):
                await Listener().connect(server, auth=auth, headers=cookie, transports=["websocket"])
        page = {"page": console["x-handrail-page"]}
        async with listening(server, auth=page, headers=cookie, transports=["websocket"]) as joined:
            assert joined.joined.is_set()

    asyncio.run(run())


@pytest.mark.parametrize("origin", ["http://evil.com", "null", "http://localhost:1", "chrome-extension://abc"])
def test_a_foreign_origin_reaches_neither_transport(origin: str, server: Running) -> None:
    for credentials in ({}, server.bearer, server.sign_in()):
        answer = server.request("GET", HANDSHAKE, headers={**credentials, "origin": origin})
        assert (answer.status, answer.code) == (403, "FORBIDDEN")
    answer = server.raw(f"{WEBSOCKET}Host: localhost:PORT\r\nOrigin: {origin}\r\n{UPGRADE}\r\n")
    assert (answer.status, answer.code) == (403, "FORBIDDEN")


def test_a_foreign_host_reaches_neither_transport(server: Running) -> None:
    for host in ("evil.com", "localhost", "localhost.evil.com:PORT"):
        assert server.raw(f"GET {HANDSHAKE} HTTP/1.1\r\nHost: {host}\r\n\r\n").status == 403
        assert server.raw(f"{WEBSOCKET}Host: {host}\r\n{UPGRADE}\r\n").status == 403


def test_another_site_can_not_even_load_the_address(server: Running) -> None:
    for site in ("cross-site", "same-site"):
        assert server.request("GET", HANDSHAKE, headers={"sec-fetch-site": site}).status == 401
    assert server.request("GET", HANDSHAKE, headers={"sec-fetch-site": "same-origin"}).status == 200


@pytest.mark.parametrize(
    "path", ["/", "/health", "/api/session", "/mcp", "/no/such/path", "/socket.io", "/socket.io/x"]
)
def test_websockets_to_other_paths_are_refused(path: str, server: Running) -> None:
    for credentials in ("", "Authorization: Bearer TOKEN\r\n"):
        answer = server.raw(f"GET {path} HTTP/1.1\r\nHost: localhost:PORT\r\n{credentials}{UPGRADE}\r\n")
        assert answer.status in (401, 403)


def test_an_unknown_event_is_refused_in_its_ack(server: Running) -> None:
    async def run() -> list[Any]:
        async with listening(server) as page:
            answers = [await page.send(event, data) for event, data in (("frontend_message", {}), ("x", None), ("", 1))]
            await asyncio.to_thread(server.call, "echo")
            await page.next("activity")
            return answers

    for answer in asyncio.run(run()):
        assert (answer["ok"], answer["error"]["code"]) == (False, "BAD_REQUEST")


def test_only_this_namespace_can_be_joined(server: Running) -> None:
    async def run() -> None:
        with pytest.raises(socketio.exceptions.ConnectionError):
            await socketio.AsyncClient().connect(server.address, auth={"token": server.token}, wait_timeout=1)

    asyncio.run(run())


def test_malformed_frames_are_ignored_and_not_logged(state: Path, project: Path) -> None:
    nonsense = [
        "", "0", "2", "4", "6", "9", "\x1e", "40/mimo,{", "42/mimo,[", "42/mimo," + "[" * 100_000, "4" * 1_100_000,
        '42/mimo,["x","\\ud800"]', '451-/mimo,["x",{"_placeholder":true,"num":9}]',
    ]  # fmt: skip

    def post(server: Running, body: str) -> int:
        handshake = server.request("GET", HANDSHAKE, headers={}).body.decode()
        sid = handshake.partition('"sid":"')[2].partition('"')[0]
        return server.request("POST", f"{HANDSHAKE}&sid={sid}", headers={}, content=body).status

    async def run(server: Running) -> None:
        async with listening(server) as page:
            statuses = await asyncio.gather(*(asyncio.to_thread(post, server, body) for body in nonsense))
            assert set(statuses) <= {200, 400}
            for path in (f"{HANDSHAKE}&sid=nobody", "/socket.io/", "/socket.io/?EIO=3&transport=polling"):
                assert (await asyncio.to_thread(server.request, "GET", path, headers={})).status == 400
            await asyncio.to_thread(server.call, "echo")
            assert (await page.next("activity"))["records"]

    with Running(state, project) as server:
        asyncio.run(run(server))
        assert server.stop() == ""


def test_a_page_reconnects_after_a_restart(state: Path, project: Path) -> None:
    async def run() -> Any:
        with Running(state, project) as first:
            port, console = first.port, first.sign_in()
            async with listening(first, headers=console, reconnects=True) as page:
                await asyncio.to_thread(first.stop, signal.SIGKILL)
                await asyncio.wait_for(page.left.wait(), 20)
                second = await asyncio.to_thread(Running, state, project, port)
                with second:
                    await asyncio.wait_for(page.joined.wait(), 20)
                    await asyncio.to_thread(second.call, "echo", {}, x_task_id="after")
                    return await page.next("activity")

    assert asyncio.run(run())["records"][0]["task"] == "after"


@pytest.mark.alone
@pytest.mark.parametrize("transports", [["polling"], ["websocket"]])
def test_an_open_socket_does_not_delay_shutdown(transports: list[str], state: Path, project: Path) -> None:
    async def run(server: Running) -> int:
        async with listening(server, transports=transports):
            server.process.send_signal(signal.SIGTERM)
            return await asyncio.to_thread(server.process.wait, 4)

    with Running(state, project) as server:
        assert asyncio.run(run(server)) == 0
        assert server.stop() == ""


def test_clients_in_the_same_process_keep_their_own_decoder() -> None:
    unused: Any = None
    Sockets(unused, {}, Audience(nullcontext), unused)
    assert socketio.packet.Packet(encoded_packet='2["news",{"a":1,"a":2}]').data == ["news", {"a": 2}]
