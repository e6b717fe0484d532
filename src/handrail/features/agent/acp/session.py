"""One agent's process over the Agent Client Protocol: started in the cage, asked, cancelled, ended."""

import asyncio
import os
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from handrail.features.agent.acp.known_agents import AcpAgent
from handrail.ports.errors import Declined, Failure, Offline, Timeout

if TYPE_CHECKING:
    from acp.client.connection import ClientSideConnection
    from acp.interfaces import Client
    from acp.schema import PermissionOption, RequestPermissionResponse, ToolCallUpdate

_LONGEST_LINE = 16 * 1024 * 1024
_START_SECONDS = 120.0
_CANCEL_SECONDS = 10.0
_LAST_LINES = 20

Heard = Callable[[Any], Awaitable[None]]
Asked = Callable[["ToolCallUpdate"], Awaitable[bool]]


async def _unheard(update: Any) -> None:
    """Between two prompts nothing is shown."""


async def _refused(tool_call: "ToolCallUpdate") -> bool:
    """Between two prompts nothing is allowed."""
    return False


class AcpSession:
    """`heard` and `asked` belong to the run that is under way."""

    def __init__(self, agent: AcpAgent) -> None:
        self.agent = agent
        self.heard: Heard = _unheard
        self.asked: Asked = _refused
        self._stack = AsyncExitStack()
        self._errors: deque[str] = deque(maxlen=_LAST_LINES)
        self._id = ""
        self._connection: ClientSideConnection | None = None
        self._process: asyncio.subprocess.Process | None = None

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.returncode is None and self._connection is not None

    async def open(self, words: Sequence[str], project: str) -> None:
        """Offline, Timeout: it doesn't start, or doesn't speak the protocol."""
        await asyncio.to_thread(import_module, "acp")  # it takes a second, in which the server goes on
        import acp
        from acp import schema

        limits = {"limit": _LONGEST_LINE, "stderr": asyncio.subprocess.PIPE}
        spawned = acp.spawn_agent_process(
            cast("Client", _Client(self)),
            words[0],
            *words[1:],
            env=dict(os.environ),
            cwd=project,
            transport_kwargs=limits,
        )
        try:
            async with asyncio.timeout(_START_SECONDS):
                connection, self._process = await self._stack.enter_async_context(spawned)
                self._connection = connection
                reading = asyncio.create_task(self._read_errors())
                self._stack.callback(reading.cancel)
                nothing = schema.ClientCapabilities(fs=schema.FileSystemCapabilities(), terminal=False)
                await connection.initialize(protocol_version=acp.PROTOCOL_VERSION, client_capabilities=nothing)
                self._id = (await connection.new_session(cwd=project, mcp_servers=[])).session_id
        except TimeoutError:
            await self.close()
            raise Timeout(
                f"{self.agent.title} didn't start within {_START_SECONDS:g} s.", hint=self._last_line
            ) from None
        except (acp.RequestError, OSError, ValueError, RuntimeError) as error:
            await self.close()
            raise self._gone("didn't start", error) from None

    async def prompt(self, text: str, heard: Heard, asked: Asked) -> str:
        """Why it stopped. Cancelling asks the agent to stop first, and ends it where it doesn't."""
        import acp

        assert self._connection is not None
        self.heard, self.asked = heard, asked
        asking = asyncio.create_task(self._connection.prompt(session_id=self._id, prompt=[acp.text_block(text)]))
        try:
            return str((await asyncio.shield(asking)).stop_reason)
        except asyncio.CancelledError:
            await self._cancel(asking)
            raise
        except (acp.RequestError, OSError, ValueError, RuntimeError) as error:
            await self.close()
            raise self._gone("stopped working", error) from None
        finally:
            self.heard, self.asked = _unheard, _refused

    async def close(self) -> None:
        self._connection = None
        with suppress(Exception):
            await self._stack.aclose()

    async def _cancel(self, asking: "asyncio.Task[Any]") -> None:
        assert self._connection is not None
        try:
            async with asyncio.timeout(_CANCEL_SECONDS):
                await self._connection.cancel(session_id=self._id)
                await asking
        except Exception:  # noqa: BLE001 - it doesn't stop when asked, whatever the reason
            asking.cancel()
            await self.close()

    async def _read_errors(self) -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        with suppress(ValueError):
            while line := await self._process.stderr.readline():
                self._errors.append(line.decode(errors="replace").strip())

    @property
    def _last_line(self) -> str:
        """Of the agent itself, where it said something; else of the cage around it."""
        lines = [line for line in reversed(self._errors) if line]
        return next((line for line in lines if not line.startswith("handrail: ")), next(iter(lines), ""))

    def _gone(self, what: str, error: Exception) -> Failure:
        code = None if self._process is None else self._process.returncode
        ended = "" if code is None else f" It ended with status {code}."
        return Offline(f"{self.agent.title} {what}.{ended}", hint=self._last_line or str(error))


class _Client:
    """What the agent may ask of us. Files and terminals are its own, in the cage."""

    def __init__(self, session: AcpSession) -> None:
        self._session = session

    def on_connect(self, connection: Any) -> None:
        """The session has the connection already."""

    async def session_update(self, session_id: str, update: Any, **more: Any) -> None:
        await self._session.heard(update)

    async def request_permission(
        self, session_id: str, tool_call: "ToolCallUpdate", options: "list[PermissionOption]", **more: Any
    ) -> "RequestPermissionResponse":
        """A yes is for this once; an option that reaches further is never chosen."""
        from acp import schema

        try:
            is_allowed = await self._session.asked(tool_call)
        except Declined:
            is_allowed = False
        wanted = "allow_once" if is_allowed else "reject_once"
        found = next((option for option in options if option.kind == wanted), None)
        if found is None:
            return schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))
        chosen = schema.AllowedOutcome(outcome="selected", option_id=found.option_id)
        return schema.RequestPermissionResponse(outcome=chosen)
