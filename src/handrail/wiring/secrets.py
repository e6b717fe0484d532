"""The one place where secrets are kept, for whatever part of the house needs one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from handrail.stores.local.state import open_state

if TYPE_CHECKING:
    from handrail.ports.secrets import SecretStore


def open_secrets(state_dir: Path | None) -> SecretStore:
    return secrets_in(open_state(state_dir).path)


def secrets_in(state: Path) -> SecretStore:
    from handrail.kernel.secret_store import KeptSecrets
    from handrail.stores.local.secret_file import SecretFile
    from handrail.stores.local.secrets.keyring import OsKeyring

    return KeptSecrets(OsKeyring(), SecretFile(state))
