"""Translates errors of the operating system into our own, so that no OSError leaves this package."""

import errno
import os
import stat

from handrail.ports.errors import Failure, InputOutput, InvalidParams, NotFound, OutsideRoot

_LINK = frozenset({errno.ELOOP, errno.EXDEV})
_KINDS = {
    errno.EISDIR: "is a folder",
    errno.ENXIO: "is a socket or a pipe, not a regular file",
}


def refusal(code: int, path: str) -> Failure:
    """The error for an errno at `path`."""
    if code in _LINK:
        return link_error(path)
    if code == errno.ENOENT:
        parent = path.rpartition("/")[0] or "."
        return NotFound(
            f"No such file or folder: {path!r}.", hint=f"Use list_files on {parent} to see what exists.", path=path
        )
    if code == errno.ENOTDIR:
        return NotFound(f"Not a folder, or a parent is a file: {path!r}.", path=path)
    if code == errno.ENAMETOOLONG:
        return InvalidParams("A name in the path is too long for the file system.", path=path[:80])
    return InputOutput(
        f"{path!r}: {_KINDS.get(code) or os.strerror(code)}.", path=path, error=errno.errorcode.get(code, str(code))
    )


def link_error(path: str) -> OutsideRoot:
    return OutsideRoot(
        f"Path not allowed: {path!r} passes a symbolic link.",
        hint="Links are never followed; name the file itself, if it is in the project.",
        path=path,
    )


def check_regular(status: os.stat_result, path: str) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    if stat.S_ISLNK(status.st_mode):
        raise link_error(path)
    if stat.S_ISDIR(status.st_mode):
        raise refusal(errno.EISDIR, path)
    raise InputOutput(f"{path!r}: is a device, a socket or a pipe, not a regular file.", path=path)


class translate_errors:  # noqa: N801 - used like a function: `with translate_errors(path)`
    """Translates every OSError of its block into an error about `path`."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            raise refusal(error.errno or errno.EIO, self._path) from error
