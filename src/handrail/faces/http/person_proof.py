"""Asks for proof that a person is present, for requests of the console: a passkey's assertion or a window's answer.

Actions without a prompt (issuing a token, enrolling a browser) get their own challenge: a hash of the action, all of
its parameters and a number that is used once.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from handrail.faces.http.confirm_windows import Confirmation, ConfirmWindows, Subject
from handrail.faces.http.endpoint import run_while_connected
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
    """An action in the console that needs proof. `params` has everything that it depends on, by label.

    `command` does the same in a terminal; empty if no command does. `text` is also shown; its digest must be among the
    params.
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
    """`clock` is monotonic, in seconds."""

    def __init__(
        self, presence: Presence, windows: ConfirmWindows, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._presence = presence
        self._windows = windows
        self._clock = clock
        self._numbers: dict[str, tuple[str, float]] = {}

    async def requested(self, request: Request, presence: Any, confirmation: Confirmation) -> Proof | None:
        """The proof in a request's `presence`. For a window, waits for the person's answer in it."""
        if presence is None:
            return None
        if presence == {"kind": _WINDOW}:
            return await run_while_connected(request.receive, self._windows.ask(confirmation))
        if not isinstance(presence, dict) or not isinstance(presence.get("response"), dict):
            raise wrong_field("presence", 'must be a passkey\'s assertion, or {"kind": "window"}')
        return PasskeyProof(presence, header(request.scope, b"origin") or "")

    async def for_action(self, request: Request, presence: Any, action: Action) -> Mapping[str, Any] | None:
        """The verified proof for the audit; None if the settings need none. PresenceNeeded says how to prove it."""
        if self._presence.mode == "never":
            return None
        number, end = self._numbers.pop(action.key, ("", 0.0))
        is_assertion = presence is not None and presence != {"kind": _WINDOW}
        if presence is None or (is_assertion and self._clock() >= end):
            raise await self._presence_needed(action)
        challenge = action.challenge(number if is_assertion else secrets.token_urlsafe(16))
        lines = [(name, one_line(value)) for name, value in action.params.items()]
        confirmation = Confirmation(action.subject, action.title, lines, challenge, action.text)
        proof = await self.requested(request, presence, confirmation)
        assert proof is not None
        return await asyncio.to_thread(self._presence.verify, challenge, proof)

    async def ways(self, challenge: bytes) -> dict[str, Any]:
        """How a page can prove presence: with one of the passkeys, or in the browser whose window would open."""
        passkeys, browser = await asyncio.to_thread(self._presence.passkeys.all), self._windows.browser
        return {
            **({"passkey": assertion_options(challenge, passkeys)} if passkeys else {}),
            **({"window": {"name": browser.name}} if browser is not None else {}),
        }

    async def _presence_needed(self, action: Action) -> PresenceNeeded:
        number, now = secrets.token_urlsafe(16), self._clock()
        self._numbers = {key: entry for key, entry in self._numbers.items() if now < entry[1]}
        self._numbers[action.key] = (number, now + _LIFETIME)
        return PresenceNeeded(
            f"{action.title} needs proof that a person is present.",
            hint=f"Confirm it in the console{action.in_terminal}.",
            reason="presence",
            command=action.command,
            **await self.ways(action.challenge(number)),
        )
