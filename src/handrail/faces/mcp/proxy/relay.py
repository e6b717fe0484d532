"""Forwards lines between an MCP client and a server, and moves the session to the next server when one ends.

Unanswered requests are kept as they came. The next server gets the session's opening, these requests and their ids,
and decides which may run again and which outcome to report for the others.
"""

from __future__ import annotations

import json
import os
import select

from handrail.faces.local.client import READY
from handrail.faces.mcp.proxy.stored_answers import METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from typing import Any, TypeGuard

    from handrail.faces.mcp.proxy.stored_answers import StoredAnswers

_CHUNK = 64 * 1024  # larger buffers are mapped and unmapped for every read
_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL
_PIPE_ROOM = 4096  # what a writable pipe accepts without blocking
_MAX_BUFFERED = 4 * 1024 * 1024
_LOOK_EVERY_MS = 20
_LONGEST_LINE = 64 * 1024 * 1024
_MAX_DEPTH = 128
_LARGEST_ID = 2**53 - 1
_ANSWER = b'{"jsonrpc":"2.0","id":'
_CANCELLED = b'{"jsonrpc":"2.0","method":"notifications/cancelled"'
_RESULT, _METHOD = ',"result":', ',"method":'
_LIST_CHANGED = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
_GREETINGS = 2  # one of the local socket and one of its MCP service
_decoder = json.JSONDecoder()

_INTERNAL_ERROR = -32603
_LOST = (
    "handrail's server ended while this call was running, and no other could be started. It is unknown whether it was "
    "done. Check before you call it again; `handrail audit show` lists what is recorded."
)


class NoServerAvailable(Exception):
    """No server is running and none can be started; the caller must continue without one."""


class Lines:
    """Splits a stream into lines. A line that is too long is forwarded in pieces; the server will refuse it."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    @property
    def partial_line(self) -> bytes:
        return b"".join(self._parts)

    def would_be_whole(self, chunk: bytes) -> bool:
        """Whether the chunk consists of whole lines."""
        return not self._size and chunk.endswith(b"\n")

    def feed(self, chunk: bytes) -> list[bytes]:
        *ends, partial = chunk.split(b"\n")
        lines = [self._complete(end + b"\n") for end in ends]
        self._parts.append(partial)
        self._size += len(partial)
        return lines if self._size <= _LONGEST_LINE else [*lines, self._complete(b"")]

    def _complete(self, end: bytes) -> bytes:
        line = b"".join([*self._parts, end]) if self._parts else end
        self._parts, self._size = [], 0
        return line


class Relay:
    """`find_server` gets the ids of requests that an earlier server had. It returns a connection whose first line is
    the server's greeting, or None while there is no server yet.
    """

    def __init__(
        self,
        find_server: Callable[[list[str | int]], socket.socket | None],
        stored: StoredAnswers,
        reading: int = 0,
        writing: int = 1,
    ) -> None:
        self._reading, self._writing = reading, writing
        self._find_server = find_server
        self._stored = stored
        self._server: socket.socket | None = None
        self._is_greeted, self._greetings = False, 0
        self._from_client, self._from_server = Lines(), Lines()
        self._to_client, self._to_server = bytearray(), bytearray()
        self._opening: dict[str, bytes] = {}
        self._opening_id: str | int = 0
        self._has_opened = False
        """Whether the client has an answer to its `initialize`."""
        self._storable: dict[str | int, dict[str, Any]] = {}
        """Requests whose answers are stored for the next start."""
        self._unanswered: dict[str | int, bytes] = {}
        self._unreadable: list[bytes] = []
        """What came before the first server and is no message: it refuses them."""
        self._sent: set[str | int] = set()
        """The ids of unanswered requests that were sent to a server."""
        self._answered_early: dict[str | int, str] = {}
        self._questions: set[str | int] = set()
        """The ids of the server's requests that the client hasn't answered."""
        self._client_ended = False
        self._is_gone = False
        """Whether the client reads no more either."""
        self._poll, self._watched = select.poll(), dict[int, int]()
        self._client_room = select.poll()
        self._client_room.register(writing, select.POLLOUT)

    def run(self) -> None:
        """Runs until the client closes our stdin and has its last answers. Raises NoServerAvailable."""
        while not self._is_over:
            if self._server is None:
                self._connect()
            self._watch()
            for descriptor, events in self._poll.poll(None if self._server is not None else _LOOK_EVERY_MS):
                if descriptor == self._reading:
                    self._read_client()
                elif descriptor == self._writing:
                    self._write_client(events)
                elif self._server is not None:
                    self._exchange(self._server, events)

    def hand_over(self) -> tuple[bytes, list[str | int]]:
        """What a server in this process must read first, and the ids of requests that are already answered."""
        for id in self._sent & self._unanswered.keys():
            del self._unanswered[id]
            answer = {"jsonrpc": "2.0", "id": id, "error": {"code": _INTERNAL_ERROR, "message": _LOST}}
            self._to_client += json.dumps(answer).encode() + b"\n"
        while self._to_client:
            self._write_client(0)
        self._mark_opening_answered()
        return self._unanswered_input() + self._from_client.partial_line, list(self._answered_early)

    @property
    def _is_over(self) -> bool:
        is_waiting = bool(self._server is not None or self._unanswered or self._unreadable or self._to_client)
        return self._is_gone or (self._client_ended and not is_waiting)

    def _watch(self) -> None:
        """Sets the events to poll for."""
        events: dict[int, int] = {}
        if not self._client_ended and len(self._to_server) < _MAX_BUFFERED:
            events[self._reading] = select.POLLIN
        if self._to_client:
            events[self._writing] = select.POLLOUT
        elif self._client_ended:
            events[self._writing] = 0  # still tells when the client reads no more
        if self._server is not None:
            reads = select.POLLIN if len(self._to_client) < _MAX_BUFFERED else 0
            events[self._server.fileno()] = reads | (select.POLLOUT if self._to_server else 0)
        if events != self._watched:
            self._poll, self._watched = select.poll(), events
            for descriptor, mask in events.items():
                self._poll.register(descriptor, mask)

    def _connect(self) -> None:
        server = self._find_server([id for id in self._unanswered if id in self._sent])
        if server is None:
            return
        server.setblocking(False)
        self._server, self._from_server, self._greetings = server, Lines(), 0

    def _greet(self, greeting: bytes) -> None:
        if not greeting.startswith(READY):
            raise NoServerAvailable
        self._greetings += 1
        if self._greetings < _GREETINGS:
            return
        self._is_greeted = True
        self._to_server = bytearray(self._unanswered_input())
        self._sent.update(self._unanswered)
        self._unreadable.clear()
        self._mark_opening_answered()
        if not self._to_server and self._client_ended:
            self._end_server_input()

    def _unanswered_input(self) -> bytes:
        return b"".join([*self._opening.values(), *self._unanswered.values(), *self._unreadable])

    def _mark_opening_answered(self) -> None:
        """Marks `initialize` as answered if an earlier server has answered it, so that the client gets one answer."""
        if self._opening and self._has_opened:
            self._answered_early.setdefault(self._opening_id, "")

    def _read_client(self) -> None:
        chunk = os.read(self._reading, _CHUNK)
        if not chunk:
            self._end_client()
            return
        # Forwarded before it is parsed, so that the server can already work on it.
        is_forwarded = self._is_greeted and not self._to_server and self._from_client.would_be_whole(chunk)
        if is_forwarded:
            self._send(chunk)
        for line in self._from_client.feed(chunk):
            self._take(line, is_forwarded=is_forwarded)

    def _end_client(self) -> None:
        if self._from_client.partial_line:  # the last line may have no end
            for line in self._from_client.feed(b"\n"):
                self._take(line, is_forwarded=False)
        self._client_ended = True
        self._end_server_input()

    def _send(self, lines: bytes) -> None:
        assert self._server is not None
        self._to_server += lines
        self._write_server(self._server)

    def _take(self, line: bytes, *, is_forwarded: bool) -> None:
        """Handles a line of the client: keeps it until it is answered, and forwards it."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):  # the server refuses it
            message = None
        method = message.get("method") if isinstance(message, dict) else None
        id = message.get("id") if isinstance(message, dict) else None
        if method is not None and _is_id(id):
            self._take_request(id, message, line)
        elif method == "notifications/initialized":
            self._opening[method] = line
        elif method == "notifications/cancelled":  # gets no answer, and must not run on the next server
            self._unanswered.pop(_cancelled_id(message), None)
        elif method is None and _is_id(id):
            self._questions.discard(id)
        elif not (self._is_greeted or (isinstance(method, str) and "id" not in message) or line.isspace()):
            self._unreadable.append(line)
        if self._is_greeted:
            if _is_id(id) and id in self._unanswered:
                self._sent.add(id)
            if not is_forwarded:
                self._send(line)

    def _take_request(self, id: str | int, request: dict[str, Any], line: bytes) -> None:
        if request["method"] not in METHODS:
            self._unanswered[id] = line
            return
        self._storable[id] = request
        self._stored.note_version(request)
        result = None if self._is_greeted else self._stored.find(request)
        if request["method"] == "initialize":
            self._opening, self._opening_id, self._has_opened = {"initialize": line}, id, result is not None
        if result is not None:
            self._answered_early[id] = result
            self._to_client += f'{{"jsonrpc":"2.0","id":{json.dumps(id)},"result":{result}}}\n'.encode()
        if request["method"] != "initialize":
            self._unanswered[id] = line

    def _exchange(self, server: socket.socket, events: int) -> None:
        try:
            if events & select.POLLOUT:
                self._write_server(server)
            if events & ~select.POLLOUT:
                chunk = server.recv(_CHUNK)
                is_forwarded = self._can_forward(chunk)
                if is_forwarded:
                    self._to_client += chunk
                    self._write_client_now()
                for line in self._from_server.feed(chunk):
                    self._answer(line, is_forwarded=is_forwarded) if self._is_greeted else self._greet(line)
                if not is_forwarded:
                    self._write_client_now()
                if not chunk:
                    self._lose_server(server)
        except BlockingIOError:
            return
        except OSError:
            self._lose_server(server)

    def _can_forward(self, chunk: bytes) -> bool:
        """Whether the chunk can be forwarded unparsed: whole lines, none of which the client already has."""
        is_next = self._is_greeted and not self._to_client and not self._answered_early
        return is_next and self._from_server.would_be_whole(chunk)

    def _write_server(self, server: socket.socket) -> None:
        try:
            sent = server.send(self._to_server)
        except BlockingIOError:
            return
        except OSError:  # its last output is read first
            return
        del self._to_server[:sent]
        if not self._to_server and self._client_ended:
            self._end_server_input()

    def _end_server_input(self) -> None:
        """Closes our side, so that the server sends its last answers and closes the connection."""
        if self._server is not None and self._is_greeted and not self._to_server:
            try:
                self._server.shutdown(1)  # SHUT_WR
            except OSError:
                return

    def _answer(self, line: bytes, *, is_forwarded: bool) -> None:
        """Handles a line of the server. An answer that the client already has is only compared."""
        if line.startswith(_ANSWER):
            text = line.decode()
            id, end = _decoder.raw_decode(text, len(_ANSWER))
            if text.startswith(_METHOD, end):
                self._questions.add(id)
            elif id is None:
                self._forget_refused()
            elif self._was_answered(id, text[end:-2]):
                return
        elif self._questions and line.startswith(_CANCELLED):
            self._questions.discard(_cancelled_id(json.loads(line)))
        if not is_forwarded:
            self._to_client += line

    def _forget_refused(self) -> None:
        """Removes requests in which the server found no id, because it reads JSON more strictly than we do."""
        from handrail.kernel import strict_json
        from handrail.ports.errors import InvalidParams

        for id in self._sent & self._unanswered.keys():
            try:
                strict_json.decode(self._unanswered[id], max_bytes=_LONGEST_LINE, max_depth=_MAX_DEPTH)
            except InvalidParams:
                del self._unanswered[id]
                self._sent.discard(id)

    def _was_answered(self, id: str | int, text: str) -> bool:
        """Removes the request; returns whether the client already has its answer."""
        self._unanswered.pop(id, None)
        self._sent.discard(id)
        early = self._answered_early.pop(id, None)
        request = self._storable.pop(id, None)
        if request is None:
            return early is not None
        result = text.removeprefix(_RESULT)
        if result != text:
            self._stored.keep(request, result)
        if request["method"] == "initialize":
            self._has_opened = True
        elif early and early != result and request["method"] == "tools/list":
            self._to_client += _LIST_CHANGED
        return early is not None

    def _write_client_now(self) -> None:
        """Writes a few kilobytes if the client's pipe accepts them at once."""
        if self._to_client and self._client_room.poll(0) == [(self._writing, select.POLLOUT)]:
            self._write_client(0)

    def _write_client(self, events: int) -> None:
        if events & _GONE:
            self._to_client.clear()
            self._client_ended = self._is_gone = True
            return
        try:
            del self._to_client[: os.write(self._writing, self._to_client[:_PIPE_ROOM])]
        except BrokenPipeError:
            self._write_client(select.POLLERR)

    def _lose_server(self, server: socket.socket) -> None:
        server.close()
        self._server, self._is_greeted = None, False
        self._to_server.clear()  # the next server gets everything again, in order
        for id in self._questions:  # the next server asks again
            params = {"requestId": id, "reason": "handrail was restarted."}
            withdrawn = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
            self._to_client += json.dumps(withdrawn).encode() + b"\n"
        self._questions.clear()
        if self._client_ended:
            self._unanswered.clear()


def _is_id(value: Any) -> TypeGuard[str | int]:
    """Whether the server takes it for an id."""
    is_number = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _LARGEST_ID
    return is_number or isinstance(value, str)


def _cancelled_id(notification: dict[str, Any]) -> str | int:
    params = notification.get("params")
    id = params.get("requestId") if isinstance(params, dict) else None
    return id if _is_id(id) else ""
