"""The clipboard of a Wayland session: offers a text for one paste, and restores the previous content afterwards."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

from handrail.features.desktop.backends.wayland.connection import Proxy
from handrail.features.desktop.backends.wayland.session import Session, Wayland

_TEXT_TYPES = ("text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "TEXT", "STRING")
_MAX_TYPES = 40
_MAX_BYTES = 32 * 1024 * 1024
_SAVE_SECONDS = 5.0
_PART_BYTES = 1 << 16


class Offer:
    """Gives its contents to any program that pastes, because the compositor doesn't report which one it is."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self.contents = contents
        self.requested = asyncio.Event()
        self.transferred = asyncio.Event()
        self.is_replaced = False
        self._writing: set[asyncio.Task[None]] = set()

    def on_send(self, kind: str, descriptor: int) -> None:
        writing = asyncio.get_running_loop().create_task(self._write(self.contents.get(kind, b""), descriptor))
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)

    async def _write(self, content: bytes, descriptor: int) -> None:
        self.requested.set()
        await asyncio.to_thread(_write_all, descriptor, content)
        self.transferred.set()


class WaylandClipboard:
    def __init__(self, wayland: Wayland) -> None:
        self._wayland = wayland
        self._session: Session | None = None
        self._device: Proxy | None = None
        self._manager: Proxy | None = None
        self._types: dict[int, list[str]] = {}
        """The types in each offer of another program."""
        self._selection = 0
        self._own_offer: Offer | None = None
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def lending(self, text: str, pasting_window: int) -> AsyncIterator[Offer]:
        async with self._lock:
            previous = await self._read_contents()
            offer = self._put(_contents(text))
            try:
                yield offer
            finally:
                if self._own_offer is offer and not offer.is_replaced:
                    self._put(previous)

    async def text(self) -> str | None:
        async with self._lock:
            contents = await self._read_contents(_TEXT_TYPES)
        return next((contents[kind].decode("utf-8", "replace") for kind in _TEXT_TYPES if kind in contents), None)

    async def put(self, text: str) -> None:
        async with self._lock:
            self._put(_contents(text))

    def _put(self, contents: Mapping[str, bytes]) -> Offer:
        manager, device = self._open()
        offer = Offer(contents)
        self._own_offer = offer if contents else None
        if not contents:
            device.send("set_selection", None)
        else:
            source = manager.send("create_data_source")
            source.on = {"send": offer.on_send, "cancelled": lambda: setattr(offer, "is_replaced", True)}
            for kind in contents:
                source.send("offer", kind)
            device.send("set_selection", source)
        self._wayland.session().connection.roundtrip()
        return offer

    async def _read_contents(self, types: tuple[str, ...] | None = None) -> dict[str, bytes]:
        """Reads the current content in every type, within the limits."""
        self._open()
        connection = self._wayland.session().connection
        connection.roundtrip()
        if self._own_offer is not None and not self._own_offer.is_replaced:
            return dict(self._own_offer.contents)
        offer = connection.object(self._selection) if self._selection else None
        if offer is None:
            return {}
        contents: dict[str, bytes] = {}
        with suppress(TimeoutError):
            async with asyncio.timeout(_SAVE_SECONDS):
                for kind in self._types.get(self._selection, [])[:_MAX_TYPES]:
                    if types is None or kind in types:
                        remaining = _MAX_BYTES - sum(map(len, contents.values()))
                        if (content := await self._receive_content(offer, kind, remaining)) is not None:
                            contents[kind] = content
        return contents

    async def _receive_content(self, offer: Proxy, kind: str, max_bytes: int) -> bytes | None:
        reading, writing = os.pipe2(os.O_CLOEXEC)
        try:
            offer.send("receive", kind, writing)
        finally:
            os.close(writing)
        stream = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(reading, "rb", buffering=0)
        )
        try:
            content = bytearray()
            while part := await stream.read(_PART_BYTES):
                content += part
                if len(content) > max_bytes:
                    return None
            return bytes(content)
        finally:
            transport.close()

    def _open(self) -> tuple[Proxy, Proxy]:
        session = self._wayland.session()
        if session is not self._session or self._manager is None or self._device is None:
            self._session, self._own_offer, self._types, self._selection = session, None, {}, 0
            self._manager = session.connection.bind_data_control()
            self._device = self._manager.send("get_data_device", session.seat)
            self._device.on = {"data_offer": self._on_offer, "selection": self._on_selection}
            session.connection.roundtrip()
        return self._manager, self._device

    def _on_offer(self, offer: Proxy) -> None:
        kinds: list[str] = []
        self._types[offer.id] = kinds
        offer.on = {"offer": kinds.append}

    def _on_selection(self, id: int) -> None:
        self._selection = id
        self._types = {id: self._types.get(id, [])}


def _contents(text: str) -> dict[str, bytes]:
    return dict.fromkeys(_TEXT_TYPES, text.encode())


def _write_all(descriptor: int, content: bytes) -> None:
    with suppress(OSError), open(descriptor, "wb") as pipe:
        pipe.write(content)
