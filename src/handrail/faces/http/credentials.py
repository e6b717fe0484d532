"""How a caller shows that it may come in: a program's Bearer token, a plugin's own, or a person's cookie."""

import hmac
from collections.abc import Callable
from enum import Enum

from starlette.types import Scope

from handrail.faces.http.headers import header
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
    def __init__(self, token: str, sessions: Sessions, is_paired: Callable[[str], bool]) -> None:
        self._token = token.encode()
        self._sessions = sessions
        self._is_paired = is_paired

    def of(self, scope: Scope) -> Credential | None:
        """Whoever sends an Authorization header is judged by that alone."""
        given = header(scope, b"authorization")
        if given is not None:
            scheme, _, token = given.partition(" ")
            if scheme.lower() != "bearer":
                return None
            if self.is_token(token):
                return Credential.TOKEN
            return Credential.PLUGIN if self._is_paired(token) else None
        secret = _secret(header(scope, b"cookie"))
        return Credential.COOKIE if secret is not None and self._sessions.holds(secret) else None

    def is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), self._token)


def note(scope: Scope, credential: Credential | None) -> None:
    scope[_KEY] = credential


def shown(scope: Scope) -> Credential | None:
    """What the guard has found; it overwrites whatever else might stand there."""
    found: Credential | None = scope.get(_KEY)
    return found


def set_cookie(secret: str) -> str:
    return f"{COOKIE}={secret}; Max-Age={LIFETIME}; Path=/; HttpOnly; SameSite=Strict"


def _secret(cookies: str | None) -> str | None:
    if not cookies:
        return None
    found = [value for name, _, value in (part.strip().partition("=") for part in cookies.split(";")) if name == COOKIE]
    return found[0] if len(found) == 1 else None
