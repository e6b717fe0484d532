"""Opens the stores that protect the audit of a local state directory."""

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
from handrail.stores.local.journal import JournalFile
from handrail.stores.local.record.files import CHECKPOINTS, DescribedFiles
from handrail.stores.local.record.places import DatabasePlace
from handrail.stores.local.record.rows import SealedRows
from handrail.stores.local.record.signing import SignerProgram, StoredKey
from handrail.stores.local.record.witnesses import open_witness
from handrail.stores.local.state_tables import CONSENTS_AND_GRANTS, state_database

_USED_UP = ("answerer", "claimed", "newest_checkpoint", "token")
"""Tables whose rows change with every call."""


def record_stores(state: Path, keyring: Keyring, *, signer: Sequence[str], witness_setting: str) -> RecordStores:
    """`signer` is the command that signs; without it, we sign. `witness_setting` names the witness."""
    id = _id(state)
    places = [
        DatabasePlace(
            "handrail.db",
            state,
            lambda: state_database(state / "handrail.db"),
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
        signer=SignerProgram(signer) if signer else StoredKey(state, keyring),
        places=places,
        witness=open_witness(witness_setting, id),
        open_witness=lambda setting: open_witness(setting, id),
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
    """An id that doesn't change when files are removed, so that the witness is always asked about the same record."""
    try:
        machine = Path("/etc/machine-id").read_text().strip()
    except OSError:
        machine = platform.node()
    return sha256(f"{machine} {os.getuid()} {os.path.realpath(state)}".encode()).hexdigest()[:16]
