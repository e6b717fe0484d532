"""Files as a client names them, by URI, and as the project does, by paths of its own."""

import os
from urllib.parse import quote, unquote, urlsplit

_SAFE = "/~!$&'()*+,;=@"


def path_of(uri: str) -> str | None:
    """The absolute path of a file on this machine; None for anything else."""
    try:
        parts = urlsplit(uri)
        if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
            return None
        path = unquote(parts.path, errors="strict")
    except ValueError:
        return None
    return path if path.startswith("/") and "\0" not in path else None


class Addresses:
    """Of one project. `spelled` is its folder as the client calls it, who may have come by a link."""

    def __init__(self, location: str, spelled: str) -> None:
        self._spelled = spelled.rstrip("/")
        self._roots = dict.fromkeys((self._spelled, location.rstrip("/"), os.path.realpath(location).rstrip("/")))

    def below(self, uri: str) -> str | None:
        """The path relative to the project, unchecked; None where it is none of the project's."""
        path = path_of(uri)
        for root in self._roots if path is not None else ():
            if path is not None and path.startswith(f"{root}/"):
                return path[len(root) + 1 :]
        return None

    def uri(self, path: str) -> str:
        return "file://" + quote(f"{self._spelled}/{path}", safe=_SAFE)
