"""Which hosts a program's words name, as places that rules can match."""

import re
from collections.abc import Iterator, Sequence

from handrail.features.hooks.shell.syntax import Word
from handrail.features.hooks.shell.wrappers import program_name
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


def places_of(words: Sequence[Word]) -> Iterator[str]:
    """Every place once or more; ANY_PLACE for one that is known only when the program runs."""
    name = program_name(words)
    texts = [word.text for word in words[1:]]
    for text in texts:
        if text is not None:
            yield from _urls(text)
            yield from (_spelled("http", found["host"], found["port"]) for found in _DEV.finditer(text))
    if name in _TAKE_BARE_HOSTS:
        yield from _bare_hosts(texts)
    elif name in _HOST_THEN_PORT:
        operands = [text for text in texts if text is None or not text.startswith("-")]
        yield ANY_PLACE if None in operands[:2] or len(operands) < 2 else _spelled("http", *operands[:2])
    elif name in _REMOTE_SHELLS:
        yield _ssh_host(texts)
    elif name in _REMOTE_COPIES:
        yield from (
            _spelled("https", found["host"], "22")
            for text in texts
            if text is not None and "/" not in text.partition(":")[0] and (found := _REMOTE.fullmatch(text))
            if name != "git" or "@" in text
        )


def _urls(text: str) -> Iterator[str]:
    for found in _URL.finditer(text):
        scheme = found["scheme"].lower().rpartition("+")[2]
        if scheme in _LOCAL_SCHEMES:
            continue
        authority = _AUTHORITY.match(found["rest"])
        if authority is None:
            yield ANY_PLACE
            continue
        port = authority["port"] or str(_PORTS.get(scheme, 443))
        yield _spelled("http" if scheme in ("http", "ws") else "https", authority["host"], port)


def _bare_hosts(texts: Sequence[str | None]) -> Iterator[str]:
    """`curl localhost:6006/x`: an operand without a scheme is a host. A value of an option may be taken for one."""
    for text in texts:
        if text is None:
            yield ANY_PLACE
        elif not text.startswith("-") and "://" not in text:
            found = _AUTHORITY.match(text)
            if found is not None and ("." in found["host"] or found["port"] or found["host"] == "localhost"):
                yield _spelled("http", found["host"], found["port"] or "80")


def _ssh_host(texts: Sequence[str | None]) -> str:
    rest = list(texts)
    while rest:
        text = rest.pop(0)
        if text is None:
            return ANY_PLACE
        if text.startswith("-"):
            if len(text) == 2 and text[1] in _SSH_VALUES and rest:
                rest.pop(0)
            continue
        return _spelled("https", text.rpartition("@")[2].partition("://")[2] or text.rpartition("@")[2], "22")
    return ANY_PLACE


def _spelled(scheme: str, host: str | None, port: str | None) -> str:
    name = canonical_host(host) if host else None
    if name is None or (port is not None and not port.isdigit()):
        return ANY_PLACE
    number = int(port or {"http": 80, "https": 443}[scheme])
    return str(Place(scheme, name, number)) if number <= 65535 else ANY_PLACE
