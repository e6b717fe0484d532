"""Identifies callers over HTTP: an agent, a program with the server's token, a paired plugin, or a person."""

import hmac
import re
import time
from collections.abc import Callable, Mapping
from enum import Enum
from hashlib import sha256

from starlette.requests import Request
from starlette.types import Scope

from handrail.faces.http.console_key import HEADER, ConsoleKey
from handrail.faces.http.headers import header
from handrail.faces.http.server_file import Published
from handrail.faces.http.sessions import LIFETIME, Sessions
from handrail.ports.agents import Agent, Agents
from handrail.ports.errors import Declined
from handrail.ports.identity import SERVER_TOKEN, Caller, Identity

MOST_PROGRAMS = 50
_PRODUCT = re.compile(r"[A-Za-z0-9._-]{1,40}(?:/[A-Za-z0-9._-]{1,20})?")


class Programs:
    """When each program last used the server's token. `clock` gives seconds since 1970."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._last_seen: dict[str, float] = {}

    def note(self, name: str) -> None:
        self._last_seen.pop(name, None)  # moves it to the end: if there are too many, the first is dropped
        self._last_seen[name] = self._clock()
        if len(self._last_seen) > MOST_PROGRAMS:
            del self._last_seen[next(iter(self._last_seen))]

    @property
    def last_seen(self) -> Mapping[str, float]:
        """The most recent first."""
        return dict(reversed(self._last_seen.items()))

    def forget(self) -> None:
        """For a new token: programs are listed again when they have used it."""
        self._last_seen.clear()


def program_name(scope: Scope) -> str:
    """What the client calls itself; it only proves that it has the token."""
    match = _PRODUCT.match(header(scope, b"user-agent") or "")
    return match.group() if match else "unknown"


COOKIE = "handrail_session"
PAGE_HEADER = "x-handrail-page"
_KEY = "handrail.credential"
_AGENT = "handrail.agent"
_OWN_PAGE = "handrail.own_page"
_PERSON = "handrail.person"


class Credential(Enum):
    """How a caller has proven who it is.

    TOKEN: a program with the server's token. AGENT: an agent with the token that a person issued to it; only this one
    allows calling tools. PLUGIN: a paired plugin with its own token, which allows little. COOKIE: a person at the
    console, who has both the cookie and the page's secret; either of them without the other is worthless.
    """

    TOKEN = "token"
    AGENT = "agent"
    PLUGIN = "plugin"
    COOKIE = "cookie"


def bearer_token(scope: Scope) -> str | None:
    """The Bearer token; None without authorization, and nobody's token, the empty one, for another scheme."""
    if (authorization := header(scope, b"authorization")) is None:
        return None
    scheme, _, token = authorization.partition(" ")
    return token if scheme.lower() == "bearer" else ""


class Credentials:
    def __init__(
        self,
        published: Published,
        sessions: Sessions,
        programs: Programs,
        is_paired: Callable[[str], bool],
        agents: Agents,
    ) -> None:
        self._published = published
        self._sessions = sessions
        self._programs = programs
        self._is_paired = is_paired
        self._agents = agents
        self._agents_seen: dict[str, float] = {}
        # Cookies ignore ports: two servers on one host would overwrite each other's cookie.
        self._cookie = f"{COOKIE}_{sha256(bytes(published.path)).hexdigest()[:8]}"

    def of(self, scope: Scope, token: str | None = None, page: str | None = None) -> Credential | None:
        """`token` and `page` take the place of headers. If there is a token, only the token counts."""
        if token is None and (token := bearer_token(scope)) is None:
            return Credential.COOKIE if self._is_signed_in(scope, page) else None
        return self._of_token(scope, token)

    def _is_signed_in(self, scope: Scope, page: str | None) -> bool:
        return self.session(scope, page) is not None

    def _of_token(self, scope: Scope, token: str) -> Credential | None:
        if not hmac.compare_digest(token.encode("utf-8", "surrogatepass"), self._published.token.encode()):
            if (agent := self._agents.find(token)) is not None:
                self._agents_seen[agent.id] = time.time()
                return Credential.AGENT
            return Credential.PLUGIN if self._is_paired(token) else None
        self._programs.note(program_name(scope))
        return Credential.TOKEN

    def agent(self, scope: Scope, token: str | None = None) -> Agent | None:
        """The agent whose token this is, if any."""
        value = token if token is not None else (header(scope, b"authorization") or "").partition(" ")[2]
        return self._agents.find(value)

    def last_seen(self, agent: Agent) -> float | None:
        """Seconds since 1970; None if it hasn't called since the server started."""
        return self._agents_seen.get(agent.id)

    def session(self, scope: Scope, page: str | None = None) -> str | None:
        """The id of the session whose cookie and page secret the request has."""
        cookie = self._secret(header(scope, b"cookie"))
        page = header(scope, PAGE_HEADER.encode()) if page is None else page
        return None if cookie is None or page is None else self._sessions.find(cookie, page)

    def person_name(self, scope: Scope, page: str | None = None) -> str:
        """The name of the person whose cookie this is; empty if there is only one person."""
        return ""

    def may_write(self, scope: Scope, page: str | None = None) -> bool:
        """Whether the person whose cookie this is may write to the agent, as of now."""
        return True

    def set_cookie(self, secret: str) -> str:
        return f"{self._cookie}={secret}; Max-Age={LIFETIME}; Path=/; HttpOnly; SameSite=Strict"

    def clear_cookie(self) -> str:
        """A header value that makes the browser delete the cookie."""
        return f"{self._cookie}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict"

    def _secret(self, cookies: str | None) -> str | None:
        parts = (part.strip().partition("=") for part in (cookies or "").split(";"))
        values = [value for name, _, value in parts if name == self._cookie]
        return values[0] if len(values) == 1 else None


def store_credential(scope: Scope, credential: Credential | None, *, is_own_page: bool) -> None:
    scope[_KEY], scope[_OWN_PAGE] = credential, is_own_page


def is_from_own_page(scope: Scope) -> bool:
    """Whether a page of ours sent this, or it is a read without an origin, according to the guard."""
    return scope.get(_OWN_PAGE) is True


def store_agent(scope: Scope, agent: Agent | None) -> None:
    scope[_AGENT] = agent


def agent_of(scope: Scope) -> Agent | None:
    """The agent that the guard has identified."""
    agent: Agent | None = scope.get(_AGENT)
    return agent


def store_person(scope: Scope, name: str | None) -> None:
    scope[_PERSON] = name


def person_of(request: Request, person: str) -> str:
    """The person who has signed in, if several people may; otherwise the machine's user."""
    name: str | None = request.scope.get(_PERSON)
    return name or person


def identity_of(scope: Scope) -> Identity:
    agent = agent_of(scope)
    name = SERVER_TOKEN if agent is None else agent.identity
    return Identity(name, name)


def credential_of(scope: Scope) -> Credential | None:
    """The credential that the guard has found. The guard always sets it."""
    credential: Credential | None = scope.get(_KEY)
    return credential


def caller(request: Request, person: str) -> Caller:
    peer = request.client.host if request.client else "unknown"
    if is_person(request):
        name = person_of(request, person)
        return Caller("console", name, peer, f"console:{name}")
    agent = agent_of(request.scope)
    name = program_name(request.scope) if agent is None else agent.name
    return Caller.known("http", name, peer, identity_of(request.scope))


def source_of(request: Request) -> str:
    """Distinguishes clients that try codes. All are on this machine, so their own headers count, too."""
    host = request.client.host if request.client else "unknown"
    return f"{host} {header(request.scope, b'origin')} {header(request.scope, b'user-agent')}"[:512]


def is_person(request: Request) -> bool:
    return credential_of(request.scope) is Credential.COOKIE


def require_person(
    request: Request, what: str, hint: str = "Do it in the console (`handrail open`) or on the command line."
) -> None:
    """Raises Declined for callers with a token, because agents have tokens."""
    if not is_person(request):
        raise Declined(f"{what} needs a person and can't be done with a token.", hint=hint, reason="person")


def require_person_or_key(request: Request, key: ConsoleKey, what: str, hint: str) -> None:
    """Also accepts the console key, which is in the state directory but in no agent's configuration."""
    if not key.matches(header(request.scope, HEADER.encode())):
        require_person(request, what, hint)
