"""A window of handrail's extension in which a person confirms what reaches far.

The window belongs to the extension, so no page and no tool reaches it. It opens in a browser that a person has enrolled
for this, shows what the server says, and answers over that browser's own connection. An answer counts for the one
confirmation it names, with the same digest, from the browser that was asked, once.
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
    "automated": "A program drives that browser, so its window can't confirm anything.",
}


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What a window shows. `subject` names the kind, for its title; `lines` are a label's name and a value each."""

    subject: Subject
    title: str
    lines: Sequence[tuple[str, str]]
    challenge: bytes
    text: str = ""
    """The change or message that is confirmed."""
    request_id: str | None = None

    def message(self, id: str) -> dict[str, Any]:
        shown = visible(self.text)
        return {
            "type": ASK,
            "confirmId": id,
            "digest": self.challenge.hex(),
            "subject": self.subject,
            "title": self.title,
            "lines": [{"name": name, "value": value} for name, value in self.lines],
            "text": shown[:MOST_TEXT],
            "left": max(0, len(shown) - MOST_TEXT),
            **({} if self.request_id is None else {"requestId": self.request_id}),
        }


@dataclass(frozen=True, slots=True)
class EnrolledBrowser:
    client_id: str
    name: str
    send: Callable[[Mapping[str, Any]], Awaitable[None]]
    """Failure where it is gone."""


class EnrolledBrowsers(Protocol):
    def connected(self) -> EnrolledBrowser | None:
        """The one to ask: enrolled by a person, and connected now."""
        ...


class WindowDenied(Declined):
    """The person said no in the window."""


@dataclass(frozen=True, slots=True)
class _Asked:
    client_id: str
    confirmation: Confirmation
    answered: "asyncio.Future[Answer]"


class ConfirmWindows:
    def __init__(self) -> None:
        self.browsers: EnrolledBrowsers | None = None
        self._asked: dict[str, _Asked] = {}

    @property
    def browser(self) -> EnrolledBrowser | None:
        """Where a window would open; None where no enrolled browser is connected."""
        return None if self.browsers is None else self.browsers.connected()

    async def ask(self, confirmation: Confirmation) -> WindowProof:
        """WindowDenied, or PresenceNeeded where the window gave no answer."""
        browser = self.browser
        if browser is None:
            raise Offline("No browser that may confirm is connected.", hint="Open it, or use another way to confirm.")
        if self._asked:
            raise PresenceNeeded(
                "Another confirmation is open.", hint="Answer or close its window first.", reason="presence"
            )
        id, answered = secrets.token_urlsafe(16), asyncio.get_running_loop().create_future()
        self._asked[id] = _Asked(browser.client_id, confirmation, answered)
        try:
            await browser.send(confirmation.message(id))
            async with asyncio.timeout(PATIENCE):
                answer: Answer = await answered
        except TimeoutError:
            answer = "later"
        finally:
            self._asked.pop(id, None)
            with suppress(Failure):
                await browser.send({"type": CLOSE, "confirmId": id})
        if answer == "deny":
            raise WindowDenied("You said no in the window.", reason="denied")
        if answer != "allow":
            raise PresenceNeeded(
                _NOT_CONFIRMED[answer], hint="Nothing has changed. Confirm it in another way.", reason="presence"
            )
        return WindowProof(browser.client_id, confirmation.challenge)

    def hear(self, client_id: str, message: Mapping[str, Any]) -> None:
        """An answer from a browser. InvalidParams, Declined: it counts for nothing."""
        asked = self._asked.get(str(message.get("confirmId")))
        if asked is None or asked.answered.done():
            raise Declined("Nothing with this id is waiting to be confirmed.", reason="confirm")
        if asked.client_id != client_id:
            raise Declined("Another browser was asked to confirm this.", reason="confirm")
        digest, request_id = str(message.get("digest")), message.get("requestId")
        is_same = hmac.compare_digest(digest.encode(errors="replace"), asked.confirmation.challenge.hex().encode())
        if not is_same or request_id != asked.confirmation.request_id:
            raise Declined("This answer is for something else.", reason="confirm")
        answer = message.get("answer")
        if answer not in ("allow", "deny", "later", "automated"):
            raise InvalidParams("`answer` must be allow, deny, later or automated.")
        asked.answered.set_result(answer)

    def left(self, client_id: str) -> None:
        """The browser has disconnected: it can't answer any more."""
        for asked in self._asked.values():
            if asked.client_id == client_id and not asked.answered.done():
                asked.answered.set_exception(_gone())


def _gone() -> Failure:
    return PresenceNeeded(
        "The browser that was asked has disconnected.", hint="Nothing has changed. Try again.", reason="presence"
    )
