"""An MCP server behind the gateway: its name, and how it is started or reached."""

import re
import shlex
from hashlib import sha256

import msgspec

from handrail.ports.errors import InvalidParams

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_RESERVED = frozenset({"handrail"})
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")


class SignIn(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An OAuth sign-in without its tokens, which are in the secret store."""

    authorization_endpoint: str
    token_endpoint: str
    client_id: str
    scopes: tuple[str, ...] = ()
    resource: str = ""


class Server(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The values of `secret_env` and `secret_headers` are in the secret store; only their names are here."""

    name: str
    command: tuple[str, ...] = ()
    """For a server that is started; empty for one that is reached at `url`."""
    url: str | None = None
    env: dict[str, str] = {}
    secret_env: tuple[str, ...] = ()
    passed_env: tuple[str, ...] = ()
    """Variables of handrail's own environment that are passed on."""
    headers: dict[str, str] = {}
    secret_headers: tuple[str, ...] = ()
    source: str = ""
    """Where it was imported from, shown to people."""
    sign_in: SignIn | None = None
    """How a person has signed in, if the server requires it."""

    @property
    def digest(self) -> str:
        """Identifies what is started or reached. When it changes, nothing that was accepted applies any more."""
        env = [sorted(self.env.items()), sorted(self.secret_env), sorted(self.passed_env)]
        headers = [sorted(self.headers.items()), sorted(self.secret_headers)]
        return sha256(msgspec.json.encode([self.command, self.url, env, headers])).hexdigest()

    @property
    def place(self) -> str:
        """One line for people."""
        return self.url if self.url is not None else shlex.join(self.command)

    def env_secret(self, variable: str) -> str:
        return f"server:{self.name}:env:{_secret_part(variable)}"

    def header_secret(self, header: str) -> str:
        return f"server:{self.name}:header:{_secret_part(header)}"

    @property
    def secrets(self) -> list[str]:
        return [*map(self.env_secret, self.secret_env), *map(self.header_secret, self.secret_headers)]


def _secret_part(name: str) -> str:
    """Secret names are lowercase; a digest keeps names apart that differ only in case or in replaced characters."""
    plain = re.sub(r"[^a-z0-9._-]", "-", name.lower())
    return plain if plain == name else f"{plain}.{sha256(name.encode()).hexdigest()[:8]}"


def validate_server(server: Server) -> Server:
    """InvalidParams gives the reason."""
    if _NAME.fullmatch(server.name) is None or server.name in _RESERVED:
        raise InvalidParams(
            f"{server.name!r} can't be a server's name.",
            hint="Use up to 32 lowercase letters, digits and hyphens, such as github.",
        )
    if bool(server.command) == (server.url is not None):
        raise InvalidParams("Give either a command or a URL.", hint="handrail servers add NAME -- COMMAND…")
    if server.url is not None and not re.match(r"https?://[^/\s]+", server.url):
        raise InvalidParams(f"{server.url!r} isn't an http or https address.")
    if any("\0" in word for word in (*server.command, *server.env.values())):
        raise InvalidParams("A command can't contain NUL.")
    for name in (*server.env, *server.secret_env, *server.passed_env):
        if _VARIABLE.fullmatch(name) is None:
            raise InvalidParams(f"{name!r} can't be the name of an environment variable.")
    for name in (*server.headers, *server.secret_headers):
        if _HEADER.fullmatch(name) is None:
            raise InvalidParams(f"{name!r} can't be the name of a header.")
    return server
