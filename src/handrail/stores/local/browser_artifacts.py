"""Stores the contents of browser artifacts in files.

They are `<stateDir>/uploads/artifacts/<artifactId>`, or below the folder in MIMO_ARTIFACTS_DIR.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from handrail.ports.atomic_file import Replacement
from handrail.stores.local.private_file import make_private_folder, open_private, os_failure

SETTING = "MIMO_ARTIFACTS_DIR"
_NAME = re.compile(r"art-[0-9a-f]{32}")
_PART = re.compile(r"\.art-[0-9a-f]{32}\.[0-9a-f]{12}")


def artifacts_folder(state: Path, environ: Mapping[str, str] = os.environ) -> Path:
    if path := environ.get(SETTING):
        return Path(os.path.abspath(path))
    return state / "uploads" / "artifacts"


class ArtifactFolder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def receive(self, artifact_id: str) -> "IncomingFile":
        return IncomingFile(self._path(artifact_id))

    def read(self, artifact_id: str) -> bytes | None:
        path = self._path(artifact_id)
        try:
            with open(open_private(path, os.O_RDONLY), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise os_failure(path, error) from None

    def remove(self, artifact_id: str) -> None:
        path = self._path(artifact_id)
        try:
            with suppress(FileNotFoundError):
                path.unlink()
        except OSError as error:
            raise os_failure(path, error) from None

    def names(self) -> list[str]:
        """The names of artifacts; other files are ignored."""
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise os_failure(self._folder, error) from None
        return [name for name in names if _NAME.fullmatch(name)]

    def remove_parts(self) -> None:
        """Removes incomplete uploads of an earlier server."""
        with suppress(FileNotFoundError):
            for name in os.listdir(self._folder):
                if _PART.fullmatch(name):
                    (self._folder / name).unlink(missing_ok=True)

    def _path(self, artifact_id: str) -> Path:
        if _NAME.fullmatch(artifact_id) is None:
            raise ValueError("invalid artifact id: it is used as a file name")
        return self._folder / artifact_id


class IncomingFile:
    """An upload in progress. It isn't synced; an artifact that a power cut has damaged counts as missing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._content: Replacement | None = None

    def write(self, data: bytes) -> None:
        with self._os_errors():
            self._open().write(data)

    def keep(self, rest: bytes) -> None:
        with self._os_errors():
            content = self._open()
            content.write(rest)
            content.commit(is_durable=False)
        self.discard()

    def discard(self) -> None:
        content, self._content = self._content, None
        if content is not None:
            content.close()

    def _open(self) -> Replacement:
        if self._content is None:
            make_private_folder(self._path.parent)
            self._content = Replacement(self._path)
        return self._content

    @contextmanager
    def _os_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise os_failure(self._path, error) from None
