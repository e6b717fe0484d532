"""How a caller shows that it may come in: a program's Bearer token, a plugin's own, or a person's cookie."""

import hmac
from collections.abc import Callable
from enum import Enum
from hashlib import sha256

from starlette.types import Scope

from handrail.faces.http.headers import header
from handrail.faces.http.programs import Programs, program_name
from handrail.faces.http.server_file import Published
from handrail.faces.http.sessions import LIFETIME, Sessions

COOKIE = "handrail_session"
_KEY = "handrail.credential"


class Credential(Enum):
    """A program holds the token, an agent's own program too. Only a person at the console has the cookie.

    A plugin that was paired has a token of its own, which opens little.
    """

    TOKEN = "token"
    PLUGIN = "plugin"
    COOKIE = "cookie"


class Credentials:
    def __init__(
        self, published: Published, sessions: Sessions, programs: Programs, is_paired: Callable[[str], bool]
    ) -> None:
        self._published = published
        self._sessions = sessions
        self._programs = programs
        self._is_paired = is_paired
        # Browsers don't tell ports apart: two servers on one host would take each other's cookie away.
        self._cookie = f"{COOKIE}_{sha256(bytes(published.path)).hexdigest()[:8]}"

    def of(self, scope: Scope, token: str | None = None) -> Credential | None:
        """`token` is one that came beside the headers. Whoever shows a token is judged by that alone."""
        if token is None and (given := header(scope, b"authorization")) is not None:
            scheme, _, token = given.partition(" ")
            if scheme.lower() != "bearer":
                return None
        if token is None:
            return Credential.COOKIE if self.session(scope) is not None else None
        if not hmac.compare_digest(token.encode("utf-8", "surrogatepass"), self._published.token.encode()):
            return Credential.PLUGIN if self._is_paired(token) else None
        self._programs.note(program_name(scope))
        return Credential.TOKEN

    def session(self, scope: Scope) -> str | None:
        """The id of the session whose cookie came along."""
        secret = self._secret(header(scope, b"cookie"))
        return None if secret is None else self._sessions.find(secret)

    def set_cookie(self, secret: str) -> str:
        return f"{self._cookie}={secret}; Max-Age={LIFETIME}; Path=/; HttpOnly; SameSite=Strict"

    def no_cookie(self) -> str:
        """Tells the browser to forget it."""
        return f"{self._cookie}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict"

    def _secret(self, cookies: str | None) -> str | None:
        parts = (part.strip().partition("=") for part in (cookies or "").split(";"))
        found = [value for name, _, value in parts if name == self._cookie]
        return found[0] if len(found) == 1 else None


def note(scope: Scope, credential: Credential | None) -> None:
    scope[_KEY] = credential


def shown(scope: Scope) -> Credential | None:
    """What the guard has found; it overwrites whatever else might stand there."""
    found: Credential | None = scope.get(_KEY)
    return found
