"""`/api/passkeys`: the person's passkeys in the console. A new one needs a code from the person's own terminal."""

import asyncio
import hmac
import secrets
import time
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import success
from handrail.faces.http.context import HttpContext
from handrail.faces.http.credentials import caller, must_be_person
from handrail.faces.http.headers import header
from handrail.faces.http.json_body import json_object, optional_text, text_field, wrong_field
from handrail.kernel.access import record_access
from handrail.kernel.passkeys import registration_options, verify_registration
from handrail.kernel.prompts.entries import timestamp
from handrail.ports.errors import Declined, NotFound
from handrail.ports.presence import Passkey, Presence

PATH = "/api/passkeys"
_CODE_LIFETIME = 600.0
_MOST_TRIES = 5
_LONGEST_NAME = 60


class RegistrationCodes:
    """Codes from the terminal, each for one new passkey; wrong ones end them all. `clock` counts seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._codes: dict[str, float] = {}
        self._wrong = 0
        self._challenges: dict[str, tuple[bytes, float]] = {}

    def make(self) -> str:
        code = f"{secrets.randbelow(10**8):08d}"
        self._codes[code] = self._clock() + _CODE_LIFETIME
        self._wrong = 0
        return code

    def begin(self, code: str) -> tuple[str, bytes]:
        """Uses up the code: the id of a registration, and its challenge."""
        now = self._clock()
        known = [each for each, end in self._codes.items() if now < end and hmac.compare_digest(each, code)]
        if not known:
            self._wrong += 1
            if self._wrong >= _MOST_TRIES:
                self._codes.clear()
            raise Declined(
                "This code isn't valid.", hint="Run `handrail passkeys add` in a terminal for a new one.", reason="code"
            )
        del self._codes[known[0]]
        id, challenge = secrets.token_urlsafe(16), secrets.token_bytes(32)
        self._challenges[id] = (challenge, now + _CODE_LIFETIME)
        return id, challenge

    def finish(self, id: str) -> bytes:
        challenge, end = self._challenges.pop(id, (b"", 0.0))
        if self._clock() >= end:
            raise NotFound("This registration has ended.", hint="Start again with `handrail passkeys add`.")
        return challenge


def routes(context: HttpContext) -> list[Route]:
    presence, codes = context.project.stores.presence, RegistrationCodes()

    async def list_all(request: Request) -> Response:
        must_be_person(request, "Listing passkeys")
        return success(await asyncio.to_thread(_overview, presence))

    async def make_code(request: Request) -> Response:
        if not context.console_key.is_right(header(request.scope, b"x-handrail-console-key")):
            raise Declined(
                "A code for a passkey comes from the person's own terminal.",
                hint="Run `handrail passkeys add` there.",
                reason="person",
            )
        return success({"code": codes.make()})

    async def begin(request: Request) -> Response:
        must_be_person(request, "Adding a passkey")
        id, challenge = codes.begin(text_field(await json_object(request, {"code"}), "code"))
        known = await asyncio.to_thread(presence.passkeys.all)
        return success({"id": id, "options": registration_options(challenge, context.person, known)})

    async def add(request: Request) -> Response:
        must_be_person(request, "Adding a passkey")
        given = await json_object(request, {"id", "name", "credential"})
        challenge = codes.finish(text_field(given, "id"))
        credential, name = given.get("credential"), (optional_text(given, "name") or "Passkey")[:_LONGEST_NAME]
        if not isinstance(credential, dict):
            raise wrong_field("credential", "must be an object")
        origin = header(request.scope, b"origin") or ""

        def keep() -> Passkey:
            id, key, count = verify_registration(credential, challenge, origin)
            passkey = Passkey(id, key, count, name, timestamp(time.time()))
            presence.passkeys.add(passkey)
            return passkey

        passkey = await asyncio.to_thread(keep)
        by = caller(request, context.person)
        await record_access(context.project.audit, by, f"added the passkey {passkey.id}, with a code from a terminal")
        return success(await asyncio.to_thread(_overview, presence))

    return [
        Route(PATH, list_all),
        Route(PATH, add, methods=["POST"]),
        Route(f"{PATH}/code", make_code, methods=["POST"]),
        Route(f"{PATH}/begin", begin, methods=["POST"]),
    ]


def _overview(presence: Presence) -> dict[str, Any]:
    return {
        "mode": presence.mode,
        "passkeys": [{"id": one.id, "name": one.name, "createdAt": one.created_at} for one in presence.passkeys.all()],
    }
