"""How a path of the wire becomes components: a pure reading of text, nothing is looked up.

Everything that could leave the project is refused here already; the file system's own
primitive refuses it a second time.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import unquote

from handrail.ports.errors import InvalidParams, OutsideRoot

Parts = tuple[str, ...]

_MAX_PATH_BYTES = 4096
_MAX_COMPONENT_BYTES = 255
_DRIVE = re.compile(r"[A-Za-z]:")


@lru_cache(maxsize=1024)
def parse_path(text: str) -> Parts:
    """The components of a project path; `.` and `` (the root) give none."""
    if "\0" in text:
        raise InvalidParams("The path holds a NUL character.", path=text)
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        raise InvalidParams("The path holds a lone surrogate.", path=ascii(text)) from None
    if len(encoded) > _MAX_PATH_BYTES:
        raise InvalidParams(f"The path is longer than {_MAX_PATH_BYTES} bytes.", path=text[:80] + "…")
    parts = tuple(part for part in text.split("/") if part not in ("", "."))
    # Of the first name, not of the text: `./~` and `~` must not be two things.
    if text.startswith("/") or "\\" in text or (parts and (parts[0].startswith("~") or _DRIVE.fullmatch(parts[0]))):
        raise _outside(text, "it is not relative to the project's root")
    for part in parts:
        if len(part.encode()) > _MAX_COMPONENT_BYTES:
            raise InvalidParams(
                f"A name in the path is longer than {_MAX_COMPONENT_BYTES} bytes.", path=text[:80] + "…"
            )
        decoded = _fully_decoded(part)
        if part == ".." or decoded == ".." or "/" in decoded or "\\" in decoded or "\0" in decoded:
            raise _outside(text, "it climbs or hides a separator")
    return parts


def _fully_decoded(part: str) -> str:
    """Percent-decoded until nothing changes, so that `%252e` is seen as well."""
    while "%" in part and (decoded := unquote(part, errors="replace")) != part:
        part = decoded
    return part


def _outside(path: str, why: str) -> OutsideRoot:
    return OutsideRoot(
        f"Path not allowed: {path!r}: {why}.",
        hint="Use a path relative to the project's root, with / between names and without '..'.",
        path=path,
    )


class ClosedFolders:
    """Names that no tool may enter or touch, in any spelling a file system might take for theirs.

    A single name is closed at every depth, a path of several names from the root on, as are the `rooted` ones.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.replace(names)

    def replace(self, names: Iterable[str], rooted: Iterable[str] = ()) -> None:
        """Closes these and no others from now on: the policy changed."""
        paths = set(map(_folded_parts, names))
        self._names = frozenset(path[0] for path in paths if len(path) == 1)
        self._paths = frozenset(path for path in paths if len(path) > 1) | frozenset(map(_folded_parts, rooted))

    def check(self, parts: Parts) -> None:
        if self.hold(parts):
            path = "/".join(parts)
            raise OutsideRoot(
                f"Path not allowed: {path!r} lies in a closed folder.",
                hint="get_runtime_info lists the closed folders under sandbox.forbiddenDirs.",
                path=path,
            )

    def hold(self, parts: Parts) -> bool:
        names = tuple(map(folded, parts))
        return not self._names.isdisjoint(names) or any(names[: len(closed)] == closed for closed in self._paths)

    def names_in(self, parts: Parts) -> frozenset[str]:
        """The folded names that are closed directly in this folder: one look each instead of a path each."""
        if not self._paths:
            return self._names
        folder = tuple(map(folded, parts))
        return self._names | {closed[-1] for closed in self._paths if closed[:-1] == folder}


def _folded_parts(path: str) -> Parts:
    return tuple(folded(part) for part in path.split("/") if part not in ("", "."))


@lru_cache(maxsize=32768)
def folded(name: str) -> str:
    """The name as the most forgiving file system reads it: no case, no look-alikes, no trailing dots."""
    if name.isascii() and "%" not in name:
        visible = name
    else:
        decoded = unicodedata.normalize("NFKC", _fully_decoded(name))
        visible = "".join(char for char in decoded if unicodedata.category(char) != "Cf")
    return visible.casefold().split(":", 1)[0].rstrip(". ") or name
