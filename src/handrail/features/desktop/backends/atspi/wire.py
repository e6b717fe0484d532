"""Method calls as D-Bus bytes. dbus-fast reads what comes back; it writes only through a bus that says Hello first,
one system call a message, and gives up when the socket is full. Knows nothing of accessibility.
"""

import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

_UINT32 = struct.Struct("<I")
_HEADER = struct.Struct("<cBBBIII")
_METHOD_CALL = 1
_PROTOCOL = 1
_ALIGNMENT = {"y": 1, "g": 1, "v": 1, "n": 2, "q": 2, "x": 8, "t": 8, "d": 8, "(": 8, "{": 8}
_NUMBERS = {
    kind: struct.Struct(f"<{code}")
    for kind, code in {"y": "B", "n": "h", "q": "H", "i": "i", "u": "I", "b": "I", "x": "q", "t": "Q", "d": "d"}.items()
}


class Call:
    """A method with its arguments, ready to be sent to any object. A variant is a pair of signature and value.

    `returns` is the only signature that is taken for an answer; after a `v`, what must be in the variant.
    """

    __slots__ = ("body", "interface", "member", "returns", "signature")

    def __init__(
        self, interface: str, member: str, signature: str = "", *values: Any, returns: str | None = None
    ) -> None:
        self.interface = interface
        self.member = member
        self.signature = signature
        self.body = marshalled(signature, values)
        self.returns = returns

    def is_answer(self, signature: str, body: Sequence[Any]) -> bool:
        if self.returns is None or signature == self.returns:
            return True
        return signature == "v" and self.returns == f"v{body[0].signature}"

    def to(self, path: str, destination: str | None, serial: int) -> bytes:
        fields = _fields(self.interface, self.member, self.signature, destination)
        name = path.encode()
        length = len(fields) + 9 + len(name)
        return b"".join(
            (
                _HEADER.pack(b"l", _METHOD_CALL, 0, _PROTOCOL, len(self.body), serial, length),
                fields,
                b"\x01\x01o\x00",
                _UINT32.pack(len(name)),
                name,
                b"\0" * (1 + -length % 8),
                self.body,
            )
        )


@lru_cache(maxsize=4096)
def _fields(interface: str, member: str, signature: str, destination: str | None) -> bytes:
    """All header fields but the path, which differs from call to call and so comes last."""
    written = bytearray()
    for code, text in ((2, interface), (3, member), (6, destination)):
        if text:
            written += bytes((code, 1, ord("s"), 0)) + _text(text)
            written += b"\0" * (-len(written) % 8)
    if signature:
        written += bytes((8, 1, ord("g"), 0, len(signature))) + signature.encode() + b"\0"
        written += b"\0" * (-len(written) % 8)
    return bytes(written)


def marshalled(signature: str, values: Sequence[Any]) -> bytes:
    written = bytearray()
    position = 0
    for value in values:
        kind, position = _next_type(signature, position)
        _write(written, kind, value)
    if position != len(signature):
        raise ValueError(f"{len(values)} values for the signature {signature}")
    return bytes(written)


def _write(written: bytearray, kind: str, value: Any) -> None:
    written += b"\0" * (-len(written) % _ALIGNMENT.get(kind[0], 4))
    if number := _NUMBERS.get(kind):
        written += number.pack(value)
    elif kind in "so":
        written += _text(value)
    elif kind[0] == "a":
        _write_array(written, kind[1:], value)
    elif kind[0] == "(":
        for inner, item in zip(_types(kind[1:-1]), value, strict=True):
            _write(written, inner, item)
    elif kind == "v":
        inner, content = value
        written += bytes((len(inner),)) + inner.encode() + b"\0"
        _write(written, inner, content)
    else:
        raise ValueError(f"no way to write the type {kind}")


def _write_array(written: bytearray, kind: str, value: Any) -> None:
    start = len(written)
    written += b"\0\0\0\0"
    written += b"\0" * (-len(written) % _ALIGNMENT.get(kind[0], 4))
    first = len(written)
    if kind[0] == "{":
        for pair in value.items():
            _write(written, f"({kind[1:-1]})", pair)
    else:
        for item in value:
            _write(written, kind, item)
    _UINT32.pack_into(written, start, len(written) - first)


def _types(signature: str) -> list[str]:
    found, position = [], 0
    while position < len(signature):
        kind, position = _next_type(signature, position)
        found.append(kind)
    return found


def _next_type(signature: str, position: int) -> tuple[str, int]:
    end = position
    while signature[end] == "a":
        end += 1
    depth = 0
    while True:
        depth += (signature[end] in "({") - (signature[end] in ")}")
        end += 1
        if depth == 0:
            return signature[position:end], end


def _text(text: str) -> bytes:
    encoded = text.encode()
    return _UINT32.pack(len(encoded)) + encoded + b"\0"
