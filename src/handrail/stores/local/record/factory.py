"""What vouches for the audit of a state directory on this machine."""

import os
import platform
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from handrail.ports.atomic_file import replace_file
from handrail.ports.record import RecordStores
from handrail.ports.secrets import Keyring
from handrail.stores.local import locks
from handrail.stores.local.browser_tables import PAIRED_BROWSERS, browser_database
from handrail.stores.local.database import CONSENTS_AND_GRANTS, Database
from handrail.stores.local.journal import JournalFile
from handrail.stores.local.record.files import CHECKPOINTS, DescribedFiles
from handrail.stores.local.record.places import DatabasePlace
from handrail.stores.local.record.rows import SealedRows
from handrail.stores.local.record.signing import Command, KeptKey
from handrail.stores.local.record.witnesses import witness

_USED_UP = ("answerer", "claimed", "newest_checkpoint", "token")
"""Tables whose rows come and go with every call."""


def record_stores(state: Path, keyring: Keyring, *, signer: Sequence[str], told: str) -> RecordStores:
    """`signer` is the command that signs, if not we; `told` names the witness."""
    id = _id(state)
    places = [
        DatabasePlace(
            "handrail.db",
            state,
            lambda: Database(state / "handrail.db"),
            is_always_used=True,
            matters=lambda table: table not in _USED_UP,
        ),
        DatabasePlace(
            "browser/browser.db",
            state,
            lambda: browser_database(state),
            is_always_used=False,
            matters=lambda table: table == "browser_plugin",
        ),
    ]
    return RecordStores(
        id=id,
        checkpoints=JournalFile(state / CHECKPOINTS),
        signer=Command(signer) if signer else KeptKey(state, keyring),
        places=places,
        witness=witness(told, id),
        files=DescribedFiles(
            state,
            {place.name: place.rows for place in places},
            {CONSENTS_AND_GRANTS: places[0].permissions, PAIRED_BROWSERS: places[1].permissions},
            SealedRows(state),
        ),
        lock=lambda: locks.exclusive(state / "checkpoints.lock"),
        rewrite=lambda lines: replace_file(state / CHECKPOINTS, b"".join(line + b"\n" for line in lines)),
    )


def _id(state: Path) -> str:
    """From what no program of this account changes by removing files: so the witness is asked about the same record."""
    try:
        machine = Path("/etc/machine-id").read_text().strip()
    except OSError:
        machine = platform.node()
    return sha256(f"{machine} {os.getuid()} {os.path.realpath(state)}".encode()).hexdigest()[:16]
