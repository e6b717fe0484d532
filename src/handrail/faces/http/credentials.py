"""How a caller shows that it may come in: the Bearer token of programs, or the cookie of a person's browser."""

import hmac
from enum import Enum

from starlette.types import Scope

from handrail.faces.http.headers import header
from handrail.faces.http.sessions import LIFETIME, Sessions

COOKIE = "handrail_session"
_KEY = "handrail.credential"


class Credential(Enum):
    """A program holds the token, an agent's own program too. Only a person at the console has the cookie."""

    TOKEN = "token"
    COOKIE = "cookie"


class Credentials:
    def __init__(self, token: str, sessions: Sessions) -> None:
        self._token = token.encode()
        self._sessions = sessions

    def of(self, scope: Scope) -> Credential | None:
        """Whoever sends an Authorization header is judged by that alone."""
        given = header(scope, b"authorization")
        if given is not None:
            scheme, _, token = given.partition(" ")
            return Credential.TOKEN if scheme.lower() == "bearer" and self.is_token(token) else None
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
