"""Channels that only notify: whatever Apprise has an address for, such as mail, Slack, Matrix, ntfy or a webhook."""

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
    """A channel did not take a message."""

    retryable = True


class Channels:
    """Each is a secret: its address has passwords and keys in it."""

    def __init__(self, secrets: SecretStore) -> None:
        self._secrets = secrets
        self._turn = asyncio.Lock()

    async def names(self) -> list[str]:
        return [one.name.removeprefix(PREFIX) for one in await self._secrets.kept() if one.name.startswith(PREFIX)]

    async def add(self, name: str, address: str) -> None:
        """Replaces what has this name. InvalidParams says what is wrong, without the address."""
        checked_name(name)
        await asyncio.to_thread(_opened, name, address)
        await self._secrets.put(PREFIX + name, Secret(address))

    async def remove(self, name: str) -> None:
        if not await self._secrets.forget(PREFIX + checked_name(name)):
            raise NotFound(f"There is no channel {name!r}.", hint="`handrail notify` lists those that there are.")

    async def send(self, name: str, message: Message) -> None:
        """NotSent with the reason, without what is secret about the address."""
        address = await self._secrets.get(PREFIX + checked_name(name))
        if address is None:
            raise NotFound(f"There is no channel {name!r}.", hint="`handrail notify` lists those that there are.")
        async with self._turn:  # the reason is read from Apprise's log, which all of them share
            await asyncio.to_thread(_send, name, address.reveal(), message)


def checked_name(name: str) -> str:
    if _NAME.fullmatch(name) is None:
        raise InvalidParams(
            "A channel's name has 1 to 40 small letters, digits, hyphens and underscores.", field="name"
        )
    return name


def read_file(text: str) -> Mapping[str, str]:
    """Lines `NAME ADDRESS`; empty ones and those that begin with # are left out. InvalidParams."""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, _, address = line.strip().partition(" ")
        if _NAME.fullmatch(name) is None or not address.strip():
            raise InvalidParams(f"Line {number} must be `NAME ADDRESS`, such as `mail mailtos://…`.")
        found[name] = address.strip()
    return found


def _opened(name: str, address: str) -> Apprise:
    from apprise import Apprise, AppriseAsset

    asset = AppriseAsset(app_id="handrail", app_desc="handrail", secure_logging=True, async_mode=False)
    opened = Apprise(asset=asset)
    with _captured() as said:
        is_known = opened.add(address)
    if not is_known:
        reason = masked(" ".join(said), address)
        raise InvalidParams(
            f"The address of {name!r} isn't one that Apprise knows{': ' + reason if reason else '.'}",
            hint="Such as json://host/path, mailtos://user:password@host or slack://…: https://appriseit.com/services",
            field="url",
        )
    return opened


def _send(name: str, address: str, message: Message) -> None:
    opened = _opened(name, address)
    with _captured() as said:
        is_sent = opened.notify(title=message.title, body=f"{message.body}\n{message.url}".strip())
    if not is_sent:
        reason = masked(" ".join(said), address) or "no reason is known"
        raise NotSent(f"{name} did not take the message: {reason}")


def masked(reason: str, address: str) -> str:
    """What Apprise logged, in one line; whatever is also a part of the address, but for its host's name, is masked."""
    rest = address.partition("://")[2]
    host = rest.partition("/")[0].rpartition("@")[2].partition("?")[0].partition(":")[0]
    pieces = {piece for text in (rest, unquote(rest)) for piece in _PIECES.split(text) if len(piece) >= _LEAST_MASKED}
    line = " ".join(reason.split())
    for piece in sorted(pieces - {host}, key=len, reverse=True):
        line = line.replace(piece, "******")
    return line[:_LONGEST_REASON]


@contextmanager
def _captured() -> Iterator[list[str]]:
    """What Apprise warns about. It goes to no log: its words may hold parts of addresses."""
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
