"""Finds one of handrail's own ports in a text, however this machine's address is written."""

import ipaddress
import re
import socket
import unicodedata
from collections.abc import Iterable

_LOOPBACK = re.compile(r"localhost|127\.\d|0\.0\.0\.0|\[?::1?\]?|0x7f|2130706433|\bip6-", re.IGNORECASE)
"""Anywhere in the text, because code in another language may combine host and port."""
_HOST = re.compile(r"(\[[^\]\s]*\]|[^\s/\"'@\[\](),;=|&<>:]+)([:\s,'\"/]+)$")


def own_port_in(text: str, ports: Iterable[int], *, takes_bare_numbers: bool) -> int | None:
    """`takes_bare_numbers` means that a program such as `nc` runs, for which `0 6006` is an address."""
    text = unicodedata.normalize("NFKC", text)
    for port in ports:
        for number in re.finditer(rf"(?<![0-9])0*{port}(?![0-9])", text):
            if _LOOPBACK.search(text):
                return port
            host = _HOST.search(text, max(0, number.start() - 300), number.start())
            is_bare = host is not None and host[1].isdigit() and host[2].isspace()
            if host is not None and (takes_bare_numbers or not is_bare) and is_this_machine(host[1]):
                return port
    return None


def is_this_machine(host: str) -> bool:
    """Accepts numbers in every form that `inet_aton` accepts: `0`, `0177.1`, `0x7f000001`."""
    name = host.strip("[]").rstrip(".").lower()
    own = socket.gethostname().lower()
    if name == "localhost" or name.endswith(".localhost") or name in (own, f"{own}.local"):
        return True
    try:
        number = socket.inet_aton(name)
    except (OSError, UnicodeEncodeError):
        pass
    else:
        return number[0] == 127 or number == bytes(4)
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return any(each.is_loopback or each.is_unspecified for each in (address, mapped) if each is not None)
