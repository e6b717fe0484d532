"""Checks whether a call that acts was confirmed: by a one-time token, which is used up, or by the phrase.

In mode human, a token is valid only for the element that the person saw. The host remembers that in memory, so its
tokens end with it.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from handrail.features.desktop.host.conditions import Unconfirmed
from handrail.features.desktop.host.params import Confirm, read
from handrail.features.desktop.platform import Element, Window
from handrail.kernel.digest import digest
from handrail.ports.errors import InvalidParams
from handrail.ports.peers import Peer
from handrail.ports.tokens import TokenScope, TokenStore, hash_token

Mode = Literal["human", "token", "contract"]
_MOST_REMEMBERED = 10_000
_OUTSIDE_OF_DIGEST = frozenset({"meta", "confirm"})


@dataclass(frozen=True, slots=True)
class Shown:
    """What was outlined for the person: the element, or the window if the keys go to the window."""

    handle: str
    role: str
    title: str
    pid: int | None = None

    @classmethod
    def of(cls, window: Window, element: Element | None) -> "Shown":
        if element is not None:
            return cls(element.handle, element.role, element.title)
        return cls(window.handle, "AXWindow", window.title, window.pid)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a person decided by: the target, and a digest of what was around it."""

    target: Shown
    around: str


@dataclass(frozen=True, slots=True)
class Consent:
    by: Literal["token", "phrase", "gateway"]
    seen: Seen | None = None

    def check(self, window: Window, element: Element | None) -> None:
        """Unconfirmed if the parameters now mean another element or window than the person was shown."""
        if self.seen is not None and self.seen.target != Shown.of(window, element):
            raise refused("params", "The target is not what was shown.", was=self.seen.target.title)


class Confirmation:
    def __init__(self, mode: Mode, tokens: TokenStore) -> None:
        self.mode = mode
        self._tokens = tokens
        self._issued: OrderedDict[str, Seen | None] = OrderedDict()

    def read(self, given: Any, request_id: str) -> Confirm:
        """Refuses what is wrong without looking into the token store, so that it needs no turn in the lane."""
        try:
            confirm = read(given, Confirm, "params.confirm") if given is not None else Confirm()
        except InvalidParams as malformed:
            raise refused("invalid", malformed.message, **malformed.details) from None
        if confirm.gate_token is not None:
            return confirm
        if confirm.token is None and confirm.phrase is None:
            raise refused("missing", "This method acts, and needs confirm.token.")
        if confirm.token is not None:
            if not confirm.token:
                raise refused("missing", "confirm.token is empty.")
        elif self.mode != "contract":
            raise refused("invalid", f"In mode {self.mode} this host takes no phrase.")
        elif confirm.phrase not in ("CONFIRM", f"CONFIRM:{request_id}"):
            raise refused("invalid", "The phrase is neither CONFIRM nor CONFIRM:<requestId>.")
        return confirm

    async def consume(self, confirm: Confirm, peer: Peer, method: str, params_digest: str) -> Consent:
        """Returns once it is on disk that this confirmation is used up."""
        gate_token, token = confirm.gate_token, confirm.token
        if gate_token is not None:
            scope = TokenScope(gateway_scope(peer), method, params_digest)
            await self._tokens.consume(gate_token, scope)
            return Consent("gateway")
        if token is None:
            return Consent("phrase")
        await self._tokens.consume(token, TokenScope(peer.digest, method, params_digest))
        key = hash_token(token)
        if self.mode == "human" and key not in self._issued:
            raise refused("expired", "This token is from before the host was started, and has gone with it.")
        return Consent("token", self._issued.pop(key, None))

    async def issue(self, scope: TokenScope, ttl: float, seen: Seen | None) -> str:
        token = await self._tokens.issue(scope, ttl)
        self._issued[hash_token(token)] = seen
        if len(self._issued) > _MOST_REMEMBERED:
            self._issued.popitem(last=False)
        return token


def gateway_scope(peer: Peer) -> str:
    """The scope of tokens that a gate issues to this process, in the token store that it shares with the host."""
    return f"gateway {peer.digest}"


def params_digest(params: Mapping[str, Any]) -> str:
    """All 64 digits, over everything but `meta` and `confirm`."""
    return digest({name: value for name, value in params.items() if name not in _OUTSIDE_OF_DIGEST})


def refused(reason: str, message: str, **details: Any) -> Unconfirmed:
    return Unconfirmed(message, hint="desktop.confirm.issue gives a token for one call.", reason=reason, **details)
