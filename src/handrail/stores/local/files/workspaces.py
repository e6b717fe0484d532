"""Opens any folder below one root by its absolute path, as a confined folder."""

import os
from contextlib import suppress

from handrail.ports.errors import Failure, OutsideRoot
from handrail.stores.local.files.beneath import open_beneath
from handrail.stores.local.files.folder import LocalFolder
from handrail.stores.local.files.root import Root


class Workspaces:
    """Resolves a workspace's path, compares it with the root by components, and opens it below the root."""

    def __init__(self, root: str) -> None:
        self._root = Root(root, open_beneath)
        self._parts = _parts(self._root.location)

    @property
    def location(self) -> str:
        return self._root.location

    def open(self, path: str) -> LocalFolder:
        """Raises OutsideRoot if it is elsewhere, isn't a folder, or has just become a link."""
        if not os.path.isabs(path) or "\0" in path:
            raise self._forbidden(path, "it is not an absolute path")
        parts_as_given = _parts(path)
        if self._is_inside(parts_as_given) and ".." not in parts_as_given and "." not in parts_as_given:
            # No link is followed below the root, so a path that opens there needs no resolving.
            with suppress(Failure):
                return self._open(parts_as_given)
        try:
            parts = _parts(os.path.realpath(path, strict=True))
        except (OSError, UnicodeError, ValueError):
            raise self._forbidden(path, "there is no such folder") from None
        if not self._is_inside(parts):
            raise self._forbidden(path, "it is outside of the root")
        try:
            return self._open(parts)
        except Failure as refused:
            raise self._forbidden(path, refused.message) from None

    def _is_inside(self, parts: tuple[str, ...]) -> bool:
        return parts[: len(self._parts)] == self._parts

    def _open(self, parts: tuple[str, ...]) -> LocalFolder:
        inside = parts[len(self._parts) :]
        with self._root.folder(inside):
            return LocalFolder(self._root, inside)

    def close(self) -> None:
        self._root.close()

    def _forbidden(self, path: str, why: str) -> OutsideRoot:
        return OutsideRoot(
            f"The workspace {path[:200]!r} is not allowed: {why}.",
            hint=f"This host only works below {self.location}.",
            workspacePath=path[:4096],
        )


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.split("/") if part)
