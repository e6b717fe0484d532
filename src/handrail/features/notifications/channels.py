"""Channels that only notify: any address that Apprise supports, such as mail, Slack, Matrix, ntfy or a webhook."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import unquote

from handrail.ports.errors import Failure, InvalidParams, NotFound
from handrail.ports.secrets import Secret, SecretStore

if TYPE_CHECKING:
    from apprise import Apprise

    from handrail.features.notifications.message import Message

PREFIX = "notify:"
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_PIECES = re.compile(r"[^A-Za-z0-9_.@+-]+")
_LEAST_MASKED = 4
_LONGEST_REASON = 300


class NotSent(Failure):
    """A channel did not accept a message."""

    retryable = True


class Channels:
    """Each channel's address is stored as a secret, because it contains passwords or keys."""

    def __init__(self, secrets: SecretStore) -> None:
        self._secrets = secrets
        self._lock = asyncio.Lock()

    async def names(self) -> list[str]:
        return [one.name.removeprefix(PREFIX) for one in await self._secrets.kept() if one.name.startswith(PREFIX)]

    async def add(self, name: str, address: str) -> None:
        """Replaces an existing channel of this name. InvalidParams gives the reason, without the address."""
        check_name(name)
        await asyncio.to_thread(_open, name, address)
        await self._secrets.put(PREFIX + name, Secret(address))

    async def remove(self, name: str) -> None:
        if not await self._secrets.forget(PREFIX + check_name(name)):
            raise NotFound(f"There is no channel {name!r}.", hint="`handrail notify` lists them.")

    async def send(self, name: str, message: Message) -> None:
        """NotSent with the reason, without the secret parts of the address."""
        address = await self._secrets.get(PREFIX + check_name(name))
        if address is None:
            raise NotFound(f"There is no channel {name!r}.", hint="`handrail notify` lists them.")
        async with self._lock:  # the reason is read from Apprise's log, which all channels share
            await asyncio.to_thread(_send, name, address.reveal(), message)


def check_name(name: str) -> str:
    if _NAME.fullmatch(name) is None:
        raise InvalidParams(
            "A channel's name has 1 to 40 lowercase letters, digits, hyphens and underscores.", field="name"
        )
    return name


def read_file(text: str) -> Mapping[str, str]:
    """Lines of the form `NAME ADDRESS`; empty lines and lines that start with # are skipped. InvalidParams."""
    channels = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, _, address = line.strip().partition(" ")
        if _NAME.fullmatch(name) is None or not address.strip():
            raise InvalidParams(f"Line {number} must be `NAME ADDRESS`, such as `mail mailtos://…`.")
        channels[name] = address.strip()
    return channels


def _open(name: str, address: str) -> Apprise:
    from apprise import Apprise, AppriseAsset

    asset = AppriseAsset(app_id="handrail", app_desc="handrail", secure_logging=True, async_mode=False)
    apprise = Apprise(asset=asset)
    with _captured_log() as lines:
        is_known = apprise.add(address)
    if not is_known:
        reason = mask(" ".join(lines), address)
        raise InvalidParams(
            f"Apprise doesn't support the address of {name!r}{': ' + reason if reason else '.'}",
            hint="Use json://host/path, mailtos://user:password@host or slack://…: https://appriseit.com/services",
            field="url",
        )
    return apprise


def _send(name: str, address: str, message: Message) -> None:
    apprise = _open(name, address)
    with _captured_log() as lines:
        is_sent = apprise.notify(title=message.title, body=f"{message.body}\n{message.url}".strip())
    if not is_sent:
        reason = mask(" ".join(lines), address) or "no reason is known"
        raise NotSent(f"{name} didn't accept the message: {reason}")


def mask(reason: str, address: str) -> str:
    """Apprise's log as one line, with every part of the address masked except the host name."""
    rest = address.partition("://")[2]
    host = rest.partition("/")[0].rpartition("@")[2].partition("?")[0].partition(":")[0]
    pieces = {piece for text in (rest, unquote(rest)) for piece in _PIECES.split(text) if len(piece) >= _LEAST_MASKED}
    line = " ".join(reason.split())
    for piece in sorted(pieces - {host}, key=len, reverse=True):
        line = line.replace(piece, "******")
    return line[:_LONGEST_REASON]


@contextmanager
def _captured_log() -> Iterator[list[str]]:
    """Collects Apprise's warnings and keeps them out of other logs: they may contain parts of addresses."""
    lines: list[str] = []
    handler = _Lines(lines)
    logger = logging.getLogger("apprise")
    logger.propagate = False
    logger.addHandler(handler)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)


class _Lines(logging.Handler):
    def __init__(self, lines: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(record.getMessage())
