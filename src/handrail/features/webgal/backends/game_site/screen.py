"""A screen of the game site: pages that follow a destination, over the engine's websocket."""

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
from handrail.features.webgal.script.sync import (
    V1,
    BrokenPicture,
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

_LARGEST_MESSAGE = 8 * 1024 * 1024


class EngineSocket:
    def __init__(self, writer: asyncio.StreamWriter, protocol: ServerProtocol, generation: Generation) -> None:
        self._writer = writer
        self._protocol = protocol
        self.generation: Generation = generation

    @classmethod
    def accept(cls, request: Request, writer: asyncio.StreamWriter) -> "EngineSocket | None":
        """None if the handshake was invalid; the client got an error then."""
        offered = [each.strip() for each in request.headers.get("sec-websocket-protocol", "").split(",")]
        generation = generation_of(offered)
        spoken = [Subprotocol(V1)] if generation == "v1" else None
        protocol = ServerProtocol(subprotocols=spoken, max_size=_LARGEST_MESSAGE)
        protocol.receive_data(request.raw)
        asked = [event for event in protocol.events_received() if isinstance(event, Handshake)]
        if asked:
            protocol.send_response(protocol.accept(asked[0]))
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


_LOOK_EVERY = 0.02
_PAUSE = 0.01
_STAYS = 1.0
"""How long an engine must tell the same place, before the line that was asked for, until we believe that it stays."""
_MOST_TROUBLES = 100
_MARK = "jump="


class GameScreen:
    def __init__(self, origin: str, stamp: Callable[[str], Stamp | None], on_close: Callable[[str], None]) -> None:
        self.name = secrets.token_urlsafe(24)
        self.address = f"{origin}/{self.name}/"
        self._stamp = stamp
        self._on_close = on_close
        self._sockets: dict[EngineSocket, State | None] = {}
        self._begun: dict[EngineSocket, tuple[int, float]] = {}
        """The jump whose text an engine was given, and when."""
        self._states_heard = 0
        self._heard_at = 0.0
        self._numbers = itertools.count(1)
        self._number = 0
        self._destination: Destination | None = None
        self._served: dict[str, Stamp | None] = {}
        self._asked_at: dict[str, int] = {}
        self._broken: dict[str, tuple[Stamp | None, int]] = {}
        """Pictures that could not be shown: the file as it was, and at which jump."""
        self._troubles: list[PageProblem] = []
        self._requests = 0
        self._changed = asyncio.Event()
        self.on_state: Callable[[State], None] = lambda state: None
        """Called with everything that an engine tells of its stage."""

    @property
    def has_page(self) -> bool:
        return any(state is not None for state in self._sockets.values())

    @property
    def missing(self) -> Sequence[str]:
        return [path for path, stamp in self._served.items() if stamp is None and self._now(path) is None]

    @property
    def newly_missing(self) -> Sequence[str]:
        return [path for path in self.missing if self._asked_at[path] == self._number]

    @property
    def broken(self) -> Sequence[str]:
        return [path for path, (stamp, _) in self._broken.items() if stamp is not None and stamp == self._now(path)]

    @property
    def newly_broken(self) -> Sequence[str]:
        return [path for path in self.broken if self._broken[path][1] == self._number]

    @property
    def is_stale(self) -> bool:
        return any(self._now(path) != stamp for path, stamp in self._served.items() if not _is_read_anew(path))

    def take_problems(self) -> list[PageProblem]:
        taken, self._troubles = self._troubles, []
        return taken

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Held while a request of this screen is answered."""
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
        last, since, heard_before = None, 0.0, self._states_heard
        while True:
            self._changed.clear()
            for socket, state in self._sockets.items():
                # An old engine's last word may be a second old; a new one speaks at every change.
                is_fresh = socket.generation == "v1" or self._states_heard > heard_before
                if state is None or self._destination is None or not is_fresh:
                    continue
                if (state.scene, state.sentence) != last:
                    last, since = (state.scene, state.sentence), self._heard_at
                # An old engine that is busy says nothing: only between its words time counts.
                told_at = self._heard_at if socket.generation == "legacy" else time.monotonic()
                if (position := self._position(socket, state, since, told_at)) is not None:
                    return position
            if on_poll is not None:
                on_poll()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), _LOOK_EVERY)
            await asyncio.sleep(_PAUSE)  # each look makes the engine spell out its whole stage

    async def wait_until_quiet(self, missing: Collection[str]) -> None:
        awaited = [path for path in missing if self._now(path) is None]
        while self._requests or not all(path in self._served for path in awaited):
            self._changed.clear()
            await self._changed.wait()

    def close(self) -> None:
        self._on_close(self.name)

    def draft(self, query: str) -> bytes | None:
        """The unsaved text that replaces a scene, or None if the file is used."""
        if self._destination is None or self._destination.content is None or query != f"{_MARK}{self._number}":
            return None
        return self._destination.content.encode("utf-8", "replace")

    def note(self, path: str, stamp: Stamp | None) -> None:
        """Records that a page asked for this file of the game, and what was found."""
        self._served[path] = stamp
        self._asked_at.setdefault(path, self._number)

    async def connect(self, socket: EngineSocket, reader: asyncio.StreamReader) -> None:
        self._sockets[socket] = None
        try:
            await socket.listen(reader, lambda text: self._hear(socket, text))
        finally:
            del self._sockets[socket]
            self._begun.pop(socket, None)

    def _hear(self, socket: EngineSocket, text: bytes) -> None:
        told = parse_message(socket.generation, text)
        if isinstance(told, Registration):
            socket.send(registration_reply(told))
        elif isinstance(told, PageError):
            self._complain(told.message, self._sockets[socket])
        elif isinstance(told, BrokenPicture):
            self._note_broken(told.address)
        elif isinstance(told, JumpStarted):
            self._begun[socket] = told.number, time.monotonic()
        elif isinstance(told, State):
            is_first = self._sockets[socket] is None  # what is sent before an engine has spoken is lost
            self._sockets[socket] = told
            self._states_heard += 1
            self._heard_at = time.monotonic()
            self.on_state(told)
            if is_first and self._destination is not None:
                self._send(socket)
            self._changed.set()

    def _note_broken(self, address: str) -> None:
        path = urlsplit(address).path.partition(f"/{self.name}/game/")[2]
        name = unquote(path)
        if name and len(self._broken) < _MOST_TROUBLES:
            self._broken.setdefault(name, (self._now(name), self._number))

    def _complain(self, message: str, state: State | None) -> None:
        is_here = state is not None and self._destination is not None and state.scene == self._scene()
        line = max(state.sentence, 1) if is_here and state is not None else None
        if len(self._troubles) < _MOST_TROUBLES:
            self._troubles.append(PageProblem(message, line=line, is_exception=True))

    def _send(self, socket: EngineSocket) -> None:
        assert self._destination is not None
        socket.send(jump(socket.generation, self._scene(), self._destination.line, f"handrail-{self._number}"))

    def _scene(self) -> str:
        assert self._destination is not None
        return f"{quote(self._destination.scene)}?{_MARK}{self._number}"

    def _position(self, socket: EngineSocket, state: State, since: float, told_at: float) -> Position | None:
        """Where the jump ended; None while it is still running."""
        assert self._destination is not None
        if state.scene == self._scene():
            if state.sentence >= self._destination.line:
                return Position(self._destination.scene, state.sentence, state.stage)
            stays = told_at - since >= _STAYS
            return Position(self._destination.scene, state.sentence, state.stage, is_waiting=True) if stays else None
        number, begun_at = self._begun.get(socket, (0, 0.0))
        # What it told before it had the text, it told of what was there before.
        has_left = number == self._number and told_at - max(since, begun_at) >= _STAYS
        return Position(state.scene, state.sentence, state.stage, has_left=True) if has_left else None

    def _now(self, path: str) -> Stamp | None:
        try:
            return self._stamp(path)
        except Failure:
            return None


def _is_read_anew(path: str) -> bool:
    """Whether the engine reads this file again. It does so for scenes at every jump, and keeps everything else."""
    return path.startswith("scene/")
