"""A window of handrail's extension in which a person confirms far-reaching actions.

The window belongs to the extension, so no page or tool can reach it. It opens in a browser that a person has enrolled
for this, shows what the server sends, and answers over that browser's connection. An answer counts once, only for the
confirmation that it names, with the same digest and from the browser that was asked.
"""

import asyncio
import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from handrail.kernel.visible import visible
from handrail.ports.errors import Declined, Failure, InvalidParams, Offline
from handrail.ports.presence import PresenceNeeded, WindowProof

Answer = Literal["allow", "deny", "later", "automated"]
Subject = Literal["approval", "agent", "browser", "policy", "rule"]
ASK, CLOSE = "confirm_ask", "confirm_close"
PATIENCE = 120.0
MOST_TEXT = 100_000
_NOT_CONFIRMED = {
    "later": "The window was closed without an answer.",
    "automated": "A program controls that browser, so its window can't confirm anything.",
}


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What a window shows. `subject` is the kind of action; each of `lines` is a label and its value."""

    subject: Subject
    title: str
    lines: Sequence[tuple[str, str]]
    challenge: bytes
    text: str = ""
    """The change or message to confirm."""
    request_id: str | None = None

    def message(self, id: str) -> dict[str, Any]:
        text = visible(self.text)
        return {
            "type": ASK,
            "confirmId": id,
            "digest": self.challenge.hex(),
            "subject": self.subject,
            "title": self.title,
            "lines": [{"name": name, "value": value} for name, value in self.lines],
            "text": text[:MOST_TEXT],
            "left": max(0, len(text) - MOST_TEXT),
            **({} if self.request_id is None else {"requestId": self.request_id}),
        }


@dataclass(frozen=True, slots=True)
class EnrolledBrowser:
    client_id: str
    name: str
    send: Callable[[Mapping[str, Any]], Awaitable[None]]
    """Raises a Failure if the browser has disconnected."""


class EnrolledBrowsers(Protocol):
    def connected(self) -> EnrolledBrowser | None:
        """An enrolled browser that is connected now."""
        ...


class WindowDenied(Declined):
    """The person denied it in the window."""


@dataclass(frozen=True, slots=True)
class _Pending:
    client_id: str
    confirmation: Confirmation
    answer: "asyncio.Future[Answer]"


class ConfirmWindows:
    def __init__(self) -> None:
        self.browsers: EnrolledBrowsers | None = None
        self._pending: dict[str, _Pending] = {}

    @property
    def browser(self) -> EnrolledBrowser | None:
        """The browser in which a window would open; None if no enrolled browser is connected."""
        return None if self.browsers is None else self.browsers.connected()

    async def ask(self, confirmation: Confirmation) -> WindowProof:
        """Raises WindowDenied, or PresenceNeeded if the window gave no answer."""
        browser = self.browser
        if browser is None:
            raise Offline("No enrolled browser is connected.", hint="Open it, or confirm in another way.")
        if self._pending:
            raise PresenceNeeded(
                "Another confirmation is open.", hint="Answer or close its window first.", reason="presence"
            )
        id, future = secrets.token_urlsafe(16), asyncio.get_running_loop().create_future()
        self._pending[id] = _Pending(browser.client_id, confirmation, future)
        try:
            await browser.send(confirmation.message(id))
            async with asyncio.timeout(PATIENCE):
                answer: Answer = await future
        except TimeoutError:
            answer = "later"
        finally:
            self._pending.pop(id, None)
            with suppress(Failure):
                await browser.send({"type": CLOSE, "confirmId": id})
        if answer == "deny":
            raise WindowDenied("You denied it in the window.", reason="denied")
        if answer != "allow":
            raise PresenceNeeded(
                _NOT_CONFIRMED[answer], hint="Nothing has changed. Confirm it in another way.", reason="presence"
            )
        return WindowProof(browser.client_id, confirmation.challenge)

    def receive(self, client_id: str, message: Mapping[str, Any]) -> None:
        """Takes an answer from a browser. Raises InvalidParams or Declined if it doesn't count."""
        pending = self._pending.get(str(message.get("confirmId")))
        if pending is None or pending.answer.done():
            raise Declined("No confirmation with this id is pending.", reason="confirm")
        if pending.client_id != client_id:
            raise Declined("Another browser was asked to confirm this.", reason="confirm")
        digest, request_id = str(message.get("digest")), message.get("requestId")
        is_same = hmac.compare_digest(digest.encode(errors="replace"), pending.confirmation.challenge.hex().encode())
        if not is_same or request_id != pending.confirmation.request_id:
            raise Declined("This answer is for something else.", reason="confirm")
        answer = message.get("answer")
        if answer not in ("allow", "deny", "later", "automated"):
            raise InvalidParams("`answer` must be allow, deny, later or automated.")
        pending.answer.set_result(answer)

    def browser_left(self, client_id: str) -> None:
        """Ends the confirmations of a browser that has disconnected."""
        for pending in self._pending.values():
            if pending.client_id == client_id and not pending.answer.done():
                pending.answer.set_exception(_disconnected())


def _disconnected() -> Failure:
    return PresenceNeeded(
        "The browser that was asked has disconnected.", hint="Nothing has changed. Try again.", reason="presence"
    )
