"""The odd app behind HTTP, in the test's own process, so that a test sees every request and broken connection."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.odd_app import CRASH, HANG, answers


@dataclass
class ReceivedRequest:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes


Answer = Callable[[ReceivedRequest], bytes]


@dataclass
class OddServer:
    """`answer` replaces the odd app's response."""

    port: int = 0
    seen: list[ReceivedRequest] = field(default_factory=list)
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    answer: Answer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (head := await reader.readuntil(b"\r\n\r\n")).strip():
                lines = head.decode("latin-1").split("\r\n")
                method, target, _ = lines[0].split(" ")
                pairs = (line.split(":", 1) for line in lines[1:] if line)
                headers = {name.lower(): value.strip() for name, value in pairs}
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                self.seen.append(ReceivedRequest(method, target, headers, body))
                writer.write(await self._said(self.seen[-1], reader))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            self.gone.set()
        finally:
            writer.close()

    async def _said(self, request: ReceivedRequest, reader: asyncio.StreamReader) -> bytes:
        if self.answer is not None:
            return self.answer(request)
        output = answers(request.body.decode())
        if output is HANG:
            await reader.read(1)  # waits until the other side gives up
        if output is HANG or output is CRASH:
            raise ConnectionResetError
        return response(200, output[0].encode())


def response(status: int, body: bytes, **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} Some", f"Content-Length: {len(body)}", "Content-Type: application/json"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join((*lines, "", "")).encode() + body


def as_json(value: object) -> bytes:
    return response(200, json.dumps(value).encode())


@asynccontextmanager
async def odd_server() -> AsyncIterator[OddServer]:
    odd = OddServer()
    serving: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        serving.add(task)
        await odd.serve(reader, writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 20)
    odd.port = server.sockets[0].getsockname()[1]
    try:
        yield odd
    finally:
        server.close()
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
