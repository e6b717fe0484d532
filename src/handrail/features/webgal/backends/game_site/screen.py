"""A screen of the game site: pages that follow a destination over the engine's websocket."""

import asyncio
import itertools
import secrets
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from urllib.parse import quote, unquote, urlsplit

from websockets.frames import Frame, Opcode
from websockets.http11 import Request as Handshake
from websockets.protocol import OPEN
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from handrail.features.browser.offers import PageProblem
from handrail.features.webgal.backends.game_site.http import Request
from handrail.features.webgal.preview_ports import Destination, OnPoll, Position
from handrail.features.webgal.script.media import is_video
from handrail.features.webgal.script.sync import (
    V1,
    BrokenFile,
    Generation,
    JumpStarted,
    PageError,
    Registration,
    State,
    generation_of,
    jump,
    parse_message,
    registration_reply,
)
from handrail.ports.errors import Failure
from handrail.ports.files import Stamp

_MAX_MESSAGE = 8 * 1024 * 1024


class EngineSocket:
    def __init__(self, writer: asyncio.StreamWriter, protocol: ServerProtocol, generation: Generation) -> None:
        self._writer = writer
        self._protocol = protocol
        self.generation: Generation = generation

    @classmethod
    def accept(cls, request: Request, writer: asyncio.StreamWriter) -> "EngineSocket | None":
        """Returns None if the handshake was invalid; the client got an error then."""
        offered = [each.strip() for each in request.headers.get("sec-websocket-protocol", "").split(",")]
        generation = generation_of(offered)
        subprotocols = [Subprotocol(V1)] if generation == "v1" else None
        protocol = ServerProtocol(subprotocols=subprotocols, max_size=_MAX_MESSAGE)
        protocol.receive_data(request.raw)
        handshakes = [event for event in protocol.events_received() if isinstance(event, Handshake)]
        if handshakes:
            protocol.send_response(protocol.accept(handshakes[0]))
        socket = cls(writer, protocol, generation)
        socket._flush()
        return socket if protocol.state is OPEN else None

    async def listen(self, reader: asyncio.StreamReader, on_text: Callable[[bytes], None]) -> None:
        """Returns when either side closes the connection."""
        pieces: list[bytes] = []
        while data := await reader.read(1 << 16):
            self._protocol.receive_data(data)
            for frame in self._protocol.events_received():
                if isinstance(frame, Frame) and frame.opcode in (Opcode.TEXT, Opcode.CONT):
                    pieces.append(bytes(frame.data))
                    if frame.fin:
                        on_text(b"".join(pieces))
                        pieces = []
            self._flush()
            if self._protocol.close_expected():
                break

    def send(self, text: str) -> None:
        if self._protocol.state is OPEN:
            self._protocol.send_text(text.encode())
            self._flush()

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._writer.write(data)
            elif self._writer.can_write_eof():
                self._writer.write_eof()


_POLL_SECONDS = 0.02
_PAUSE_SECONDS = 0.01
_SETTLED_SECONDS = 1.0
"""How long an engine must report the same place before the requested line until we assume that it stays there."""
_MAX_PROBLEMS = 100
_JUMP_PREFIX = "jump="


class GameScreen:
    def __init__(self, origin: str, stamp: Callable[[str], Stamp | None], on_close: Callable[[str], None]) -> None:
        self.name = secrets.token_urlsafe(24)
        self.address = f"{origin}/{self.name}/"
        self._stamp = stamp
        self._on_close = on_close
        self._sockets: dict[EngineSocket, State | None] = {}
        self._started_jumps: dict[EngineSocket, tuple[int, float]] = {}
        """The jump whose text an engine has received, and when."""
        self._state_count = 0
        self._last_state_at = 0.0
        self._numbers = itertools.count(1)
        self._number = 0
        self._destination: Destination | None = None
        self._served: dict[str, Stamp | None] = {}
        self._requested_at: dict[str, int] = {}
        self._broken: dict[str, tuple[Stamp | None, int]] = {}
        """Files that could not be shown or played: the file's stamp, and at which jump."""
        self._problems: list[PageProblem] = []
        self._requests = 0
        self._changed = asyncio.Event()
        self.on_state: Callable[[State], None] = lambda state: None
        """Called with every state that an engine reports."""

    @property
    def has_page(self) -> bool:
        return any(state is not None for state in self._sockets.values())

    @property
    def missing(self) -> Sequence[str]:
        return [path for path, stamp in self._served.items() if stamp is None and self._now(path) is None]

    @property
    def newly_missing(self) -> Sequence[str]:
        return [path for path in self.missing if self._requested_at[path] == self._number]

    @property
    def broken(self) -> Sequence[str]:
        return [path for path, (stamp, _) in self._broken.items() if stamp is not None and stamp == self._now(path)]

    @property
    def newly_broken(self) -> Sequence[str]:
        return [path for path in self.broken if self._broken[path][1] == self._number]

    @property
    def is_stuck(self) -> bool:
        """An engine loads one file after the other, and waits forever for a background video that is missing, too."""
        return any(is_video(path) for path in self._broken)

    @property
    def is_stale(self) -> bool:
        return any(self._now(path) != stamp for path, stamp in self._served.items() if not _is_reread(path))

    def take_problems(self) -> list[PageProblem]:
        problems, self._problems = self._problems, []
        return problems

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Entered while a request of this screen is answered."""
        self._requests += 1
        try:
            yield
        finally:
            self._requests -= 1
            self._changed.set()

    def send_to(self, destination: Destination) -> None:
        self._destination, self._number = destination, next(self._numbers)
        for socket, state in self._sockets.items():
            if state is not None:
                self._send(socket)

    async def wait_for_arrival(self, on_poll: OnPoll | None = None) -> Position:
        last, since, count_before = None, 0.0, self._state_count
        while True:
            self._changed.clear()
            for socket, state in self._sockets.items():
                # An old engine reports once a second, so its last state may be stale; a new one reports every change.
                is_fresh = socket.generation == "v1" or self._state_count > count_before
                if state is None or self._destination is None or not is_fresh:
                    continue
                if (state.scene, state.sentence) != last:
                    last, since = (state.scene, state.sentence), self._last_state_at
                # A busy old engine reports nothing, so only the time between its reports counts.
                reported_at = self._last_state_at if socket.generation == "legacy" else time.monotonic()
                if (position := self._position(socket, state, since, reported_at)) is not None:
                    return position
            if on_poll is not None:
                on_poll()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), _POLL_SECONDS)
            await asyncio.sleep(_PAUSE_SECONDS)  # each poll makes the engine serialize its whole stage

    async def wait_until_quiet(self, missing: Collection[str]) -> None:
        awaited = [path for path in missing if self._now(path) is None]
        while self._requests or not all(path in self._served for path in awaited):
            self._changed.clear()
            await self._changed.wait()

    def close(self) -> None:
        self._on_close(self.name)

    def draft(self, query: str) -> bytes | None:
        """Returns the unsaved text that replaces a scene, or None if the file is used."""
        if self._destination is None or self._destination.content is None or query != f"{_JUMP_PREFIX}{self._number}":
            return None
        return self._destination.content.encode("utf-8", "replace")

    def note(self, path: str, stamp: Stamp | None) -> None:
        """Records that a page requested this file of the game, and its stamp."""
        self._served[path] = stamp
        self._requested_at.setdefault(path, self._number)

    async def connect(self, socket: EngineSocket, reader: asyncio.StreamReader) -> None:
        self._sockets[socket] = None
        try:
            await socket.listen(reader, lambda text: self._handle_message(socket, text))
        finally:
            del self._sockets[socket]
            self._started_jumps.pop(socket, None)

    def _handle_message(self, socket: EngineSocket, text: bytes) -> None:
        message = parse_message(socket.generation, text)
        if isinstance(message, Registration):
            socket.send(registration_reply(message))
        elif isinstance(message, PageError):
            self._record_error(message.message, self._sockets[socket])
        elif isinstance(message, BrokenFile):
            self._record_broken(message.address)
        elif isinstance(message, JumpStarted):
            self._started_jumps[socket] = message.number, time.monotonic()
        elif isinstance(message, State):
            is_first = self._sockets[socket] is None  # messages sent before the engine's first state are lost
            self._sockets[socket] = message
            self._state_count += 1
            self._last_state_at = time.monotonic()
            self.on_state(message)
            if is_first and self._destination is not None:
                self._send(socket)
            self._changed.set()

    def _record_broken(self, address: str) -> None:
        path = urlsplit(address).path.partition(f"/{self.name}/game/")[2]
        name = unquote(path)
        if name and len(self._broken) < _MAX_PROBLEMS:
            self._broken.setdefault(name, (self._now(name), self._number))

    def _record_error(self, message: str, state: State | None) -> None:
        is_here = state is not None and self._destination is not None and state.scene == self._scene()
        line = max(state.sentence, 1) if is_here and state is not None else None
        if len(self._problems) < _MAX_PROBLEMS:
            self._problems.append(PageProblem(message, line=line, is_exception=True))

    def _send(self, socket: EngineSocket) -> None:
        assert self._destination is not None
        socket.send(jump(socket.generation, self._scene(), self._destination.line, f"handrail-{self._number}"))

    def _scene(self) -> str:
        assert self._destination is not None
        return f"{quote(self._destination.scene)}?{_JUMP_PREFIX}{self._number}"

    def _position(self, socket: EngineSocket, state: State, since: float, reported_at: float) -> Position | None:
        """Returns where the jump ended; None while it is still running."""
        assert self._destination is not None
        if state.scene == self._scene():
            if state.sentence >= self._destination.line:
                return Position(self._destination.scene, state.sentence, state.stage)
            stays = reported_at - since >= _SETTLED_SECONDS
            return Position(self._destination.scene, state.sentence, state.stage, is_waiting=True) if stays else None
        number, started_at = self._started_jumps.get(socket, (0, 0.0))
        # States from before it received the text belong to the previous jump.
        has_left = number == self._number and reported_at - max(since, started_at) >= _SETTLED_SECONDS
        return Position(state.scene, state.sentence, state.stage, has_left=True) if has_left else None

    def _now(self, path: str) -> Stamp | None:
        try:
            return self._stamp(path)
        except Failure:
            return None


def _is_reread(path: str) -> bool:
    """Returns whether the engine reads this file again: it rereads scenes at every jump, and caches the rest."""
    return path.startswith("scene/")
