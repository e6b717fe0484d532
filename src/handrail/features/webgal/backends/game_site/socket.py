"""One engine's websocket: frames in and out. What they mean is the screen's business."""

import asyncio
from collections.abc import Callable

from websockets.frames import Frame, Opcode
from websockets.http11 import Request as Handshake
from websockets.protocol import OPEN
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from handrail.features.webgal.backends.game_site.requests import Request
from handrail.features.webgal.script.sync import V1, Generation, generation_of

_LARGEST_MESSAGE = 8 * 1024 * 1024


class EngineSocket:
    def __init__(self, writer: asyncio.StreamWriter, protocol: ServerProtocol, generation: Generation) -> None:
        self._writer = writer
        self._protocol = protocol
        self.generation: Generation = generation

    @classmethod
    def accept(cls, request: Request, writer: asyncio.StreamWriter) -> "EngineSocket | None":
        """None: it was no proper handshake, and has been told so."""
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
        """Until either side ends it."""
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
