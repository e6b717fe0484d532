"""Checks whether a call that acts was confirmed, by a one-time token, which this uses up, or by a phrase.

In mode human a token is only valid for the element that the person saw. The host keeps that in memory, so its tokens
expire when it ends.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from handrail.features.desktop.desktop_port import Element, Window
from handrail.features.desktop.host.conditions import Unconfirmed
from handrail.features.desktop.host.params import Confirm, read
from handrail.kernel.digest import digest
from handrail.ports.errors import InvalidParams
from handrail.ports.peers import Peer
from handrail.ports.tokens import TokenScope, TokenStore, hash_token

Mode = Literal["human", "token", "contract"]
_MAX_CONTEXTS = 10_000
_NOT_DIGESTED = frozenset({"meta", "confirm"})


@dataclass(frozen=True, slots=True)
class ShownTarget:
    """What was outlined for the person: the element, or the window if the call names no element."""

    handle: str
    role: str
    title: str
    pid: int | None = None

    @classmethod
    def of(cls, window: Window, element: Element | None) -> "ShownTarget":
        if element is not None:
            return cls(element.handle, element.role, element.title)
        return cls(window.handle, "AXWindow", window.title, window.pid)


@dataclass(frozen=True, slots=True)
class ShownContext:
    """What a person's decision was based on: the target, and a fingerprint of its surroundings."""

    target: ShownTarget
    surroundings: str


@dataclass(frozen=True, slots=True)
class Consent:
    by: Literal["token", "phrase", "gateway"]
    shown_context: ShownContext | None = None

    def check(self, window: Window, element: Element | None) -> None:
        """Raises Unconfirmed if the parameters now mean another element or window than the person was shown."""
        if self.shown_context is not None and self.shown_context.target != ShownTarget.of(window, element):
            raise confirmation_refused(
                "params", "The target is not what was shown.", was=self.shown_context.target.title
            )


class Confirmation:
    def __init__(self, mode: Mode, tokens: TokenStore) -> None:
        self.mode = mode
        self._tokens = tokens
        self._contexts: OrderedDict[str, ShownContext | None] = OrderedDict()

    def read(self, value: Any, request_id: str) -> Confirm:
        """Refuses invalid confirmations without using the token store, so that this can happen before the lane."""
        try:
            confirm = read(value, Confirm, "params.confirm") if value is not None else Confirm()
        except InvalidParams as error:
            raise confirmation_refused("invalid", error.message, **error.details) from None
        if confirm.gate_token is not None:
            return confirm
        if confirm.token is None and confirm.phrase is None:
            raise confirmation_refused("missing", "This method acts, so it needs confirm.token.")
        if confirm.token is not None:
            if not confirm.token:
                raise confirmation_refused("missing", "confirm.token is empty.")
        elif self.mode != "contract":
            raise confirmation_refused("invalid", f"In mode {self.mode} this host accepts no phrase.")
        elif confirm.phrase not in ("CONFIRM", f"CONFIRM:{request_id}"):
            raise confirmation_refused("invalid", "The phrase is neither CONFIRM nor CONFIRM:<requestId>.")
        return confirm

    async def consume(self, confirm: Confirm, peer: Peer, method: str, params_digest: str) -> Consent:
        """Uses up the confirmation. Returns once that is on disk."""
        gate_token, token = confirm.gate_token, confirm.token
        if gate_token is not None:
            scope = TokenScope(gateway_scope(peer), method, params_digest)
            await self._tokens.consume(gate_token, scope)
            return Consent("gateway")
        if token is None:
            return Consent("phrase")
        await self._tokens.consume(token, TokenScope(peer.digest, method, params_digest))
        key = hash_token(token)
        if self.mode == "human" and key not in self._contexts:
            raise confirmation_refused("expired", "This token expired when the host restarted.")
        return Consent("token", self._contexts.pop(key, None))

    async def issue(self, scope: TokenScope, ttl: float, shown_context: ShownContext | None) -> str:
        token = await self._tokens.issue(scope, ttl)
        self._contexts[hash_token(token)] = shown_context
        if len(self._contexts) > _MAX_CONTEXTS:
            self._contexts.popitem(last=False)
        return token


def gateway_scope(peer: Peer) -> str:
    """Returns the scope of tokens that a gate issues, in the token store that it shares with the host."""
    return f"gateway {peer.digest}"


def params_digest(params: Mapping[str, Any]) -> str:
    """Digests everything except `meta` and `confirm`."""
    return digest({name: value for name, value in params.items() if name not in _NOT_DIGESTED})


def confirmation_refused(reason: str, message: str, **details: Any) -> Unconfirmed:
    return Unconfirmed(message, hint="desktop.confirm.issue returns a token for one call.", reason=reason, **details)
