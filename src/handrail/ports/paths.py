"""Parses paths of the wire into components, without looking anything up, and knows which paths are closed.

Everything that could leave the project is refused here; opening the file refuses it a second time.
"""

import re
from collections.abc import Callable, Container, Iterable
from functools import lru_cache

from handrail.ports.errors import InvalidParams, OutsideRoot
from handrail.ports.folded_name import decode_fully
from handrail.ports.folded_name import fold_name as fold_name
from handrail.ports.secret_files import is_secret

Parts = tuple[str, ...]

_MAX_PATH_BYTES = 4096
_MAX_COMPONENT_BYTES = 255
_DRIVE = re.compile(r"[A-Za-z]:")


@lru_cache(maxsize=1024)
def parse_path(text: str) -> Parts:
    """The components of a project path; none for `.` and the empty path, which are the root."""
    if "\0" in text:
        raise InvalidParams("The path contains a NUL character.", path=text)
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        raise InvalidParams("The path contains a lone surrogate.", path=ascii(text)) from None
    if len(encoded) > _MAX_PATH_BYTES:
        raise InvalidParams(f"The path is longer than {_MAX_PATH_BYTES} bytes.", path=text[:80] + "…")
    parts = tuple(part for part in text.split("/") if part not in ("", "."))
    # Checks the first name and not the text: `./~` and `~` must mean the same.
    if text.startswith("/") or "\\" in text or (parts and (parts[0].startswith("~") or _DRIVE.fullmatch(parts[0]))):
        raise _outside(text, "it is not relative to the project's root")
    for part in parts:
        if len(part.encode()) > _MAX_COMPONENT_BYTES:
            raise InvalidParams(
                f"A name in the path is longer than {_MAX_COMPONENT_BYTES} bytes.", path=text[:80] + "…"
            )
        decoded = decode_fully(part)
        if part == ".." or decoded == ".." or "/" in decoded or "\\" in decoded or "\0" in decoded:
            raise _outside(text, "it climbs or hides a separator")
    return parts


def _outside(path: str, why: str) -> OutsideRoot:
    return OutsideRoot(
        f"Path not allowed: {path!r}: {why}.",
        hint="Use a path relative to the project's root, with / between names and without '..'.",
        path=path,
    )


class ClosedFolders:
    """Paths that no tool may use, in any spelling that a file system might accept.

    A single name is closed at every depth; paths of several names and `rooted` ones only from the root. Files that
    usually contain secrets are closed too, unless a rule names them (`opened`).
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._has_secrets_closed = False
        self._close(names, (), lambda path: False)

    def replace(
        self, names: Iterable[str], rooted: Iterable[str] = (), opened: Callable[[str], bool] = lambda path: False
    ) -> None:
        """Closes these and files of secrets, and no others, after a change of the policy."""
        self._has_secrets_closed = True
        self._close(names, rooted, opened)

    def _close(self, names: Iterable[str], rooted: Iterable[str], opened: Callable[[str], bool]) -> None:
        paths = set(map(_folded_parts, names))
        self._names = frozenset(path[0] for path in paths if len(path) == 1)
        self._paths = frozenset(path for path in paths if len(path) > 1) | frozenset(map(_folded_parts, rooted))
        self._opened = opened

    def check(self, parts: Parts) -> None:
        if not self.is_closed(parts):
            return
        path = "/".join(parts)
        if self.is_closed_secret(parts):
            raise closed_secret_error(path)
        raise OutsideRoot(
            f"Path not allowed: {path!r} lies in a closed folder.",
            hint="get_runtime_info lists the closed folders under sandbox.forbiddenDirs.",
            path=path,
        )

    def is_closed(self, parts: Parts) -> bool:
        names = tuple(map(fold_name, parts))
        if self._has_secrets_closed and is_secret(parts):
            if not self._opened("/".join(parts)):
                return True
            if any(name in self._names and not is_secret((name,)) for name in names):
                return True
        elif not self._names.isdisjoint(names):
            return True
        return bool(self._paths) and any(names[: len(closed)] == closed for closed in self._paths)

    def is_closed_secret(self, parts: Parts) -> bool:
        """Whether it is closed because it is a file of secrets that no rule names."""
        if not self._has_secrets_closed or not is_secret(parts):
            return False
        return not self._opened("/".join(parts))

    def names_in(self, parts: Parts) -> Container[str]:
        """The names that are closed directly in this folder."""
        return _ClosedNames(self, parts)


class _ClosedNames(Container[str]):
    def __init__(self, closed: ClosedFolders, folder: Parts) -> None:
        names = tuple(map(fold_name, folder))
        self._closed, self._folder = closed, folder
        self._names = closed._names | {path[-1] for path in closed._paths if path[:-1] == names}
        self._last = folder[-1:]

    def __contains__(self, name: object) -> bool:
        assert isinstance(name, str)
        if self._closed._has_secrets_closed and is_secret((*self._last, name)):
            return self._closed.is_closed((*self._folder, name))
        return fold_name(name) in self._names


def closed_secret_error(path: str, tool: str = "read_file") -> OutsideRoot:
    return OutsideRoot(
        f"Path not allowed: {path!r} is closed because files of this name usually hold secrets.",
        hint="A person can open it with a rule that names it, such as "
        f'{{tool = "{tool}", path = "{path}", decision = "allow"}} in config.toml.',
        path=path,
        reason="secret",
    )


def _folded_parts(path: str) -> Parts:
    return tuple(fold_name(part) for part in path.split("/") if part not in ("", "."))
