"""Secrets in a real Secret Service, and in sessions without a working one."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from handrail.ports.secrets import KeyringAway
from handrail.stores.local.secrets.keyring import OsKeyring
from tests.keyring_session import keyring_session, lock, session_bus

VALUE = "sk-tr0ub4dor"


def store(environ: Mapping[str, str], state: Path, *words: str) -> Any:
    child = [sys.executable, str(Path(__file__).with_name("child.py")), str(state), *words]
    result = subprocess.run(child, env=dict(environ), capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert VALUE not in result.stderr
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with keyring_session(tmp_path_factory.mktemp("session")) as environ:
        yield environ


def test_a_secret_is_in_the_keyring_and_nowhere_else_until_it_is_forgotten(
    session: dict[str, str], tmp_path: Path
) -> None:
    assert store(session, tmp_path, "put", "app:com.example.mail:key", VALUE) == "keyring"
    assert store(session, tmp_path, "get", "app:com.example.mail:key") == VALUE
    assert all(VALUE not in file.read_text() for file in tmp_path.iterdir())
    assert store(session, tmp_path, "forget", "app:com.example.mail:key") is True
    assert store(session, tmp_path, "get", "app:com.example.mail:key") is None


@pytest.mark.trial("commands", is_long=True)
def test_a_locked_keyring_is_reported_and_new_secrets_go_to_the_file(tmp_path: Path) -> None:
    home, state = tmp_path / "home", tmp_path / "state"
    home.mkdir()
    with keyring_session(home) as session:
        store(session, state, "put", "app:a.b:key", VALUE)
        lock(session)
        away = store(session, state, "get", "app:a.b:key")
        assert "locked" in away["away"]
        assert "Unlock" in away["hint"]
        assert store(session, state, "put", "app:c.d:key", VALUE) == "file"
        assert store(session, state, "get", "app:c.d:key") == VALUE


def test_a_session_bus_without_a_keyring_means_the_file(tmp_path: Path) -> None:
    home, state = tmp_path / "home", tmp_path / "state"
    home.mkdir()
    with session_bus(home) as session:
        assert store(session, state, "put", "app:a.b:key", VALUE) == "file"
        assert store(session, state, "get", "app:a.b:key") == VALUE
    assert (state / "secrets.json").stat().st_mode & 0o777 == 0o600


def test_a_bus_that_never_answers_times_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(str(tmp_path / "bus"))
        deaf.listen()
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/bus")
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.SecretService.Keyring")
        monkeypatch.setattr("keyring.core._keyring_backend", None)
        keyring = OsKeyring(patience=0.5)
        with pytest.raises(KeyringAway, match=r"did not answer within 0\.5 seconds"):
            keyring.read("a")
        with pytest.raises(KeyringAway, match="did not answer"):
            keyring.read("a")
