"""Reads the server name of a TLS ClientHello, which must be the host that the tunnel was allowed for."""

_HANDSHAKE, _CLIENT_HELLO = 22, 1
_SERVER_NAME, _HOST_NAME = 0, 0
_LONGEST = 64 * 1024


class NotTls(Exception):
    """These bytes don't begin a TLS connection."""


def hello_size(data: bytes) -> int | None:
    """Returns the size of the records with the ClientHello; None if more data is needed. NotTls."""
    if data[:1] != bytes([_HANDSHAKE])[: len(data[:1])] or (len(data) >= 2 and data[1] != 3):
        raise NotTls
    message, size_so_far = b"", 0
    while True:
        if len(data) < size_so_far + 5:
            return None
        if data[size_so_far] != _HANDSHAKE:
            raise NotTls
        size = int.from_bytes(data[size_so_far + 3 : size_so_far + 5], "big")
        message += data[size_so_far + 5 : size_so_far + 5 + size]
        size_so_far += 5 + size
        if size_so_far > _LONGEST or size == 0:
            raise NotTls
        if len(message) >= 4:
            if message[0] != _CLIENT_HELLO:
                raise NotTls
            if len(message) >= 4 + int.from_bytes(message[1:4], "big"):
                return size_so_far
        if len(data) < size_so_far:
            return None


def server_name(data: bytes) -> str | None:
    """Expects complete records (`hello_size`); None if there is no name. NotTls, also if there are two."""
    message, offset = b"", 0
    while offset < len(data):
        size = int.from_bytes(data[offset + 3 : offset + 5], "big")
        message += data[offset + 5 : offset + 5 + size]
        offset += 5 + size
    reader = _Reader(message[4 : 4 + int.from_bytes(message[1:4], "big")])
    reader.take(2 + 32)
    reader.take(reader.number(1))
    reader.take(reader.number(2))
    reader.take(reader.number(1))
    if not reader.remaining:
        return None
    extensions = _Reader(reader.take(reader.number(2)))
    name: str | None = None
    while extensions.remaining:
        kind, content = extensions.number(2), extensions.take(extensions.number(2))
        if kind == _SERVER_NAME:
            names = _Reader(content)
            if names.number(2) != names.remaining or names.number(1) != _HOST_NAME or name is not None:
                raise NotTls
            name = names.take(names.number(2)).decode("ascii", errors="replace")
            if names.remaining:
                raise NotTls
    return name


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._offset = 0

    @property
    def remaining(self) -> int:
        return len(self._data) - self._offset

    def take(self, size: int) -> bytes:
        if size > self.remaining:
            raise NotTls
        self._offset += size
        return self._data[self._offset - size : self._offset]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")
