"""What a feature's routes get from the HTTP server, and what they mount on it."""

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
    """What a socket event tells: the member that holds the news, and how to follow them.

    `shows` gives what tells which of them programs may see; people see all. Without it, programs do too.
    `is_for_pages`: it is followed only while a page is there, and first yields nothing, once nothing can be missed.
    `is_for_agents`: agents see what programs see; otherwise nothing.
    """

    member: str
    follow: Follow
    shows: Callable[[], Callable[[Record], bool]] | None = None
    is_for_pages: bool = False
    is_for_agents: bool = True


@dataclass(frozen=True, slots=True)
class HttpContext:
    """`persons_gate` takes a person's own command for a yes; `person` is who that is.

    `trying_gate` is for tools that the person tries: what needs a yes is asked in the queue. `console_key` is what
    the person's own programs show beside the token; `windows` are those in which the person confirms. `projects` opens
    others that use this state directory.
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
    """`feeds` maps a socket event to what it tells.

    `running` is entered with the server's address and rooms. `is_open` says what needs no credential, or one that the
    feature checks itself, `is_for_plugins` what a plugin's own token opens, and `is_paired` whether a token is one.
    `is_for_programs` says what the server's own token opens beside what is only read.
    """

    routes: Sequence[BaseRoute] = ()
    feeds: Mapping[str, Feed] = field(default_factory=dict)
    running: Running | None = None
    bus: SocketBus | None = None
    is_open: Callable[[Scope], bool] = lambda scope: False
    is_for_plugins: Callable[[Scope], bool] = lambda scope: False
    is_paired: Callable[[str], bool] = lambda token: False
    is_for_programs: Callable[[Scope], bool] = lambda scope: False


def joined(mounts: Sequence[Mount]) -> Mount:
    """All of them as one. The first that has sockets has them."""

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
