"""A checkpoint: the state of the audit and of the other files at one moment, in one signed line.

A line is JSON whose last member is an Ed25519 signature of all the bytes before it. It contains the hash of the
previous checkpoint. Only converts bytes.
"""

from collections.abc import Callable
from hashlib import sha256

import msgspec

from handrail.kernel.chain import NO_HASH
from handrail.kernel.merkle import Tree
from handrail.ports.unreadable_json import UNREADABLE_JSON

_SIGNATURE = b',"signature":"'
_SIGNATURE_LENGTH = len(_SIGNATURE) + 128 + len(b'"}')


class FileState(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file of the state directory. `size` is set if it only grows: the hash is then a chain over its parts."""

    sha256: str
    size: int | None = None


class CompactedCheckpoints(msgspec.Struct, frozen=True, omit_defaults=True):
    """A summary of the checkpoints up to `number`, which were removed; `hash` is the hash of the last of them.

    `files` has the states of each file, the newest last; `starts` the plain hash of each growing file's content then.
    """

    number: int
    hash: str
    files: dict[str, tuple[tuple[str, FileState], ...]] = {}
    starts: dict[str, str] = {}
    faults: tuple[str, ...] = ()
    accepted: str = ""


class Checkpoint(msgspec.Struct, frozen=True, omit_defaults=True):
    """`count`, `size` and `head` describe the audit, `root` and `frontier` the tree over its records.

    `files` has what changed since the previous checkpoint, `faults` what was wrong when this one was made. `accepted`:
    a person has accepted the state at that time as correct. `folded` summarizes earlier checkpoints.
    """

    number: int
    ts: str
    record: str
    count: int
    size: int
    head: str
    root: str
    frontier: tuple[str, ...]
    before: str
    places: tuple[str, ...]
    key: str
    files: dict[str, FileState] = {}
    faults: tuple[str, ...] = ()
    accepted: bool = False
    folded: CompactedCheckpoints | None = None

    @property
    def tree(self) -> Tree:
        return Tree(self.count, map(bytes.fromhex, self.frontier))


class InvalidCheckpoint(Exception):
    """A line that isn't a checkpoint or was changed. The message says why."""


_checkpoints = msgspec.json.Decoder(Checkpoint)


def sign_checkpoint(checkpoint: Checkpoint, sign: Callable[[bytes], bytes]) -> bytes:
    body = msgspec.json.encode(checkpoint)[:-1]
    return b'%b%b%b"}' % (body, _SIGNATURE, sign(body).hex().encode())


def read_checkpoint(line: bytes) -> Checkpoint:
    """Doesn't check the signature."""
    try:
        return _checkpoints.decode(line)
    except UNREADABLE_JSON:
        raise InvalidCheckpoint("it isn't a checkpoint") from None


def verify_checkpoint(line: bytes) -> Checkpoint:
    """InvalidCheckpoint unless it is signed by the key that it names and consistent in itself."""
    line = line.removesuffix(b"\n")
    checkpoint = read_checkpoint(line)
    body, seal = line[:-_SIGNATURE_LENGTH], line[-_SIGNATURE_LENGTH:]
    if not (seal.startswith(_SIGNATURE) and seal.endswith(b'"}')):
        raise InvalidCheckpoint("it is not signed")
    if not _is_signed(body, seal[len(_SIGNATURE) : -2], checkpoint.key):
        raise InvalidCheckpoint("its signature does not fit: it was changed")
    try:
        tree = checkpoint.tree
    except ValueError:
        raise InvalidCheckpoint("its hashes are no hashes") from None
    if not tree.is_sound or tree.root.hex() != checkpoint.root:
        raise InvalidCheckpoint("its root does not fit its tree")
    return checkpoint


def hash_line(line: bytes | None) -> str:
    return NO_HASH if line is None else sha256(line.removesuffix(b"\n")).hexdigest()


def _is_signed(body: bytes, signature: bytes, key: str) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature.decode()), body)
    except (InvalidSignature, ValueError):
        return False
    return True
