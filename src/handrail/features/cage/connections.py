"""Connections out of the cage: resolves host names, checks the addresses and connects.

A name is resolved once, outside, and the address that was checked is the one that is used.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from handrail.kernel.own_pages import refuse_own_pages
from handrail.kernel.policy import Policy
from handrail.kernel.project import Project
from handrail.kernel.target import Target
from handrail.kernel.web_address import Place
from handrail.ports.effect import Effect
from handrail.ports.errors import Declined, Offline
from handrail.ports.policy import Decision, Rule
from handrail.ports.public_address import is_public

TOOL_NAME = "net_connect"
PUBLISH_NAME = "net_publish"
_CONNECT_SECONDS = 15.0

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True, slots=True)
class Destination:
    host: str
    port: int
    addresses: tuple[str, ...]


class Connections:
    """What the cage's tools get. An open connection waits here until the proxy that asked for it takes it."""

    def __init__(self, policy: Callable[[], Awaitable[Policy]]) -> None:
        self._policy = policy
        self._opened: dict[str, Stream] = {}
        self.forward: Callable[[int, int], Awaitable[None]] | None = None
        """Set in the launcher of a cage: forwards a port outside to one inside."""

    async def resolve(self, scheme: str, host: str, port: int, agent: str) -> Destination:
        """Declined if the name leads to this machine, its network or cloud metadata, unless a rule names that."""
        try:
            address_infos = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise Offline(f"The name {host} can't be resolved: {error.strerror}.") from None
        addresses = tuple(dict.fromkeys(str(sockaddr[0]).partition("%")[0] for *_, sockaddr in address_infos))
        for address in addresses:
            await refuse_own_pages(Target(place=str(Place(scheme, address, port))))
            if not is_public(address) and not await self._is_allowed_by_exact_rule(scheme, address, port, agent):
                raise Declined(
                    f"{host} leads to {address}, which is not on the public internet.",
                    hint=f'A person can open it with a rule for tool = "{TOOL_NAME}" whose place names that address.',
                    reason="address",
                )
        return Destination(host, port, addresses)

    async def _is_allowed_by_exact_rule(self, scheme: str, address: str, port: int, agent: str) -> bool:
        """Rules for every host, or for a pattern, don't open this machine: a rule must name this address."""
        policy = await self._policy()
        place = Target(place=str(Place(scheme, address, port)))
        exact = tuple(each for each in policy.rules if _is_exact(each[0]))
        verdicts = [
            each.decide(TOOL_NAME, Effect.EXECUTE, place, agent) for each in (policy, replace(policy, rules=exact))
        ]
        return all(verdict.decision is Decision.ALLOW and not verdict.is_default for verdict in verdicts)

    async def open(self, execution: str, destination: Destination) -> str:
        """Returns the address that answered. Offline."""
        for address in destination.addresses:
            try:
                async with asyncio.timeout(_CONNECT_SECONDS):
                    self._opened[execution] = await asyncio.open_connection(address, destination.port)
                return address
            except (OSError, TimeoutError):
                continue
        raise Offline(f"{destination.host}:{destination.port} doesn't answer.")

    async def publish(self, port: int, outside: int) -> None:
        """Offline if no cage is running, or if the port is taken."""
        if self.forward is None:
            raise Offline("Ports are forwarded while the cage runs.")
        try:
            await self.forward(port, outside)
        except OSError as error:
            raise Offline(f"Port {outside} can't be opened on this machine: {error.strerror}.") from None

    def take(self, execution: str) -> Stream:
        return self._opened.pop(execution)


def _is_exact(rule: Rule) -> bool:
    return rule.place is not None or (rule.host is not None and not set(rule.host) & set("*?["))


def open_connections(project: Project) -> Connections:
    return Connections(project.policy.fetch)
