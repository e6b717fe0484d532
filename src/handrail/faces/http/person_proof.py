"""Proof that a person is present, for requests of the console: a passkey's assertion, or a window's answer.

What has no prompt (issuing a token, enrolling a browser) gets a challenge of its own: the action, everything it would
do, and a number that counts once.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from handrail.faces.http.confirm_windows import Confirmation, ConfirmWindows, Subject
from handrail.faces.http.endpoint import unless_gone
from handrail.faces.http.headers import header
from handrail.faces.http.json_body import wrong_field
from handrail.kernel.digest import digest
from handrail.kernel.passkeys import assertion_options
from handrail.kernel.visible import one_line
from handrail.ports.presence import PasskeyProof, Presence, PresenceNeeded, Proof

_WINDOW = "window"
_LIFETIME = 300.0


@dataclass(frozen=True, slots=True)
class Action:
    """What a person does in the console that needs proof: everything it depends on is in `params`, by label.

    `command` does the same in a terminal; empty where nothing does. `text` is shown as well; its digest has to be among
    the params.
    """

    subject: Subject
    title: str
    params: Mapping[str, str]
    command: str
    text: str = ""

    @property
    def in_terminal(self) -> str:
        return f", or run `{self.command}` in a terminal of your own" if self.command else ""

    @property
    def key(self) -> str:
        return digest({"action": self.subject, "params": dict(self.params)})

    def challenge(self, number: str) -> bytes:
        return bytes.fromhex(digest({"action": self.key, "number": number}))


class PersonProof:
    """`clock` gives seconds that only go forwards."""

    def __init__(
        self, presence: Presence, windows: ConfirmWindows, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._presence = presence
        self._windows = windows
        self._clock = clock
        self._numbers: dict[str, tuple[str, float]] = {}

    async def given(self, request: Request, presence: Any, confirmation: Confirmation) -> Proof | None:
        """What came with a request as its `presence`. A window is asked now, while the page waits."""
        if presence is None:
            return None
        if presence == {"kind": _WINDOW}:
            return await unless_gone(request.receive, self._windows.ask(confirmation))
        if not isinstance(presence, dict) or not isinstance(presence.get("response"), dict):
            raise wrong_field("presence", 'must be a passkey\'s assertion, or {"kind": "window"}')
        return PasskeyProof(presence, header(request.scope, b"origin") or "")

    async def for_action(self, request: Request, presence: Any, action: Action) -> Mapping[str, Any] | None:
        """The proof as the audit keeps it; None where the settings ask for none. PresenceNeeded says how to prove."""
        if self._presence.mode == "never":
            return None
        number, end = self._numbers.pop(action.key, ("", 0.0))
        is_assertion = presence is not None and presence != {"kind": _WINDOW}
        if presence is None or (is_assertion and self._clock() >= end):
            raise await self._needed(action)
        challenge = action.challenge(number if is_assertion else secrets.token_urlsafe(16))
        lines = [(name, one_line(value)) for name, value in action.params.items()]
        shown = Confirmation(action.subject, action.title, lines, challenge, action.text)
        proof = await self.given(request, presence, shown)
        assert proof is not None
        return await asyncio.to_thread(self._presence.verify, challenge, proof)

    async def ways(self, challenge: bytes) -> dict[str, Any]:
        """How a page can prove it: the passkeys there are, and the browser whose window would open."""
        passkeys, browser = await asyncio.to_thread(self._presence.passkeys.all), self._windows.browser
        return {
            **({"passkey": assertion_options(challenge, passkeys)} if passkeys else {}),
            **({"window": {"name": browser.name}} if browser is not None else {}),
        }

    async def _needed(self, action: Action) -> PresenceNeeded:
        number, now = secrets.token_urlsafe(16), self._clock()
        self._numbers = {key: kept for key, kept in self._numbers.items() if now < kept[1]}
        self._numbers[action.key] = (number, now + _LIFETIME)
        return PresenceNeeded(
            f"{action.title} needs proof that a person is present.",
            hint=f"Confirm it in the console{action.in_terminal}.",
            reason="presence",
            command=action.command,
            **await self.ways(action.challenge(number)),
        )
