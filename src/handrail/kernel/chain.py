"""The format of the audit: a chain of lines, each with its own hash, and a head that says where the chain ends.

Only converts bytes; knows no file, no clock and no lock.

A line is JSON whose last member is the SHA-256 of all the bytes before it:
`{"seq":2,"ts":"…","prev":"<hash of line 1>", …,"hash":"<64 hex>"}`.

The head is one line of fixed length: how many records there are, how long the log is and the last
record's hash; then size and hash for a record that is announced and not yet acknowledged (zeros when
there is none); how much of the log is known to be on disk, so that a power cut can't lose it; then
a SHA-256 over all of that.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec

from handrail.ports.unreadable_json import UNREADABLE_JSON

NO_HASH = "0" * 64
RESERVED = frozenset({"seq", "ts", "prev", "repair", "hash"})

_SEAL = b',"hash":"'
_SEAL_LENGTH = len(_SEAL) + 64 + len(b'"}')
_HEAD = re.compile(
    rb"handrail-audit (?:1|2) (\d{16}) (\d{16}) ([0-9a-f]{64}) (\d{16}) ([0-9a-f]{64}) (?:(\d{16}) )?([0-9a-f]{64})\n"
)


class Repair(msgspec.Struct):
    """Length and hash of the torn bytes between the previous record and this one, which a crash left."""

    length: int
    sha256: str


class Link(msgspec.Struct):
    """The members that link a record to the chain."""

    seq: int
    prev: str
    hash: str
    repair: Repair | None = None


class InvalidRecord(Exception):
    """A line that isn't a record or was changed. The message says why."""


_links = msgspec.json.Decoder(Link)


def seal_record(seq: int, ts: str, prev: str, members: bytes) -> tuple[bytes, str]:
    """The line, without LF, and its hash. `members` is the result of `encode_members`."""
    body = b'{"seq":%d,"ts":"%b","prev":"%b"%b' % (seq, ts.encode(), prev.encode(), members)
    sealed = sha256(body).hexdigest()
    return b'%b,"hash":"%b"}' % (body, sealed.encode()), sealed


def encode_members(record: Mapping[str, Any]) -> bytes:
    """The record's members as JSON, with a comma before each."""
    try:
        text = msgspec.json.encode(record)
    except UnicodeEncodeError:  # a file name may be invalid text: record it with escapes instead of failing
        text = msgspec.json.encode(_legible(record))
    return b"," + text[1:-1] if len(text) > 2 else b""


def read_record(line: bytes) -> Link:
    """Reads a line with its LF. InvalidRecord if any bit of it has changed."""
    if not line.endswith(b"\n"):
        raise InvalidRecord("the line does not end")
    body, seal_ = line[: -_SEAL_LENGTH - 1], line[-_SEAL_LENGTH - 1 : -1]
    if not (seal_.startswith(_SEAL) and seal_.endswith(b'"}')):
        raise InvalidRecord("it isn't an audit record")
    if seal_ != b'%b%b"}' % (_SEAL, sha256(body).hexdigest().encode()):
        raise InvalidRecord("it was changed: its hash does not fit its content")
    try:
        return _links.decode(line)
    except UNREADABLE_JSON:
        raise InvalidRecord("it isn't an audit record") from None


class Head(msgspec.Struct, frozen=True):
    """`count` records in `size` bytes, the last with `hash`; `next_*` are the values after an announced record.

    The first `safe` bytes are on disk; None in a head of version 1, which doesn't contain that.
    """

    count: int = 0
    size: int = 0
    hash: str = NO_HASH
    next_size: int = 0
    next_hash: str = NO_HASH
    safe: int | None = 0

    @property
    def end(self) -> tuple[int, int, str]:
        return self.count, self.size, self.hash

    @property
    def floor(self) -> int:
        """How much of the log a power cut can't have lost."""
        return self.size if self.safe is None else self.safe

    @property
    def is_announcing(self) -> bool:
        return self.next_hash != NO_HASH

    def placed_at(self, size: int) -> "Head":
        return self if size == self.size else Head(self.count, size, self.hash, safe=self.safe)

    def announcing(self, size: int, sealed: str) -> "Head":
        return Head(self.count, self.size, self.hash, size, sealed, self.safe)

    def settled(self) -> "Head":
        """The head after the announced record is acknowledged."""
        return Head(self.count + 1, self.next_size, self.next_hash, safe=self.safe)

    def withdrawn(self) -> "Head":
        """The head without the announced record, which was never written."""
        return Head(self.count, self.size, self.hash, safe=self.safe)

    def saved(self) -> "Head":
        """The head after all of the log is on disk."""
        return Head(self.count, self.size, self.hash, safe=self.size)

    def spelled(self) -> bytes:
        text = b"handrail-audit %d %016d %016d %b %016d %b " % (
            1 if self.safe is None else 2,
            self.count,
            self.size,
            self.hash.encode(),
            self.next_size,
            self.next_hash.encode(),
        )
        if self.safe is not None:
            text += b"%016d " % self.safe
        return b"%b%b\n" % (text, sha256(text).hexdigest().encode())


def read_head(data: bytes) -> Head | None:
    """None if any bit of it has changed."""
    match = _HEAD.fullmatch(data)
    if match is None:
        return None
    count, size, last, next_size, following, safe, _ = match.groups()
    sizes = int(count), int(size), last.decode(), int(next_size), following.decode()
    head = Head(*sizes, None if safe is None else int(safe))
    return head if head.spelled() == data else None


def _legible(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {_legible(key): _legible(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_legible(item) for item in value]
    return value
