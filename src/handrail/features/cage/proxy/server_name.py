"""The server's name in a TLS ClientHello, which must be the one that the tunnel was allowed for."""

_HANDSHAKE, _CLIENT_HELLO = 22, 1
_SERVER_NAME, _HOST_NAME = 0, 0
_LONGEST = 64 * 1024


class NotTls(Exception):
    """These bytes don't begin a TLS connection."""


def hello_size(data: bytes) -> int | None:
    """How many bytes the records with the ClientHello take; None while that can't be known. NotTls."""
    if data[:1] != bytes([_HANDSHAKE])[: len(data[:1])] or (len(data) >= 2 and data[1] != 3):
        raise NotTls
    message, taken = b"", 0
    while True:
        if len(data) < taken + 5:
            return None
        if data[taken] != _HANDSHAKE:
            raise NotTls
        size = int.from_bytes(data[taken + 3 : taken + 5], "big")
        message += data[taken + 5 : taken + 5 + size]
        taken += 5 + size
        if taken > _LONGEST or size == 0:
            raise NotTls
        if len(message) >= 4:
            if message[0] != _CLIENT_HELLO:
                raise NotTls
            if len(message) >= 4 + int.from_bytes(message[1:4], "big"):
                return taken
        if len(data) < taken:
            return None


def server_name(data: bytes) -> str | None:
    """Of whole records (`hello_size`); None where the client names no server. NotTls, also where it names two."""
    message, at = b"", 0
    while at < len(data):
        size = int.from_bytes(data[at + 3 : at + 5], "big")
        message += data[at + 5 : at + 5 + size]
        at += 5 + size
    reader = _Reader(message[4 : 4 + int.from_bytes(message[1:4], "big")])
    reader.take(2 + 32)
    reader.take(reader.number(1))
    reader.take(reader.number(2))
    reader.take(reader.number(1))
    if not reader.left:
        return None
    extensions = _Reader(reader.take(reader.number(2)))
    found: str | None = None
    while extensions.left:
        kind, content = extensions.number(2), extensions.take(extensions.number(2))
        if kind == _SERVER_NAME:
            names = _Reader(content)
            if names.number(2) != names.left or names.number(1) != _HOST_NAME or found is not None:
                raise NotTls
            found = names.take(names.number(2)).decode("ascii", errors="replace")
            if names.left:
                raise NotTls
    return found


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def take(self, size: int) -> bytes:
        if size > self.left:
            raise NotTls
        self._at += size
        return self._data[self._at - size : self._at]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")
