"""What a feature's routes get from the HTTP server, and what they add to it."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from starlette.routing import BaseRoute
from starlette.types import Scope

from handrail.faces.http.confirm_windows import ConfirmWindows
from handrail.faces.http.console_key import ConsoleKey
from handrail.faces.socketio.rooms import NoBus, Rooms, SocketBus
from handrail.kernel.gate import Gate
from handrail.kernel.open_projects import OpenProjects
from handrail.kernel.program import Program
from handrail.kernel.project import Project

Record = Mapping[str, Any]
Follow = Callable[[], AsyncGenerator[Sequence[Record], None]]


class Feed(NamedTuple):
    """The source of a socket event: `member` is the event's member for the news, `follow` yields them.

    `shows` returns a filter for what programs may see; people see everything. Without it, programs do too.
    `is_for_pages`: followed only while a page is connected. It first yields an empty list, when it misses nothing more.
    `owner` returns the identity of the agent that sees a record if programs may. Without it, agents see none.
    """

    member: str
    follow: Follow
    shows: Callable[[], Callable[[Record], bool]] | None = None
    is_for_pages: bool = False
    owner: Callable[[Record], str | None] | None = None


@dataclass(frozen=True, slots=True)
class HttpContext:
    """What routes need. `person` is the user of this machine.

    `persons_gate` takes a person's command as approval. `trying_gate` is for tools that the person tries out; it asks
    for approval in the queue. The person's own programs send `console_key` in addition to the token; in `windows` the
    person confirms actions. `projects` opens other projects with the same state directory.
    """

    project: Project
    language: str | None
    person: str
    persons_gate: Gate
    trying_gate: Gate
    program: Program
    projects: OpenProjects
    console_key: ConsoleKey
    windows: ConfirmWindows = field(default_factory=ConfirmWindows)


Running = Callable[[str, Rooms], AbstractAsyncContextManager[None]]


@dataclass(frozen=True, slots=True)
class Mount:
    """What a feature adds to the server: its routes, socket events (`feeds`) and message handler (`bus`).

    `running` is entered with the server's address and rooms. `is_open` tells which requests need no credential, or one
    that the feature checks itself; `is_for_plugins` which ones a plugin's token allows; `is_paired` whether a token
    is a plugin's; `is_for_programs` which ones the server's token allows in addition to reading.
    """

    routes: Sequence[BaseRoute] = ()
    feeds: Mapping[str, Feed] = field(default_factory=dict)
    running: Running | None = None
    bus: SocketBus | None = None
    is_open: Callable[[Scope], bool] = lambda scope: False
    is_for_plugins: Callable[[Scope], bool] = lambda scope: False
    is_paired: Callable[[str], bool] = lambda token: False
    is_for_programs: Callable[[Scope], bool] = lambda scope: False


def join_mounts(mounts: Sequence[Mount]) -> Mount:
    """All mounts as one. Only the first bus is used."""

    @asynccontextmanager
    async def running(address: str, rooms: Rooms) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for mount in mounts:
                if mount.running is not None:
                    await stack.enter_async_context(mount.running(address, rooms))
            yield

    return Mount(
        [route for mount in mounts for route in mount.routes],
        {event: feed for mount in mounts for event, feed in mount.feeds.items()},
        running,
        next((mount.bus for mount in mounts if mount.bus is not None), NoBus()),
        lambda scope: any(mount.is_open(scope) for mount in mounts),
        lambda scope: any(mount.is_for_plugins(scope) for mount in mounts),
        lambda token: any(mount.is_paired(token) for mount in mounts),
        lambda scope: any(mount.is_for_programs(scope) for mount in mounts),
    )
