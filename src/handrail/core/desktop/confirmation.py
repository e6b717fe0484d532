"""Whether a call that acts was confirmed: by a token that is used up here, or, in mode contract, by a phrase.

A person who is shown an element allows this element: what was shown is remembered for as long as the host lives, and
a token without that memory is worth nothing in mode human.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from handrail.contract.desktop import Element
from handrail.contract.tokens import Scope, TokenStore
from handrail.core.desktop.conditions import Unconfirmed
from handrail.core.desktop.params import Confirm
from handrail.core.desktop.threads import settled
from handrail.core.digest import digest
from handrail.core.tokens import fingerprint

Mode = Literal["human", "token", "contract"]
MODES: tuple[Mode, ...] = ("human", "token", "contract")
GATE = "gate"
"""The caller in the scope of a pass, which the gateway issues to itself."""
_MOST_REMEMBERED = 10_000
_OUTSIDE_OF_DIGEST = frozenset({"meta", "confirm"})


@dataclass(frozen=True, slots=True)
class Shown:
    """The element that a person saw outlined."""

    handle: str
    role: str
    title: str

    @classmethod
    def of(cls, element: Element) -> "Shown":
        return cls(element.handle, element.role, element.title)


@dataclass(frozen=True, slots=True)
class Consent:
    by: Literal["token", "phrase"]
    shown: Shown | None = None

    def check(self, element: Element) -> None:
        """What a person allowed for one element is not allowed for another that fits the same selector."""
        if self.shown is not None and self.shown != Shown.of(element):
            raise refused("params", "The target is another element than the one that was shown.")


class Confirmation:
    def __init__(self, mode: Mode, tokens: TokenStore) -> None:
        self.mode = mode
        self._tokens = tokens
        self._issued: OrderedDict[str, Shown | None] = OrderedDict()

    def check_form(self, confirm: Confirm | None, request_id: str) -> None:
        """Refuses what no token store has to be asked about, so that it need not wait for its turn."""
        if confirm is None or (confirm.token is None and confirm.phrase is None):
            raise refused("missing", "This method acts, and needs confirm.token.")
        if confirm.token is not None:
            if not confirm.token:
                raise refused("missing", "confirm.token is empty.")
        elif self.mode != "contract":
            raise refused("invalid", f"In mode {self.mode} this host takes no phrase.")
        elif confirm.phrase not in ("CONFIRM", f"CONFIRM:{request_id}"):
            raise refused("invalid", "The phrase is neither CONFIRM nor CONFIRM:<requestId>.")

    async def consume(self, confirm: Confirm, scope: Scope) -> Consent:
        """Returns once it is durable that this confirmation is used up."""
        token = confirm.token
        if token is None:
            return Consent("phrase")
        await settled(lambda: self._tokens.consume(token, scope))
        key = fingerprint(token)
        if self.mode == "human" and key not in self._issued:
            raise refused("expired", "This token is from before the host was started, and has gone with it.")
        return Consent("token", self._issued.pop(key, None))

    async def use_pass(self, token: str, method: str, params_digest: str) -> None:
        """A one-time token of the gateway's own, from the same state: its policy allowed this without a person."""
        await settled(lambda: self._tokens.consume(token, Scope(GATE, method, params_digest)))

    async def issue(self, scope: Scope, ttl: float, shown: Shown | None) -> str:
        token = await settled(lambda: self._tokens.issue(scope, ttl))
        self._issued[fingerprint(token)] = shown
        if len(self._issued) > _MOST_REMEMBERED:
            self._issued.popitem(last=False)
        return token


def params_digest(params: Mapping[str, Any]) -> str:
    """All 64 digits, over everything but `meta` and `confirm`."""
    return digest({name: value for name, value in params.items() if name not in _OUTSIDE_OF_DIGEST})


def refused(reason: str, message: str, **details: Any) -> Unconfirmed:
    return Unconfirmed(message, hint="desktop.confirm.issue gives a token for one call.", reason=reason, **details)
