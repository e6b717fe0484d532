"""Who calls over HTTP: an agent, a program with the server's token, a paired plugin, or the person at the console."""

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
    """`clock` gives seconds since 1970."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._last_seen: dict[str, float] = {}

    def note(self, name: str) -> None:
        self._last_seen.pop(name, None)  # to the end: of too many, those longest silent go
        self._last_seen[name] = self._clock()
        if len(self._last_seen) > MOST_PROGRAMS:
            del self._last_seen[next(iter(self._last_seen))]

    @property
    def last_seen(self) -> Mapping[str, float]:
        """The one that came last is the first."""
        return dict(reversed(self._last_seen.items()))

    def forget(self) -> None:
        """Who is told a new token has to show it."""
        self._last_seen.clear()


def program_name(scope: Scope) -> str:
    """The client's own claim; that it has the token is all that is known about it."""
    named = _PRODUCT.match(header(scope, b"user-agent") or "")
    return named.group() if named else "unknown"


COOKIE = "handrail_session"
PAGE_HEADER = "x-handrail-page"
_KEY = "handrail.credential"
_AGENT = "handrail.agent"
_OWN_PAGE = "handrail.own_page"
_PERSON = "handrail.person"


class Credential(Enum):
    """A program holds the token, an agent's own program too. Only a person at the console has the
    cookie together with the page's secret; one of the two alone is worth nothing.

    An agent has a token that a person issued to it alone, and only that lets it call tools. A plugin that was paired
    has a token of its own, which opens little.
    """

    TOKEN = "token"
    AGENT = "agent"
    PLUGIN = "plugin"
    COOKIE = "cookie"


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
        # Browsers don't tell ports apart: two servers on one host would take each other's cookie away.
        self._cookie = f"{COOKIE}_{sha256(bytes(published.path)).hexdigest()[:8]}"

    def of(self, scope: Scope, token: str | None = None, page: str | None = None) -> Credential | None:
        """`token` and `page` may come beside the headers. Whoever shows a token is judged by that alone."""
        if token is None and (given := header(scope, b"authorization")) is not None:
            scheme, _, token = given.partition(" ")
            if scheme.lower() != "bearer":
                return None
        if token is None:
            return Credential.COOKIE if self.session(scope, page) is not None else None
        if not hmac.compare_digest(token.encode("utf-8", "surrogatepass"), self._published.token.encode()):
            if (agent := self._agents.find(token)) is not None:
                self._agents_seen[agent.id] = time.time()
                return Credential.AGENT
            return Credential.PLUGIN if self._is_paired(token) else None
        self._programs.note(program_name(scope))
        return Credential.TOKEN

    def agent(self, scope: Scope, token: str | None = None) -> Agent | None:
        """Whose token this is; None where it isn't an agent's."""
        shown_token = token if token is not None else (header(scope, b"authorization") or "").partition(" ")[2]
        return self._agents.find(shown_token)

    def last_seen(self, agent: Agent) -> float | None:
        """Seconds since 1970; None where it has not called since this server was started."""
        return self._agents_seen.get(agent.id)

    def session(self, scope: Scope, page: str | None = None) -> str | None:
        """The id of the session whose cookie and page secret came along."""
        cookie = self._secret(header(scope, b"cookie"))
        page = header(scope, PAGE_HEADER.encode()) if page is None else page
        return None if cookie is None or page is None else self._sessions.find(cookie, page)

    def person_name(self, scope: Scope, page: str | None = None) -> str:
        """Of whoever came with the cookie; empty where there is only one person."""
        return ""

    def set_cookie(self, secret: str) -> str:
        return f"{self._cookie}={secret}; Max-Age={LIFETIME}; Path=/; HttpOnly; SameSite=Strict"

    def no_cookie(self) -> str:
        """Tells the browser to forget it."""
        return f"{self._cookie}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict"

    def _secret(self, cookies: str | None) -> str | None:
        parts = (part.strip().partition("=") for part in (cookies or "").split(";"))
        found = [value for name, _, value in parts if name == self._cookie]
        return found[0] if len(found) == 1 else None


def note(scope: Scope, credential: Credential | None, *, is_own_page: bool) -> None:
    scope[_KEY], scope[_OWN_PAGE] = credential, is_own_page


def is_from_own_page(scope: Scope) -> bool:
    """Whether the guard found that a page of ours sent this, or a reader without an origin."""
    return scope.get(_OWN_PAGE) is True


def note_agent(scope: Scope, agent: Agent | None) -> None:
    scope[_AGENT] = agent


def agent_of(scope: Scope) -> Agent | None:
    """The agent whose token the guard has found."""
    found: Agent | None = scope.get(_AGENT)
    return found


def note_person(scope: Scope, name: str | None) -> None:
    scope[_PERSON] = name


def person_of(request: Request, person: str) -> str:
    """Who has signed in, where several people may; otherwise the one whose machine it is."""
    found: str | None = request.scope.get(_PERSON)
    return found or person


def identity_of(scope: Scope) -> Identity:
    agent = agent_of(scope)
    own = SERVER_TOKEN if agent is None else agent.identity
    return Identity(own, own)


def shown(scope: Scope) -> Credential | None:
    """What the guard has found; it overwrites whatever else might stand there."""
    found: Credential | None = scope.get(_KEY)
    return found


def caller(request: Request, person: str) -> Caller:
    peer = request.client.host if request.client else "unknown"
    if is_person(request):
        name = person_of(request, person)
        return Caller("console", name, peer, f"console:{name}")
    agent = agent_of(request.scope)
    name = program_name(request.scope) if agent is None else agent.name
    return Caller.known("http", name, peer, identity_of(request.scope))


def source_of(request: Request) -> str:
    """Who tries a code, as far as it can be told: everybody is on this machine, so the client's own name helps."""
    host = request.client.host if request.client else "unknown"
    return f"{host} {header(request.scope, b'origin')} {header(request.scope, b'user-agent')}"[:512]


def is_person(request: Request) -> bool:
    return shown(request.scope) is Credential.COOKIE


def must_be_person(
    request: Request, what: str, hint: str = "Do it in the console (`handrail open`) or on the command line."
) -> None:
    """A token does not do: agents have them."""
    if not is_person(request):
        raise Declined(
            f"{what} is a person's own business and can't be done with the token.", hint=hint, reason="person"
        )


def check_is_persons(request: Request, key: ConsoleKey, what: str, hint: str) -> None:
    """The key lies in the state directory and in no agent's configuration."""
    if not key.is_right(header(request.scope, HEADER.encode())):
        must_be_person(request, what, hint)
