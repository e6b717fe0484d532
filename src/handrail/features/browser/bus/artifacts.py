"""Artifacts: a slot is issued, filled once, readable for a day, and then deleted.

Knows who may upload what and until when; files are behind a port.
"""

import asyncio
import hmac
import logging
import re
import secrets
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Protocol

from handrail.features.browser.bus.tasks import Now, milliseconds
from handrail.kernel.lanes import Lanes
from handrail.ports.browser import Artifact, UploadSlot
from handrail.ports.browser_store import ArtifactRecord, ArtifactStore
from handrail.ports.errors import Conflict, Declined, Failure, Gone, InvalidParams, NotFound, Timeout, TooLarge

MAX_BYTES = 25 * 1024 * 1024
UPLOAD_WITHIN = 60.0
UPLOAD_FOR_MS = 15 * 60 * 1000
KEPT_FOR_MS = 24 * 3600 * 1000
CONTENT_TYPE = r"^[A-Za-z0-9!#$&^_.+-]{1,64}/[A-Za-z0-9!#$&^_.+-]{1,64}(?:; ?charset=[A-Za-z0-9_-]{1,32})?$"
KIND = r"^[a-z][a-z0-9_-]{0,31}$"
_REMEMBERED_FOR_MS = 7 * KEPT_FOR_MS  # so that a late visitor is told "too old", and not "never was"
_CHUNK = 256 * 1024

logger = logging.getLogger(__name__)


class Incoming(Protocol):
    """A file that is being received and has no name yet. All methods block."""

    def write(self, data: bytes) -> None: ...

    def keep(self, rest: bytes) -> None:
        """Writes the rest and gives the complete file its name, or raises."""
        ...

    def discard(self) -> None: ...


class ArtifactFiles(Protocol):
    """All methods but `receive` block, and may raise InputOutput."""

    def receive(self, artifact_id: str) -> Incoming: ...

    def read(self, artifact_id: str) -> bytes | None: ...

    def remove(self, artifact_id: str) -> None: ...

    def names(self) -> list[str]: ...

    def remove_parts(self) -> None:
        """Removes incomplete uploads of an earlier server."""
        ...


class Artifacts:
    """`address` is the server's own, once it listens."""

    def __init__(self, store: ArtifactStore, files: ArtifactFiles, now: Now = milliseconds) -> None:
        self.address = ""
        self._store = store
        self._files = files
        self._now = now
        self._keeping = Lanes()

    async def presign(self, task_id: str, kind: str, content_type: str, name: str = "") -> UploadSlot:
        if re.fullmatch(KIND, kind) is None:
            raise _wrong("kind", "must be a short lower-case word")
        if re.fullmatch(CONTENT_TYPE, content_type) is None:
            raise _wrong("contentType", "must be a media type, such as image/png")
        artifact_id, token, now = f"art-{secrets.token_hex(16)}", secrets.token_urlsafe(32), self._now()
        await self._store.add(
            ArtifactRecord(
                artifact_id, task_id, kind, content_type, name, _hash(token), now + UPLOAD_FOR_MS, now + KEPT_FOR_MS
            )
        )
        url = self.url(artifact_id)
        return UploadSlot(
            artifact_id=artifact_id,
            upload_url=f"{url}/upload?token={token}",
            download_url=url,
            expires_at=now + UPLOAD_FOR_MS,
        )

    def url(self, artifact_id: str) -> str:
        return f"{self.address}/api/artifacts/{artifact_id}"

    async def receive(self, artifact_id: str, token: str, body: AsyncIterator[bytes]) -> str:
        """Returns the download URL. Only the slot's token counts; the same bytes may be sent twice."""
        record = await self._found(artifact_id)
        if not hmac.compare_digest(_hash(token), record.token_hash):
            raise Declined("This upload address is not valid.", reason="token")
        if self._now() >= record.upload_until:
            raise Gone("This upload address has expired.", artifactId=artifact_id, reason="expired")
        await self._fill(record, body)
        return self.url(artifact_id)

    async def add(self, task_id: str, kind: str, content_type: str, data: bytes, name: str = "") -> str:
        slot = await self.presign(task_id, kind, content_type, name)

        async def whole() -> AsyncIterator[bytes]:
            yield data

        await self._fill(await self._found(slot.artifact_id), whole())
        return slot.artifact_id

    async def fetch(self, artifact_id: str) -> Artifact:
        record = await self.find(artifact_id)
        data = await asyncio.to_thread(self._read, record)
        if data is None:
            raise NotFound("Its file is no longer there.", artifactId=artifact_id)
        return Artifact(artifact_id, record.kind, record.content_type, data)

    def _read(self, record: ArtifactRecord) -> bytes | None:
        """None where a power cut has taken it, or a part of it."""
        data = self._files.read(record.artifact_id)
        return data if data is not None and sha256(data).hexdigest() == record.digest else None

    async def find(self, artifact_id: str) -> ArtifactRecord:
        """The metadata of one that can be downloaded. NotFound, Gone."""
        record = await self._found(artifact_id)
        if self._now() >= record.kept_until:
            raise Gone("This artifact has expired.", artifactId=artifact_id, reason="expired")
        if record.digest is None:
            raise NotFound("Nothing was uploaded here yet.", artifactId=artifact_id)
        return record

    async def start(self) -> None:
        await asyncio.to_thread(self._files.remove_parts)

    async def sweep(self) -> None:
        """Deletes expired artifacts and unknown files."""
        now = self._now()
        gone = set(await self._store.expired(now))
        for name in await asyncio.to_thread(self._files.names):
            if name in gone or await self._store.find(name) is None:
                try:
                    await asyncio.to_thread(self._files.remove, name)
                except Failure as failure:
                    logger.warning("an expired artifact stays: %s", failure.message)
        await self._store.forget(now - _REMEMBERED_FOR_MS)

    async def _found(self, artifact_id: str) -> ArtifactRecord:
        record = await self._store.find(artifact_id)
        if record is None:
            raise NotFound("There is no such artifact.", artifactId=artifact_id)
        return record

    async def _fill(self, record: ArtifactRecord, body: AsyncIterator[bytes]) -> None:
        incoming = self._files.receive(record.artifact_id)
        try:
            digest, size, rest = await self._written(incoming, body)
            async with self._keeping.turn(record.artifact_id):  # of two at once, one is the first
                record = await self._found(record.artifact_id)
                if record.digest is None:
                    await asyncio.to_thread(incoming.keep, rest)
                    await self._store.set_content(record.artifact_id, digest, size)
                    return
            if record.digest != digest:
                raise Conflict("Something else was uploaded here before.", artifactId=record.artifact_id)
            await asyncio.to_thread(incoming.discard)
        except BaseException:
            await asyncio.shield(asyncio.to_thread(incoming.discard))
            raise

    async def _written(self, incoming: Incoming, body: AsyncIterator[bytes]) -> tuple[str, int, bytes]:
        """Its hash, its size, and what is not written yet: all of it, if it is short."""
        digest, size, waiting = sha256(), 0, bytearray()
        try:
            async with asyncio.timeout(UPLOAD_WITHIN):
                async for chunk in body:
                    size += len(chunk)
                    if size > MAX_BYTES:
                        raise TooLarge(f"An artifact may have {MAX_BYTES} bytes.", maxUploadBytes=MAX_BYTES)
                    digest.update(chunk)
                    waiting += chunk
                    if len(waiting) >= _CHUNK:
                        await asyncio.to_thread(incoming.write, bytes(waiting))
                        waiting.clear()
        except TimeoutError:
            raise Timeout(f"The upload took longer than {UPLOAD_WITHIN:g} s.") from None
        return digest.hexdigest(), size, bytes(waiting)


def _hash(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _wrong(field: str, message: str) -> InvalidParams:
    return InvalidParams(f"`{field}` {message}.", fieldErrors=[{"field": field, "message": message}])
