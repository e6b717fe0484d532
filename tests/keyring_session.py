"""A session bus with a real Secret Service: gnome-keyring, unlocked, with its own home."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import until

_PATIENCE = 30.0
_NAME = "org.freedesktop.secrets"
_SERVICE = f"--dest={_NAME}", "/org/freedesktop/secrets"
_BUS = "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"


@contextmanager
def session_bus(folder: Path) -> Iterator[dict[str, str]]:
    """The environment of a session with an empty bus."""
    runtime = folder / "run"
    runtime.mkdir(mode=0o700)
    variables = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "PYTHON_KEYRING_BACKEND")}
    own = dict.fromkeys(("HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME"), str(folder))
    environ = {**variables, **own, "XDG_RUNTIME_DIR": str(runtime)}
    words = ["dbus-daemon", "--session", "--nofork", "--print-address"]
    with subprocess.Popen(words, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as bus:
        try:
            assert bus.stdout is not None
            yield {**environ, "DBUS_SESSION_BUS_ADDRESS": bus.stdout.readline().strip()}
        finally:
            bus.terminate()


@contextmanager
def keyring_session(folder: Path) -> Iterator[dict[str, str]]:
    """The environment of a session whose keyring is unlocked."""
    with session_bus(folder) as environ:
        words = ["gnome-keyring-daemon", "--unlock", "--foreground", "--components=secrets"]
        silence = subprocess.DEVNULL
        with subprocess.Popen(words, env=environ, stdin=subprocess.PIPE, stdout=silence, stderr=silence) as daemon:
            try:
                assert daemon.stdin is not None
                daemon.stdin.write(b"a password of the tests")
                daemon.stdin.close()
                _wait_until_it_is_open(environ)
                yield environ
            finally:
                daemon.terminate()


def lock(environ: Mapping[str, str]) -> None:
    collections = "array:objpath:/org/freedesktop/secrets/aliases/default"
    _send(environ, *_SERVICE, "org.freedesktop.Secret.Service.Lock", collections)


def _wait_until_it_is_open(environ: Mapping[str, str]) -> None:
    """If asked before its own keyring runs, the bus would start another one, which stays locked."""
    owned = *_BUS, "org.freedesktop.DBus.NameHasOwner", f"string:{_NAME}"
    until(lambda: "boolean true" in _send(environ, *owned), "the keyring has not joined the bus")
    words = *_SERVICE, "org.freedesktop.Secret.Service.ReadAlias", "string:default"
    until(lambda: "/collection/" in _send(environ, *words), "the keyring has not come up")


def _send(environ: Mapping[str, str], *words: str) -> str:
    command = ["dbus-send", "--session", "--print-reply", *words]
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=_PATIENCE).stdout
