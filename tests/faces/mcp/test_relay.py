"""What the proxy does with lines while a server runs, is starting, has ended, or never starts."""

import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handrail.faces.mcp.proxy.relay import NoServerAvailable, Relay
from handrail.faces.mcp.proxy.stored_answers import StoredAnswers
from tests.waiting import until

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Servers:
    """Gives the relay one end of a connection when the test allows it."""

    def __init__(self) -> None:
        self.again: list[list[str | int]] = []
        self.may_come, self.is_refused = threading.Event(), False
        self.connections: list[socket.socket] = []
        self._files: list[Any] = []
        self.looks = 0

    def find(self, again: list[str | int]) -> socket.socket | None:
        self.looks += 1
        if self.is_refused:
            raise NoServerAvailable
        if not self.may_come.is_set():
            return None
        self.may_come.clear()
        theirs, ours = socket.socketpair()
        self._files.append(ours.makefile("rb"))
        self.again.append(again)
        self.connections.append(ours)
        ours.sendall(b'{"ok":true,"handrail":"0"}\n{"ok":true}\n')
        return theirs

    def come(self) -> None:
        before = len(self.connections)
        self.may_come.set()
        until(lambda: len(self.connections) > before)

    def are_looked_for(self) -> None:
        """Yields more than once, so that everything the client has sent is read."""
        before = self.looks
        until(lambda: self.looks > before + 2)

    def read(self) -> Any:
        return json.loads(self._files[-1].readline())

    def answer(self, id: int, result: Any) -> None:
        self.say(b'{"jsonrpc":"2.0","id":%d,"result":%b}' % (id, json.dumps(result).encode()))

    def say(self, line: bytes) -> None:
        self.connections[-1].sendall(line + b"\n")

    def end(self) -> None:
        self._files[-1].close()
        self.connections[-1].close()


class Session:
    def __init__(self, folder: Path, servers: Servers) -> None:
        reading, self._writing = os.pipe()
        out, writing = os.pipe()
        self._out = os.fdopen(out, "rb")
        self.servers = servers
        self.left: tuple[bytes, list[str | int]] | None = None
        stored = StoredAnswers(str(folder / "state"), str(folder), ["0.1"])
        self.relay = Relay(servers.find, stored, reading, writing)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.relay.run()
        except NoServerAvailable:
            self.left = self.relay.hand_over()

    def send(self, method: str, id: int | None = None, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if id is None else {"id": id})
        os.write(self._writing, json.dumps(message).encode() + b"\n")

    def receive(self) -> Any:
        return json.loads(self._out.readline())

    def open(self) -> None:
        """A relay with a server that answers."""
        self.send("initialize", 1, **HELLO)
        assert self.servers.read()["method"] == "initialize"
        self.servers.answer(1, {"serverInfo": {}})
        assert self.receive()["id"] == 1
        self.send("notifications/initialized")
        assert self.servers.read()["method"] == "notifications/initialized"

    def end(self) -> None:
        os.close(self._writing)
        self.thread.join(20)
        assert not self.thread.is_alive()


@pytest.fixture
def servers() -> Iterator[Servers]:
    made = Servers()
    yield made
    for connection in made.connections:
        connection.close()


def open_relay(folder: Path, servers: Servers) -> Session:
    session = Session(folder, servers)
    servers.come()
    session.open()
    return session


def listed(folder: Path, servers: Servers, tools: Any) -> None:
    """An earlier session, whose answers are stored."""
    session = open_relay(folder, servers)
    session.send("tools/list", 2)
    servers.read()
    servers.answer(2, {"tools": tools})
    assert session.receive()["result"] == {"tools": tools}
    servers.connections[-1].shutdown(socket.SHUT_RDWR)
    servers.is_refused = False
    session.end()


def test_half_an_answer_of_a_server_that_dies_never_reaches_the_client(tmp_path: Path, servers: Servers) -> None:
    session = open_relay(tmp_path, servers)
    session.send("tools/call", 2, name="read_file")
    session.send("tools/call", 3, name="read_file")
    assert [servers.read()["id"] for _ in range(2)] == [2, 3]
    servers.connections[-1].sendall(b'{"jsonrpc":"2.0","id":2,"result":{}}\n{"jsonrpc":"2.0","id":3,"res')
    servers.connections[-1].shutdown(socket.SHUT_RDWR)
    assert session.receive() == {"jsonrpc": "2.0", "id": 2, "result": {}}
    servers.come()
    assert [servers.read().get("id") for _ in range(3)] == [1, None, 3]
    servers.answer(3, {"from": "the next"})
    assert session.receive() == {"jsonrpc": "2.0", "id": 3, "result": {"from": "the next"}}
    servers.connections[-1].shutdown(socket.SHUT_RDWR)
    session.end()


def test_a_clients_first_requests_are_answered_before_the_server_runs(tmp_path: Path, servers: Servers) -> None:
    listed(tmp_path, servers, ["read_file"])
    session = Session(tmp_path, servers)
    session.send("initialize", 7, **HELLO)
    assert session.receive() == {"jsonrpc": "2.0", "id": 7, "result": {"serverInfo": {}}}
    session.send("notifications/initialized")
    session.send("tools/list", "8")  # type: ignore[arg-type]
    assert session.receive()["result"] == {"tools": ["read_file"]}
    session.send("tools/call", 9, name="read_file")
    servers.come()
    assert [servers.read()["method"] for _ in range(4)] == [
        *("initialize", "notifications/initialized", "tools/list", "tools/call")
    ]
    assert servers.again[-1] == []
    servers.answer(7, {"serverInfo": {}})
    servers.say(b'{"jsonrpc":"2.0","id":"8","result":{"tools": ["read_file"]}}')
    servers.answer(9, "read")
    assert session.receive() == {"jsonrpc": "2.0", "id": 9, "result": "read"}  # and nothing is sent twice


def test_a_client_learns_that_the_list_has_changed_since(tmp_path: Path, servers: Servers) -> None:
    listed(tmp_path, servers, ["read_file"])
    session = Session(tmp_path, servers)
    session.send("initialize", 1, **HELLO)
    session.send("tools/list", 2)
    assert session.receive()["id"] == 1
    assert session.receive()["result"] == {"tools": ["read_file"]}
    servers.come()
    servers.read()
    servers.answer(1, {})
    servers.answer(2, {"tools": ["read_file", "new"]})
    assert session.receive() == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


@pytest.mark.parametrize("changed", ["state/config.toml", ".handrail/policy.json", "state/servers.json"])
def test_stored_answers_count_only_while_the_policy_is_the_same(tmp_path: Path, servers: Servers, changed: str) -> None:
    listed(tmp_path, servers, ["read_file"])
    file = tmp_path / changed
    file.parent.mkdir(exist_ok=True)
    file.write_text("{}")
    session = Session(tmp_path, servers)
    session.send("initialize", 1, **HELLO)
    servers.come()
    servers.read()
    servers.answer(1, {"now": True})
    assert session.receive()["result"] == {"now": True}


def test_the_next_server_receives_the_initialization_and_unanswered_requests(tmp_path: Path, servers: Servers) -> None:
    session = open_relay(tmp_path, servers)
    session.send("tools/call", 3, name="read_file")
    session.send("tools/call", 4, name="write_to_file")
    assert [servers.read()["id"] for _ in range(2)] == [3, 4]
    servers.answer(3, "done")
    assert session.receive()["id"] == 3
    servers.end()
    servers.are_looked_for()
    session.send("tools/call", 5, name="list_files")
    servers.come()
    assert [servers.read()["method"] for _ in range(2)] == ["initialize", "notifications/initialized"]
    assert [servers.read()["id"] for _ in range(2)] == [4, 5]
    assert servers.again[-1] == [4]
    servers.answer(1, {"serverInfo": {}})
    servers.answer(4, "again")
    assert session.receive() == {"jsonrpc": "2.0", "id": 4, "result": "again"}


def test_a_server_that_ends_before_the_handshake_is_answered_by_the_next(tmp_path: Path, servers: Servers) -> None:
    session = Session(tmp_path, servers)
    servers.come()
    session.send("initialize", 1, **HELLO)
    servers.read()
    servers.end()
    servers.come()
    servers.read()
    servers.answer(1, {"second": True})
    assert session.receive()["result"] == {"second": True}


def test_requests_of_the_server_are_not_taken_for_answers(tmp_path: Path, servers: Servers) -> None:
    session = open_relay(tmp_path, servers)
    session.send("tools/call", 3, name="write_to_file")
    servers.read()
    servers.say(b'{"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":{}}')
    assert session.receive()["method"] == "elicitation/create"
    servers.end()
    servers.come()
    assert [servers.read()["method"] for _ in range(3)][-1] == "tools/call"


def test_a_line_that_nests_too_deep_is_left_to_the_server(tmp_path: Path, servers: Servers) -> None:
    session = open_relay(tmp_path, servers)
    os.write(session._writing, b"[" * 5000 + b"]" * 5000 + b"\n")
    session.send("tools/call", 3, name="read_file")
    assert servers._files[-1].readline().startswith(b"[[")
    assert servers.read()["id"] == 3


def test_a_cancelled_call_does_not_run_on_the_next_server(tmp_path: Path, servers: Servers) -> None:
    session = open_relay(tmp_path, servers)
    session.send("tools/call", 3, name="write_to_file")
    session.send("notifications/cancelled", requestId=3)
    assert [servers.read()["method"] for _ in range(2)] == ["tools/call", "notifications/cancelled"]
    servers.end()
    servers.are_looked_for()
    session.send("tools/call", 4, name="read_file")
    servers.come()
    assert [servers.read().get("id") for _ in range(3)] == [1, None, 4]
    assert servers.again[-1] == []


def test_open_questions_of_a_server_that_ends_are_withdrawn(tmp_path: Path, servers: Servers) -> None:
    session = open_relay(tmp_path, servers)
    for id in (7, 8, 9):
        servers.say(b'{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":{}}' % id)
        assert session.receive()["id"] == id
    os.write(session._writing, b'{"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{}}}\n')
    assert servers.read()["id"] == 7
    servers.say(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}')
    assert session.receive()["params"]["requestId"] == 8
    servers.end()
    withdrawn = session.receive()
    assert (withdrawn["method"], withdrawn["params"]["requestId"]) == ("notifications/cancelled", 9)
    servers.come()
    assert servers.read()["method"] == "initialize"


def test_without_a_server_sent_requests_are_reported_and_the_rest_is_handed_over(
    tmp_path: Path, servers: Servers
) -> None:
    session = open_relay(tmp_path, servers)
    session.send("tools/call", 3, name="write_to_file")
    servers.read()
    servers.end()
    servers.are_looked_for()
    session.send("tools/call", 4, name="read_file")
    servers.are_looked_for()
    servers.is_refused = True
    message = session.receive()
    assert message["id"] == 3
    assert "unknown" in message["error"]["message"]
    session.thread.join(20)
    assert session.left is not None
    unread, answered = session.left
    assert [json.loads(line)["method"] for line in unread.splitlines()] == [
        *("initialize", "notifications/initialized", "tools/call")
    ]
    assert answered == [1]


def test_a_client_that_closes_its_end_gets_its_last_answers(tmp_path: Path, servers: Servers) -> None:
    session = open_relay(tmp_path, servers)
    session.send("tools/call", 3, name="read_file")
    servers.read()
    ending = threading.Thread(target=session.end)
    ending.start()
    assert servers._files[-1].readline() == b""  # the server sees the end of the input
    servers.answer(3, "last")
    assert session.receive()["result"] == "last"
    servers.end()
    ending.join(20)
    assert not session.thread.is_alive()


def test_what_is_no_message_is_refused_by_the_first_server(tmp_path: Path, servers: Servers) -> None:
    session = Session(tmp_path, servers)
    batch = b'[{"jsonrpc":"2.0","id":1,"method":"initialize"}]\n'
    os.write(session._writing, batch + b"\n" + b"no JSON\n")
    session.send("notifications/roots/list_changed")
    session.send("initialize", 1, **HELLO)
    servers.are_looked_for()
    servers.come()
    assert servers.read()["method"] == "initialize"
    assert [servers._files[-1].readline() for _ in range(2)] == [batch, b"no JSON\n"]
    servers.end()
    servers.come()
    session.send("tools/call", 2, name="read_file")
    assert [servers.read()["method"] for _ in range(2)] == ["initialize", "tools/call"]


def test_a_last_line_without_an_end_is_answered(tmp_path: Path, servers: Servers) -> None:
    session = open_relay(tmp_path, servers)
    os.write(session._writing, b'{"jsonrpc":"2.0","id":3,"method":"ping"}')
    ending = threading.Thread(target=session.end)
    ending.start()
    assert servers.read()["id"] == 3
    servers.answer(3, "last")
    assert session.receive()["result"] == "last"
    servers.end()
    ending.join(20)


def test_an_id_that_a_client_uses_again_is_not_taken_for_its_initialization(tmp_path: Path, servers: Servers) -> None:
    session = open_relay(tmp_path, servers)
    for method in ("tools/list", "tools/call"):
        session.send(method, 1, name="read_file")
        assert servers.read()["method"] == method
        servers.answer(1, method)
        assert session.receive()["result"] == method
    servers.end()
    servers.come()
    assert [servers.read()["method"] for _ in range(2)] == ["initialize", "notifications/initialized"]
    servers.answer(1, {"serverInfo": {}})
    session.send("tools/call", 1, name="read_file")
    assert servers.read()["method"] == "tools/call"
    servers.answer(1, "read")
    assert session.receive()["result"] == "read"
    servers.connections[-1].shutdown(socket.SHUT_RDWR)
    session.end()
    session = Session(tmp_path, servers)
    session.send("initialize", 1, **HELLO)
    assert session.receive()["result"] == {"serverInfo": {}}


def test_an_initialization_after_a_stored_answer_to_another_probe_is_answered(tmp_path: Path, servers: Servers) -> None:
    session = Session(tmp_path, servers)
    servers.come()
    session.send("server/discover", 1)
    servers.read()
    servers.answer(1, {"supportedVersions": []})
    assert session.receive()["id"] == 1
    servers.connections[-1].shutdown(socket.SHUT_RDWR)
    session.end()
    session = Session(tmp_path, servers)
    session.send("server/discover", 1)
    assert session.receive()["result"] == {"supportedVersions": []}
    session.send("initialize", 2, **HELLO)
    servers.come()
    assert [servers.read()["id"] for _ in range(2)] == [2, 1]
    servers.answer(2, {"serverInfo": {}})
    assert session.receive() == {"jsonrpc": "2.0", "id": 2, "result": {"serverInfo": {}}}


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b'{"jsonrpc":"2.0","id":true,"method":"ping"}', id="an id that is true"),
        pytest.param(b'{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', id="an id that loses digits"),
        pytest.param(b'{"params":{"a":NaN},"id":3,"method":"ping","more":1}', id="no JSON"),
        pytest.param(b'{"params":{"a":1,"a":2},"id":"3","method":"ping","more":1}', id="a key twice"),
    ],
)
def test_a_request_that_was_refused_without_its_id_is_not_sent_again(
    tmp_path: Path, servers: Servers, line: bytes
) -> None:
    session = open_relay(tmp_path, servers)
    session.send("tools/call", 4, name="read_file")
    assert servers.read()["id"] == 4
    os.write(session._writing, line + b"\n")
    assert servers._files[-1].readline() == line + b"\n"
    servers.say(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"No id"}}')
    assert session.receive()["id"] is None
    servers.end()
    servers.come()
    assert [servers.read().get("id") for _ in range(3)] == [1, None, 4]
    assert servers.again[-1] == [4]
    session.send("tools/call", 5, name="read_file")
    assert servers.read()["id"] == 5


def test_the_relay_ends_with_a_client_that_was_killed(tmp_path: Path, servers: Servers) -> None:
    session = open_relay(tmp_path, servers)
    session.send("tools/call", 3, name="read_file")
    assert servers.read()["id"] == 3
    os.close(session._writing)
    assert servers._files[-1].readline() == b""  # and answers the client, if that still reads
    session._out.close()
    session.thread.join(20)
    assert not session.thread.is_alive()
