"""Finds the hosts that a program's words name, as places that rules can match."""

import re
from collections.abc import Iterator, Sequence

from handrail.features.hooks.shell.inner_commands import program_name
from handrail.features.hooks.shell.syntax import Word
from handrail.kernel.host_name import canonical_host
from handrail.kernel.target import ANY_PLACE
from handrail.kernel.web_address import Place

_URL = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<rest>[^\s\"'<>\\]*)", re.IGNORECASE)
_AUTHORITY = re.compile(r"(?:[^/?#@]*@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^/?#:@\[\]]+)(?::(?P<port>\d{1,5}))?(?=[/?#]|$)")
_REMOTE = re.compile(r"(?:[A-Za-z0-9_.-]+@)?(?P<host>[A-Za-z0-9_.-]+):(?!//).*", re.DOTALL)
_DEV = re.compile(r"/dev/(?:tcp|udp)/(?P<host>[^/\s]+)/(?P<port>\w+)")
_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443, "ssh": 22, "git": 9418, "ftp": 21, "ftps": 990, "sftp": 22}
_LOCAL_SCHEMES = frozenset({"file", "unix", "data", "npm", "pkg", "workspace", "docker-image"})
_TAKE_BARE_HOSTS = frozenset({"curl", "wget", "http", "https", "xh", "aria2c", "lynx", "w3m"})
_HOST_THEN_PORT = frozenset({"nc", "ncat", "netcat", "telnet", "socat"})
_REMOTE_SHELLS = frozenset({"ssh", "mosh", "sftp"})
_REMOTE_COPIES = frozenset({"scp", "rsync", "git"})
_SSH_VALUES = frozenset("bcDEeFIiJLlmOopQRSWw")


def find_places(words: Sequence[Word]) -> Iterator[str]:
    """Yields every place, possibly more than once; ANY_PLACE for one that is unknown until the program runs."""
    name = program_name(words)
    texts = [word.text for word in words[1:]]
    for text in texts:
        if text is not None:
            yield from _urls(text)
            yield from (_place("http", match["host"], match["port"]) for match in _DEV.finditer(text))
    if name in _TAKE_BARE_HOSTS:
        yield from _bare_hosts(texts)
    elif name in _HOST_THEN_PORT:
        operands = [text for text in texts if text is None or not text.startswith("-")]
        yield ANY_PLACE if None in operands[:2] or len(operands) < 2 else _place("http", *operands[:2])
    elif name in _REMOTE_SHELLS:
        yield _ssh_host(texts)
    elif name in _REMOTE_COPIES:
        yield from (
            _place("https", match["host"], "22")
            for text in texts
            if text is not None and "/" not in text.partition(":")[0] and (match := _REMOTE.fullmatch(text))
            if name != "git" or "@" in text
        )


def _urls(text: str) -> Iterator[str]:
    for url in _URL.finditer(text):
        scheme = url["scheme"].lower().rpartition("+")[2]
        if scheme in _LOCAL_SCHEMES:
            continue
        authority = _AUTHORITY.match(url["rest"])
        if authority is None:
            yield ANY_PLACE
            continue
        port = authority["port"] or str(_PORTS.get(scheme, 443))
        yield _place("http" if scheme in ("http", "ws") else "https", authority["host"], port)


def _bare_hosts(texts: Sequence[str | None]) -> Iterator[str]:
    """In `curl localhost:6006/x`, an operand without a scheme is a host. Values of options may also match."""
    for text in texts:
        if text is None:
            yield ANY_PLACE
        elif not text.startswith("-") and "://" not in text:
            authority = _AUTHORITY.match(text)
            if authority is not None and (
                "." in authority["host"] or authority["port"] or authority["host"] == "localhost"
            ):
                yield _place("http", authority["host"], authority["port"] or "80")


def _ssh_host(texts: Sequence[str | None]) -> str:
    remaining = list(texts)
    while remaining:
        text = remaining.pop(0)
        if text is None:
            return ANY_PLACE
        if text.startswith("-"):
            if len(text) == 2 and text[1] in _SSH_VALUES and remaining:
                remaining.pop(0)
            continue
        return _place("https", text.rpartition("@")[2].partition("://")[2] or text.rpartition("@")[2], "22")
    return ANY_PLACE


def _place(scheme: str, host: str | None, port: str | None) -> str:
    name = canonical_host(host) if host else None
    if name is None or (port is not None and not port.isdigit()):
        return ANY_PLACE
    number = int(port or {"http": 80, "https": 443}[scheme])
    return str(Place(scheme, name, number)) if number <= 65535 else ANY_PLACE
