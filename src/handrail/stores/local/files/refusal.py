"""Maps errors of the operating system to our own: no bare OSError leaves this package."""

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
        return passes_link(path)
    if code == errno.ENOENT:
        parent = path.rpartition("/")[0] or "."
        return NotFound(
            f"No such file or folder: {path!r}.", hint=f"Use list_files on {parent} to see what exists.", path=path
        )
    if code == errno.ENOTDIR:
        return NotFound(f"Not a folder, or a file stands on the way: {path!r}.", path=path)
    if code == errno.ENAMETOOLONG:
        return InvalidParams("A name in the path is too long for the file system.", path=path[:80])
    return InputOutput(
        f"{path!r}: {_KINDS.get(code) or os.strerror(code)}.", path=path, error=errno.errorcode.get(code, str(code))
    )


def passes_link(path: str) -> OutsideRoot:
    return OutsideRoot(
        f"Path not allowed: {path!r} passes a symbolic link.",
        hint="Links are never followed; name the file itself, if it lies in the project.",
        path=path,
    )


def check_regular(found: os.stat_result, path: str) -> None:
    if stat.S_ISREG(found.st_mode):
        return
    if stat.S_ISLNK(found.st_mode):
        raise passes_link(path)
    if stat.S_ISDIR(found.st_mode):
        raise refusal(errno.EISDIR, path)
    raise InputOutput(f"{path!r}: is a device, a socket or a pipe, not a regular file.", path=path)


class told:  # noqa: N801 - it reads as what it does: `with told(path)`
    """Raises every OSError of its block as an error about `path`."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            raise refusal(error.errno or errno.EIO, self._path) from error
