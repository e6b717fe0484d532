"""Asks the gate for each host that the agent connects to; concurrent connections share one question.

An approval covers the host and port for ten minutes, as the question says; after a denial nothing is asked for a
minute. Rules are checked for every connection.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from handrail.features.cage.connections import TOOL_NAME, Connections, Destination, Stream
from handrail.kernel.call import Call, new_execution_id
from handrail.kernel.gate import Gate
from handrail.kernel.policy_source import PolicySource
from handrail.kernel.target import Target
from handrail.kernel.web_address import Place
from handrail.ports.effect import Effect
from handrail.ports.errors import Declined
from handrail.ports.identity import Caller
from handrail.ports.own_servers import find_own_ports
from handrail.ports.policy import Decision

APPROVAL_SECONDS = 600.0
DENIAL_SECONDS = 60.0


@dataclass(slots=True)
class _HostDecision:
    """The answer about a host, and until when it is valid."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    until: float = 0.0
    refusal: Declined | None = None


class HostAccess:
    def __init__(
        self,
        gate: Gate,
        policy: PolicySource,
        connections: Connections,
        caller: Caller,
        *,
        run: str,
        is_model_host: Callable[[str], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`run` identifies the cage, for which a person may allow a host."""
        self._gate = gate
        self._policy = policy
        self._connections = connections
        self._caller = caller
        self._run = run
        self._is_model_host = is_model_host
        self._clock = clock
        self._hosts: dict[tuple[str, str, int], _HostDecision] = {}

    async def connect(self, scheme: str, host: str, port: int) -> Stream:
        """A Failure says why not. Nothing is resolved before it is allowed."""
        if port in await asyncio.to_thread(find_own_ports):
            raise Declined(
                f"{host}:{port} may be handrail itself: its ports are for people.",
                hint="Ask the person to look there.",
                reason="own",
            )
        decision = self._hosts.setdefault((scheme, host, port), _HostDecision())
        async with decision.lock:
            if self._clock() < decision.until:
                if decision.refusal is not None:
                    raise decision.refusal
                destination = await self._allowed_again(scheme, host, port)
            else:
                return await self._ask(decision, scheme, host, port)
        return await self._open(destination)

    async def _ask(self, decision: _HostDecision, scheme: str, host: str, port: int) -> Stream:
        is_model = scheme == "https" and port == 443 and self._is_model_host(host)
        params: dict[str, object] = {"scheme": scheme, "host": host, "port": port}
        if is_model:
            params["is_model"] = True  # left out of questions, which are about other hosts
        call = Call(TOOL_NAME, params, self._caller, own_task=self._run)
        try:
            await self._gate.run(call)
        except Declined as refusal:
            decision.refusal, decision.until = refusal, self._clock() + DENIAL_SECONDS
            raise
        decision.refusal, decision.until = None, self._clock() + (0.0 if is_model else APPROVAL_SECONDS)
        return self._connections.take(call.execution_id)

    async def _allowed_again(self, scheme: str, host: str, port: int) -> Destination:
        place = str(Place(scheme, host, port))
        verdict = (await self._policy.fetch()).decide(
            TOOL_NAME, Effect.EXECUTE, Target(place=place), self._caller.agent
        )
        if verdict.decision is Decision.DENY:
            raise Declined(f"The policy denies {place}: {verdict.because}.", reason="policy")
        return await self._connections.resolve(scheme, host, port, self._caller.agent)

    async def _open(self, destination: Destination) -> Stream:
        execution = new_execution_id()
        await self._connections.open(execution, destination)
        return self._connections.take(execution)
