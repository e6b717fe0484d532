"""A checkpoint: what the audit and the other files were at one moment, in one signed line.

A line is JSON whose last member is an Ed25519 signature of all the bytes before it, and which names the hash of the
checkpoint before. Pure bytes in, bytes out.
"""

from collections.abc import Callable
from hashlib import sha256

import msgspec

from handrail.kernel.chain import NO_HASH
from handrail.kernel.merkle import Tree

_SIGNATURE = b',"signature":"'
_SIGNATURE_LENGTH = len(_SIGNATURE) + 128 + len(b'"}')


class FileState(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file of the state directory. `size` is set where it only grows: then the hash is a chain over its parts."""

    sha256: str
    size: int | None = None


class CompactedCheckpoints(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was in the checkpoints up to `number`, which are not kept any more; `hash` is that of the last of them.

    `files` has what they saw of each file, the newest last; `starts` the plain hash of what a growing file had then.
    """

    number: int
    hash: str
    files: dict[str, tuple[tuple[str, FileState], ...]] = {}
    starts: dict[str, str] = {}
    faults: tuple[str, ...] = ()
    accepted: str = ""


class Checkpoint(msgspec.Struct, frozen=True, omit_defaults=True):
    """`count`, `size` and `head` are the audit's, `root` and `frontier` those of the tree over its records.

    `files` has what was changed since the checkpoint before. `faults` are what was found wrong when it was made.
    With `accepted`, a person has taken the state as it was then for the right one. `folded` stands for earlier ones.
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
    """A line that isn't a checkpoint, or no longer the one that was signed. The message says why."""


_checkpoints = msgspec.json.Decoder(Checkpoint)


def sign_checkpoint(checkpoint: Checkpoint, sign: Callable[[bytes], bytes]) -> bytes:
    body = msgspec.json.encode(checkpoint)[:-1]
    return b'%b%b%b"}' % (body, _SIGNATURE, sign(body).hex().encode())


def read_checkpoint(line: bytes) -> Checkpoint:
    """Without a look at its signature."""
    try:
        return _checkpoints.decode(line)
    except msgspec.DecodeError:
        raise InvalidCheckpoint("it isn't a checkpoint") from None


def verify_checkpoint(line: bytes) -> Checkpoint:
    """Signed by the key that it names, and sound in itself."""
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
