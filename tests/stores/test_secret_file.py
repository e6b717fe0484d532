"""The file of secrets: private to its owner, replaced atomically, and never printed."""

import asyncio
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from handrail.kernel.keyring_secrets import KeyringSecretStore
from handrail.ports.errors import Damaged, InputOutput, InvalidParams
from handrail.ports.secrets import KeyringAway, Secret
from handrail.stores.local.secret_file import SecretFile

VALUE = "sk-tr0ub4dor"


class NoKeyring:
    def read(self, account: str) -> str | None:
        raise KeyringAway("none")

    def write(self, account: str, value: str) -> None:
        raise KeyringAway("none")

    def remove(self, account: str) -> None:
        raise KeyringAway("none")


class Keyring:
    """A keyring that can be locked."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.is_locked = False

    def read(self, account: str) -> str | None:
        return self._open().get(account)

    def write(self, account: str, value: str) -> None:
        self._open()[account] = value

    def remove(self, account: str) -> None:
        self._open().pop(account, None)

    def _open(self) -> dict[str, str]:
        if self.is_locked:
            raise KeyringAway("locked")
        return self.values


def store(state: Path) -> KeyringSecretStore:
    return KeyringSecretStore(NoKeyring(), SecretFile(state))


async def test_a_stored_secret_is_found_by_the_next_process_until_it_is_deleted(tmp_path: Path) -> None:
    location = await store(tmp_path).put("app:a.b:key", Secret(VALUE))
    assert (location.place, location.name) == ("file", "app:a.b:key")
    assert await store(tmp_path).get("app:a.b:key") == Secret(VALUE)
    assert [one.name for one in await store(tmp_path).kept()] == ["app:a.b:key"]
    assert await store(tmp_path).forget("app:a.b:key") is True
    assert await store(tmp_path).forget("app:a.b:key") is False
    assert await store(tmp_path).get("app:a.b:key") is None
    assert VALUE not in (tmp_path / "secrets.json").read_text()


async def test_a_deleted_secret_is_removed_from_the_keyring_even_if_a_newer_one_is_in_the_file(
    tmp_path: Path,
) -> None:
    keyring = Keyring()
    secrets = KeyringSecretStore(keyring, SecretFile(tmp_path))
    await secrets.put("app:a.b:key", Secret(VALUE))
    keyring.is_locked = True
    for value in ("second", "third"):
        assert (await secrets.put("app:a.b:key", Secret(value))).place == "file"
    with pytest.raises(KeyringAway):
        await secrets.forget("app:a.b:key")
    assert await secrets.get("app:a.b:key") == Secret("third")
    keyring.is_locked = False
    assert await secrets.forget("app:a.b:key") is True
    assert (keyring.values, await secrets.kept()) == ({}, [])


async def test_the_files_permissions_are_made_private_again(tmp_path: Path) -> None:
    file = tmp_path / "secrets.json"
    await store(tmp_path).put("app:a.b:key", Secret(VALUE))
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    await store(tmp_path).get("app:a.b:key")
    assert file.stat().st_mode & 0o777 == 0o600


async def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    names = [f"app:a.b{number}:key" for number in range(20)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda name: asyncio.run(store(tmp_path).put(name, Secret(VALUE))), names))
    assert [one.name for one in await store(tmp_path).kept()] == sorted(names)
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".secrets")]


async def test_a_damaged_file_is_named_and_its_content_is_not(tmp_path: Path) -> None:
    (tmp_path / "secrets.json").write_text(f'{{"version": 1, "secrets": {{"a": "{VALUE}"}}}}')
    with pytest.raises(Damaged) as refusal:
        await store(tmp_path).get("a")
    assert "secrets.json" in refusal.value.message
    assert VALUE not in f"{refusal.value} {refusal.value.hint}"


async def test_no_link_is_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("{}")
    os.symlink(elsewhere, tmp_path / "secrets.json")
    with pytest.raises(InputOutput):
        await store(tmp_path).put("a", Secret(VALUE))
    assert elsewhere.read_text() == "{}"


@pytest.mark.parametrize("name", ["", "a b", "../a", "A", "a" * 301, "a\n"])
async def test_invalid_names_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidParams):
        await store(tmp_path).put(name, Secret(VALUE))


def test_a_secret_is_shown_only_on_explicit_request() -> None:
    secret = Secret(VALUE)
    assert VALUE not in f"{secret} {secret!r} {[secret]} { ({'a': secret}) }"
    with pytest.raises(TypeError):
        pickle.dumps(secret)
