"""Stores the contents of a team's browser artifacts in the bucket."""

from __future__ import annotations

import tempfile

from handrail.ports.errors import NotFound
from handrail.stores.team.blobs import BlobFolder

_IN_MEMORY = 1_000_000


class ArtifactBlobs:
    """All methods block."""

    def __init__(self, folder: BlobFolder) -> None:
        self._folder = folder

    def receive(self, artifact_id: str) -> IncomingBlob:
        return IncomingBlob(self._folder, artifact_id)

    def read(self, artifact_id: str) -> bytes | None:
        try:
            return self._folder.read(artifact_id)
        except NotFound:
            return None

    def remove(self, artifact_id: str) -> None:
        self._folder.remove(artifact_id)

    def names(self) -> list[str]:
        return list(self._folder.names(""))

    def remove_parts(self) -> None:
        """Does nothing: objects are written atomically."""


class IncomingBlob:
    """An upload in progress, kept in memory or, if it is large, in an unnamed file until it is complete."""

    def __init__(self, folder: BlobFolder, artifact_id: str) -> None:
        self._folder = folder
        self._artifact_id = artifact_id
        self._content = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (closed by `discard`)

    def write(self, data: bytes) -> None:
        self._content.write(data)

    def keep(self, rest: bytes) -> None:
        self._content.write(rest)
        self._content.seek(0)
        self._folder.write(self._artifact_id, self._content.read())

    def discard(self) -> None:
        self._content.close()
