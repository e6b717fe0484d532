"""The agents' processes, one per task, which handrail starts in a cage and talks to over the Agent Client Protocol."""

import asyncio
import os
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from handrail.features.agent.acp.known_agents import AcpAgent, agent_of, command
from handrail.ports.errors import Declined, Failure, NotFound, Offline, Timeout

if TYPE_CHECKING:
    from acp.client.connection import ClientSideConnection
    from acp.interfaces import Client
    from acp.schema import PermissionOption, RequestPermissionResponse, ToolCallUpdate

_MAX_LINE = 16 * 1024 * 1024
_START_SECONDS = 120.0
_CANCEL_SECONDS = 10.0
_KEPT_ERROR_LINES = 20
_MAX_SESSIONS = 4

OnUpdate = Callable[[Any], Awaitable[None]]
OnPermissionRequest = Callable[["ToolCallUpdate"], Awaitable[bool]]


async def _ignore_update(update: Any) -> None:
    """Used between two prompts."""


async def _refuse(tool_call: "ToolCallUpdate") -> bool:
    """Used between two prompts."""
    return False


class AcpSession:
    """One agent's process. `on_update` and `on_permission_request` are those of the current prompt."""

    def __init__(self, agent: AcpAgent) -> None:
        self.agent = agent
        self.on_update: OnUpdate = _ignore_update
        self.on_permission_request: OnPermissionRequest = _refuse
        self._stack = AsyncExitStack()
        self._errors: deque[str] = deque(maxlen=_KEPT_ERROR_LINES)
        self._id = ""
        self._connection: ClientSideConnection | None = None
        self._process: asyncio.subprocess.Process | None = None

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.returncode is None and self._connection is not None

    async def open(self, words: Sequence[str], project: str) -> None:
        """Raises Offline or Timeout if the agent doesn't start, or doesn't speak the protocol."""
        await asyncio.to_thread(import_module, "acp")  # takes a second, which must not block the server
        import acp
        from acp import schema

        options = {"limit": _MAX_LINE, "stderr": asyncio.subprocess.PIPE}
        process = acp.spawn_agent_process(
            cast("Client", _Client(self)),
            words[0],
            *words[1:],
            env=dict(os.environ),
            cwd=project,
            transport_kwargs=options,
        )
        try:
            async with asyncio.timeout(_START_SECONDS):
                connection, self._process = await self._stack.enter_async_context(process)
                self._connection = connection
                reading = asyncio.create_task(self._read_errors())
                self._stack.callback(reading.cancel)
                none = schema.ClientCapabilities(fs=schema.FileSystemCapabilities(), terminal=False)
                await connection.initialize(protocol_version=acp.PROTOCOL_VERSION, client_capabilities=none)
                self._id = (await connection.new_session(cwd=project, mcp_servers=[])).session_id
        except TimeoutError:
            await self.close()
            raise Timeout(
                f"{self.agent.title} didn't start within {_START_SECONDS:g} s.", hint=self._last_line
            ) from None
        except (acp.RequestError, OSError, ValueError, RuntimeError) as error:
            await self.close()
            raise self._offline("didn't start", error) from None

    async def prompt(self, text: str, on_update: OnUpdate, on_permission_request: OnPermissionRequest) -> str:
        """Returns why the agent stopped. Cancelling asks it to stop, and ends its process if it doesn't."""
        import acp

        assert self._connection is not None
        self.on_update, self.on_permission_request = on_update, on_permission_request
        asking = asyncio.create_task(self._connection.prompt(session_id=self._id, prompt=[acp.text_block(text)]))
        try:
            return str((await asyncio.shield(asking)).stop_reason)
        except asyncio.CancelledError:
            await self._cancel(asking)
            raise
        except (acp.RequestError, OSError, ValueError, RuntimeError) as error:
            await self.close()
            raise self._offline("stopped working", error) from None
        finally:
            self.on_update, self.on_permission_request = _ignore_update, _refuse

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
        except Exception:  # noqa: BLE001 - it doesn't stop when asked, for any reason
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
        """The agent's last line of stderr; if it wrote none, the last line of the cage around it."""
        lines = [line for line in reversed(self._errors) if line]
        return next((line for line in lines if not line.startswith("handrail: ")), next(iter(lines), ""))

    def _offline(self, problem: str, error: Exception) -> Failure:
        code = None if self._process is None else self._process.returncode
        ended = "" if code is None else f" It ended with status {code}."
        return Offline(f"{self.agent.title} {problem}.{ended}", hint=self._last_line or str(error))


class _Client:
    """The requests that the agent may send us. It has its own files and terminals in the cage."""

    def __init__(self, session: AcpSession) -> None:
        self._session = session

    def on_connect(self, connection: Any) -> None:
        """Required by the protocol; the session has the connection already."""

    async def session_update(self, session_id: str, update: Any, **more: Any) -> None:
        await self._session.on_update(update)

    async def request_permission(
        self, session_id: str, tool_call: "ToolCallUpdate", options: "list[PermissionOption]", **more: Any
    ) -> "RequestPermissionResponse":
        """Allows the call once at most: options that would also allow later calls are never chosen."""
        from acp import schema

        try:
            is_allowed = await self._session.on_permission_request(tool_call)
        except Declined:
            is_allowed = False
        kind = "allow_once" if is_allowed else "reject_once"
        option = next((option for option in options if option.kind == kind), None)
        if option is None:
            return schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))
        outcome = schema.AllowedOutcome(outcome="selected", option_id=option.option_id)
        return schema.RequestPermissionResponse(outcome=outcome)


class AcpSessions:
    """A server's sessions, one per task. They stay open between messages, so that the agent remembers its work."""

    def __init__(self, project: str, state: Path) -> None:
        self._project = project
        self._state = state
        self._open: dict[str, AcpSession] = {}

    async def open(self, task_id: str, model: str) -> AcpSession:
        """Raises NotFound if the agent isn't installed, Offline or Timeout if it doesn't start."""
        agent = agent_of(model)
        assert agent is not None
        session = self._open.pop(task_id, None)
        if session is not None and not (session.is_alive and session.agent == agent):
            await session.close()
            session = None
        session = session or await self._start(agent)
        self._open[task_id] = session  # moves it to the end: the first one is the least recently used
        while len(self._open) > _MAX_SESSIONS:
            await self._open.pop(next(iter(self._open))).close()
        return session

    async def _start(self, agent: AcpAgent) -> AcpSession:
        program = agent.program
        if program is None:
            raise NotFound(
                f"{agent.title} isn't installed.", hint=f"Install `{agent.words[0]}`, or choose another agent."
            )
        session = AcpSession(agent)
        await session.open(command(agent, program, self._project, self._state), self._project)
        return session

    async def close(self) -> None:
        for session in self._open.values():
            await session.close()
        self._open.clear()
