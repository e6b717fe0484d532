"""Keeps tools away from handrail's own pages: pressing a button there would answer in a person's name."""

import asyncio
import socket

from handrail.kernel.host_name import is_loopback
from handrail.kernel.target import Target
from handrail.kernel.web_address import parse_place
from handrail.ports.errors import Declined
from handrail.ports.own_servers import find_own_ports


async def refuse_own_pages(target: Target) -> None:
    """Declined, whatever a rule or a person allows, because rules and answers are given on these pages."""
    if target.place is None and not target.steps:
        return
    for place in (target.place, *(step.target.place for step in target.steps)):
        if place and await is_own_page(place):
            raise Declined(
                f"{place} is handrail itself: its pages and its API are for people, never for a tool.",
                hint="Ask the person to look there.",
                reason="own",
            )


async def is_own_page(place: str) -> bool:
    """Whether one of this user's handrail servers answers there, under any name of the host."""
    there = parse_place(place)
    if there.port not in await asyncio.to_thread(find_own_ports):
        return False
    return is_loopback(there.host) or await _leads_here(there.host, there.port)


async def _leads_here(host: str, port: int) -> bool:
    try:
        addresses = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return any(is_loopback(str(address[0]).partition("%")[0].removeprefix("::ffff:")) for *_, address in addresses)
