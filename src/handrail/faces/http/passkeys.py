"""`/api/passkeys`: lists and adds passkeys. Adding one needs a code from the person's own terminal."""

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
from handrail.faces.http.credentials import caller, require_person
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
    """Codes from the terminal, each for one new passkey. Too many wrong codes invalidate all. `clock` is monotonic."""

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
        """Uses up the code and returns the id and challenge of a registration."""
        now = self._clock()
        matches = [
            candidate for candidate, end in self._codes.items() if now < end and hmac.compare_digest(candidate, code)
        ]
        if not matches:
            self._wrong += 1
            if self._wrong >= _MOST_TRIES:
                self._codes.clear()
            raise Declined(
                "This code isn't valid.", hint="Run `handrail passkeys add` in a terminal for a new one.", reason="code"
            )
        del self._codes[matches[0]]
        id, challenge = secrets.token_urlsafe(16), secrets.token_bytes(32)
        self._challenges[id] = (challenge, now + _CODE_LIFETIME)
        return id, challenge

    def finish(self, id: str) -> bytes:
        challenge, end = self._challenges.pop(id, (b"", 0.0))
        if self._clock() >= end:
            raise NotFound("This registration has expired.", hint="Start again with `handrail passkeys add`.")
        return challenge


def routes(context: HttpContext) -> list[Route]:
    presence, codes = context.project.stores.presence, RegistrationCodes()

    async def list_all(request: Request) -> Response:
        require_person(request, "Listing passkeys")
        return success(await asyncio.to_thread(_overview, presence))

    async def make_code(request: Request) -> Response:
        if not context.console_key.matches(header(request.scope, b"x-handrail-console-key")):
            raise Declined(
                "Only a person's own terminal can get a code for a passkey.",
                hint="Run `handrail passkeys add` there.",
                reason="person",
            )
        return success({"code": codes.make()})

    async def begin(request: Request) -> Response:
        require_person(request, "Adding a passkey")
        id, challenge = codes.begin(text_field(await json_object(request, {"code"}), "code"))
        passkeys = await asyncio.to_thread(presence.passkeys.all)
        return success({"id": id, "options": registration_options(challenge, context.person, passkeys)})

    async def add(request: Request) -> Response:
        require_person(request, "Adding a passkey")
        body = await json_object(request, {"id", "name", "credential"})
        challenge = codes.finish(text_field(body, "id"))
        credential, name = body.get("credential"), (optional_text(body, "name") or "Passkey")[:_LONGEST_NAME]
        if not isinstance(credential, dict):
            raise wrong_field("credential", "must be an object")
        origin = header(request.scope, b"origin") or ""

        def register() -> Passkey:
            id, key, count = verify_registration(credential, challenge, origin)
            passkey = Passkey(id, key, count, name, timestamp(time.time()))
            presence.passkeys.add(passkey)
            return passkey

        passkey = await asyncio.to_thread(register)
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
        "passkeys": [
            {"id": passkey.id, "name": passkey.name, "createdAt": passkey.created_at}
            for passkey in presence.passkeys.all()
        ],
    }
