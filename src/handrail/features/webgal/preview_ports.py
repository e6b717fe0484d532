"""The ports of a preview: a game shown by its engine, and the headless browser that photographs it.

A `Screen` shows a game at an address with a secret in its path, for our own page or a frame in the console. Every page
that is open there goes to the destination that the screen was last sent to.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from handrail.features.browser.offers import PageProblem
from handrail.ports.errors import Failure


@dataclass(frozen=True, slots=True)
class Destination:
    """`scene` is relative to the game's folder of scenes. The scene runs until `line` (from 1) is done.

    `content` is an editor's unsaved text that replaces the file. `as_jpeg` selects JPEG for the picture instead of PNG.
    """

    scene: str
    line: int
    content: str | None = None
    as_jpeg: bool = False


@dataclass(frozen=True, slots=True)
class Position:
    """Where the engine reports to be; `line` is the last line that it ran."""

    scene: str
    line: int
    stage: dict[str, Any]
    has_left: bool = False
    """It has continued with another scene, or returned to the title."""
    is_waiting: bool = False
    """It stopped before the requested line: at a choice, an input or a video."""


@dataclass(frozen=True, slots=True)
class ShownScene:
    """A scene that is shown. `whereabouts` tells which program shows it and how long `url` works.

    `missing` are files that the engine requested since its page was loaded and that don't exist; `newly_missing` those
    since the jump to this destination. `seconds` is how long the jump took.
    """

    url: str
    position: Position
    picture: bytes
    missing: list[str]
    newly_missing: list[str]
    troubles: list[PageProblem]
    seconds: float
    whereabouts: str
    broken: list[str] = field(default_factory=list)
    newly_broken: list[str] = field(default_factory=list)
    """Files that exist but can't be decoded: since the page was loaded, and since this jump."""


class ScenePreviews(Protocol):
    """Shows scenes and takes their pictures, in this process or in another one."""

    async def show(self, game: str, destination: Destination, fetched_ahead: Collection[str] = ()) -> ShownScene:
        """Raises NotShown if there is no engine or browser, or the engine fails; Timeout if it never arrives.

        `game` is the game's folder in the project, `fetched_ahead` the files that the engine preloads.
        """
        ...


class Screen(Protocol):
    @property
    def address(self) -> str:
        """`http://127.0.0.1:<port>/<secret>/`; `localhost` works as well."""
        ...

    @property
    def name(self) -> str:
        """The secret in its address."""
        ...

    @property
    def has_page(self) -> bool:
        """A page is open there, and its engine is connected."""
        ...

    @property
    def missing(self) -> Sequence[str]:
        """Files below the game's folder that the page requested and that still don't exist."""
        ...

    @property
    def newly_missing(self) -> Sequence[str]:
        """Those that it requested since the screen was last sent somewhere."""
        ...

    @property
    def broken(self) -> Sequence[str]:
        """Files below the game's folder that exist but could not be shown or played."""
        ...

    @property
    def newly_broken(self) -> Sequence[str]:
        """Those since the screen was last sent somewhere."""
        ...

    @property
    def is_stuck(self) -> bool:
        """The page waits for a video that can't be played, and shows no further pictures."""
        ...

    @property
    def is_stale(self) -> bool:
        """A file that the page keeps in memory has changed, so the page must be loaded again."""
        ...

    def take_problems(self) -> list[PageProblem]:
        """The exceptions since the last call."""
        ...

    def send_to(self, destination: Destination) -> None:
        """Sends every page that is or will be open there to the destination."""
        ...

    async def wait_for_arrival(self, on_poll: "OnPoll | None" = None) -> Position:
        """Waits until the engine has reached the destination or stopped before it. The caller limits the time.

        `on_poll` is called repeatedly, to make the page report its position sooner.
        """
        ...

    async def wait_until_quiet(self, missing: Collection[str]) -> None:
        """Waits until no request is running and the engine has requested all of these missing files."""
        ...

    def close(self) -> None:
        """The address stops working."""
        ...


OnPoll = Callable[[], None]


class GameSite(Protocol):
    """The HTTP server that shows one game on any number of screens."""

    def open_screen(self) -> Screen: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Frame:
    """A screen in the console: `screen` names it in later calls, `address` is the iframe's URL."""

    screen: str
    address: str


SHOWING_PATH = "/api/webgal/showing"


class NotHosted(Failure):
    """The running server doesn't show this scene; the message explains why."""


class PreviewContext(msgspec.Struct, frozen=True, rename="camel"):
    """Everything that decides what a process would show. `project` is a real path."""

    version: str
    project: str
    terre: str
    terre_port: int


class SceneRequest(msgspec.Struct, frozen=True, rename="camel"):
    """`path` is the scene's path in the project; `content` is unsaved text that replaces the file."""

    context: PreviewContext = msgspec.field(name="ground")
    path: str
    line: int
    content: str | None = None
    fetched_ahead: list[str] = []
    as_jpeg: bool = False
