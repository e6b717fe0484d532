"""Artifacts: files in slots that are filled once, can be read for a day, and are then deleted."""

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
_REMEMBERED_FOR_MS = 7 * KEPT_FOR_MS  # so that late requests get "expired" instead of "unknown"
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
    """All methods except `receive` block, and may raise InputOutput."""

    def receive(self, artifact_id: str) -> Incoming: ...

    def read(self, artifact_id: str) -> bytes | None: ...

    def remove(self, artifact_id: str) -> None: ...

    def names(self) -> list[str]: ...

    def remove_parts(self) -> None:
        """Removes incomplete uploads of an earlier server."""
        ...


class Artifacts:
    """`address`: the server's own, set once it listens."""

    def __init__(self, store: ArtifactStore, files: ArtifactFiles, now: Now = milliseconds) -> None:
        self.address = ""
        self._store = store
        self._files = files
        self._now = now
        self._keeping = Lanes()

    async def presign(self, task_id: str, kind: str, content_type: str, name: str = "") -> UploadSlot:
        slot, storing = self.reserve(task_id, kind, content_type, name)
        await storing
        return slot

    def reserve(
        self, task_id: str, kind: str, content_type: str, name: str = ""
    ) -> tuple[UploadSlot, asyncio.Future[None]]:
        """A slot, and when it is stored."""
        if re.fullmatch(KIND, kind) is None:
            raise _invalid_field("kind", "must be a short lower-case word")
        if re.fullmatch(CONTENT_TYPE, content_type) is None:
            raise _invalid_field("contentType", "must be a media type, such as image/png")
        artifact_id, token, now = f"art-{secrets.token_hex(16)}", secrets.token_urlsafe(32), self._now()
        record = ArtifactRecord(
            artifact_id, task_id, kind, content_type, name, _hash(token), now + UPLOAD_FOR_MS, now + KEPT_FOR_MS
        )
        url = self.url(artifact_id)
        slot = UploadSlot(
            artifact_id=artifact_id,
            upload_url=f"{url}/upload?token={token}",
            download_url=url,
            expires_at=now + UPLOAD_FOR_MS,
        )
        return slot, self._store.add(record)

    def url(self, artifact_id: str) -> str:
        return f"{self.address}/api/artifacts/{artifact_id}"

    async def receive(self, artifact_id: str, token: str, body: AsyncIterator[bytes]) -> str:
        """Returns the download URL. Needs the slot's token. The same bytes may be sent twice."""
        record = await self._require(artifact_id)
        if not hmac.compare_digest(_hash(token), record.token_hash):
            raise Declined("This upload address is not valid.", reason="token")
        if self._now() >= record.upload_until:
            raise Gone("This upload address has expired.", artifactId=artifact_id, reason="expired")
        await self._fill(record, body)
        return self.url(artifact_id)

    async def add(self, task_id: str, kind: str, content_type: str, data: bytes, name: str = "") -> str:
        slot = await self.presign(task_id, kind, content_type, name)

        async def body() -> AsyncIterator[bytes]:
            yield data

        await self._fill(await self._require(slot.artifact_id), body())
        return slot.artifact_id

    async def fetch(self, artifact_id: str) -> Artifact:
        record = await self.find(artifact_id)
        data = await asyncio.to_thread(self._read, record)
        if data is None:
            raise NotFound("The artifact's file no longer exists.", artifactId=artifact_id)
        return Artifact(artifact_id, record.kind, record.content_type, data)

    def _read(self, record: ArtifactRecord) -> bytes | None:
        """None if the file is missing or incomplete, as after a power cut."""
        data = self._files.read(record.artifact_id)
        return data if data is not None and sha256(data).hexdigest() == record.digest else None

    async def find(self, artifact_id: str) -> ArtifactRecord:
        """The metadata of an artifact that can be downloaded. Raises NotFound or Gone."""
        record = await self._require(artifact_id)
        if self._now() >= record.kept_until:
            raise Gone("This artifact has expired.", artifactId=artifact_id, reason="expired")
        if record.digest is None:
            raise NotFound("Nothing has been uploaded to this artifact yet.", artifactId=artifact_id)
        return record

    async def start(self) -> None:
        await asyncio.to_thread(self._files.remove_parts)

    async def sweep(self) -> None:
        """Deletes expired artifacts and unknown files."""
        now = self._now()
        expired = set(await self._store.expired(now))
        for name in await asyncio.to_thread(self._files.names):
            if name in expired or await self._store.find(name) is None:
                try:
                    await asyncio.to_thread(self._files.remove, name)
                except Failure as failure:
                    logger.warning("an expired artifact can't be deleted: %s", failure.message)
        await self._store.forget(now - _REMEMBERED_FOR_MS)

    async def _require(self, artifact_id: str) -> ArtifactRecord:
        record = await self._store.find(artifact_id)
        if record is None:
            raise NotFound("There is no such artifact.", artifactId=artifact_id)
        return record

    async def _fill(self, record: ArtifactRecord, body: AsyncIterator[bytes]) -> None:
        incoming = self._files.receive(record.artifact_id)
        try:
            digest, size, rest = await self._write(incoming, body)
            async with self._keeping.turn(record.artifact_id):  # one of two concurrent uploads is first
                record = await self._require(record.artifact_id)
                if record.digest is None:
                    await asyncio.to_thread(incoming.keep, rest)
                    await self._store.set_content(record.artifact_id, digest, size)
                    return
            if record.digest != digest:
                raise Conflict("Another file was uploaded to this artifact before.", artifactId=record.artifact_id)
            await asyncio.to_thread(incoming.discard)
        except BaseException:
            await asyncio.shield(asyncio.to_thread(incoming.discard))
            raise

    async def _write(self, incoming: Incoming, body: AsyncIterator[bytes]) -> tuple[str, int, bytes]:
        """Returns the digest, the size and the bytes that aren't written yet, which is everything if it is short."""
        digest, size, buffer = sha256(), 0, bytearray()
        try:
            async with asyncio.timeout(UPLOAD_WITHIN):
                async for chunk in body:
                    size += len(chunk)
                    if size > MAX_BYTES:
                        raise TooLarge(f"An artifact can't be larger than {MAX_BYTES} bytes.", maxUploadBytes=MAX_BYTES)
                    digest.update(chunk)
                    buffer += chunk
                    if len(buffer) >= _CHUNK:
                        await asyncio.to_thread(incoming.write, bytes(buffer))
                        buffer.clear()
        except TimeoutError:
            raise Timeout(f"The upload took longer than {UPLOAD_WITHIN:g} s.") from None
        return digest.hexdigest(), size, bytes(buffer)


def _hash(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _invalid_field(field: str, message: str) -> InvalidParams:
    return InvalidParams(f"`{field}` {message}.", fieldErrors=[{"field": field, "message": message}])
