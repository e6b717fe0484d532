"""Opens what is on this machine: the stores of a state directory, and project folders."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.kernel import settings as settings_file
from handrail.kernel.keyring_secrets import KeyringSecretStore
from handrail.kernel.policy_source import HANDRAIL_FOLDER, PolicySource
from handrail.kernel.presence import PresenceCheck
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.ports.errors import NotFound
from handrail.ports.paths import ClosedFolders
from handrail.stores.local.factory import stores_of
from handrail.stores.local.files.folder import LocalFolder
from handrail.stores.local.files.overlay import OverlaidFolder
from handrail.stores.local.membership import MembershipFile
from handrail.stores.local.peers.agents import AgentProcesses
from handrail.stores.local.peers.terminal import agent_above, person_at_terminal
from handrail.stores.local.presence import PasskeyFile, ProofFiles
from handrail.stores.local.prompt_store import prompt_store
from handrail.stores.local.secret_file import SecretFile
from handrail.stores.local.secrets.keyring import OsKeyring
from handrail.stores.local.state import open_state
from handrail.stores.local.trust import TrustFile

if TYPE_CHECKING:
    from handrail.ports.record import RecordStores
    from handrail.ports.stores import Stores


def open_local_stores(state: Path | None) -> Stores:
    from handrail.faces.http import console_key, server_file

    local = open_state(state)

    def credentials() -> dict[str, str]:
        server, key = server_file.read(local.path), console_key.read(local.path)
        token = {} if server is None else {"authorization": f"Bearer {server.token}"}
        return token if key is None else {**token, console_key.HEADER: key}

    agents, node = AgentProcesses(local.path), MembershipFile(local.path)
    presence = PresenceCheck(
        lambda: settings_file.presence_mode(local.path),
        PasskeyFile(local.path),
        ProofFiles(local.path),
        lambda: person_at_terminal(agents),
        lambda names: agent_above(agents, names),
        lambda: None if (member := node.read()) is None else member.policy,
    )
    prompts = LogPromptQueue(prompt_store(local.path), presence=presence)
    keyring = OsKeyring()
    secrets = KeyringSecretStore(keyring, SecretFile(local.path))

    def record() -> RecordStores:
        from handrail.stores.local.record.factory import record_stores

        settings = settings_file.load_one(settings_file.Settings, local.path, environ={})
        return record_stores(local.path, keyring, signer=settings.audit_signer, witness_setting=settings.audit_witness)

    stores = stores_of(local, prompts, presence, secrets, lambda: server_file.read(local.path), credentials, record)
    return replace(stores, node=node)


class ReadOnlyProject:
    """A project folder for reading, with the same policy as for tools."""

    def __init__(self, folder: Path, state: Path) -> None:
        closed = ClosedFolders(())
        files = OverlaidFolder.open(os.path.abspath(folder), closed)
        assert isinstance(files, OverlaidFolder)
        self.files = files
        handrail_folder = files.subfolder(HANDRAIL_FOLDER)
        self.policy = PolicySource(handrail_folder, state, TrustFile(state), closed, node=MembershipFile(state))
        self.policy.load()

    def close(self) -> None:
        self.files.close()


def open_project_folder(folder: Path, closed: ClosedFolders) -> LocalFolder:
    with suppress(NotFound):
        return LocalFolder.open(os.path.abspath(folder), closed)
    raise NotFound(f"There is no project folder {folder}.", hint="Name an existing folder with --project.")
