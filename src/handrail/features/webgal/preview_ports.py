"""The ports of a preview: where a game is shown by its own engine, and the browser of our own that looks at it.

A `Screen` is one place to show a game: an address with a secret in its path, for a page of ours or a frame in the
console. Whoever opens it sees the destination that the screen was last sent to, and follows when it is sent elsewhere.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from handrail.features.browser.offers import Trouble
from handrail.ports.errors import Failure


@dataclass(frozen=True, slots=True)
class Destination:
    """`scene` is relative to the game's folder of scenes. The scene runs until `line` (from 1) is done.

    `content` stands in for the file: the unsaved text of an editor.
    """

    scene: str
    line: int
    content: str | None = None


@dataclass(frozen=True, slots=True)
class Position:
    """Where an engine says that it is; `line` is the last one that it has run."""

    scene: str
    line: int
    stage: dict[str, Any]
    has_left: bool = False
    """It has gone on to another scene, or back to the title."""
    is_waiting: bool = False
    """It stopped before the line that was asked for: at a choice, an input, a video."""


@dataclass(frozen=True, slots=True)
class Showing:
    """A scene that is shown. `whereabouts` says by whom, and how long `url` works.

    `missing` are files below the game's folder that the engine has asked for in vain since its page was loaded,
    `newly_missing` those that it asked for on its way to this destination. `seconds` passed until it arrived.
    """

    url: str
    position: Position
    picture: bytes
    missing: list[str]
    newly_missing: list[str]
    troubles: list[Trouble]
    seconds: float
    whereabouts: str


class ScenePreviews(Protocol):
    """Scenes shown and photographed, by this process or by another one."""

    async def show(self, game: str, destination: Destination, fetched_ahead: Collection[str] = ()) -> Showing:
        """NotShown: no engine, no browser, or an engine that fails. Timeout: it never gets there.

        `game` is the game's folder in the project, `fetched_ahead` what the engine fetches before it needs it.
        """
        ...


class Screen(Protocol):
    @property
    def address(self) -> str:
        """`http://127.0.0.1:<port>/<secret>/`; `localhost` works in its place."""
        ...

    @property
    def name(self) -> str:
        """The secret in its address."""
        ...

    @property
    def has_page(self) -> bool:
        """A page is open there and its engine has spoken."""
        ...

    @property
    def missing(self) -> Sequence[str]:
        """The files below the game's folder that the page has asked for and that are still not there."""
        ...

    @property
    def newly_missing(self) -> Sequence[str]:
        """Those of them that it has asked for since it was last sent anywhere."""
        ...

    @property
    def is_stale(self) -> bool:
        """A file that the page has loaded and keeps is another one by now: the page has to be loaded anew."""
        ...

    def take_troubles(self) -> list[Trouble]:
        """The exceptions since they were last taken."""
        ...

    def send_to(self, destination: Destination) -> None:
        """Every page that is open there, and those that will be."""
        ...

    async def arrived(self, on_look: "OnLook | None" = None) -> Position:
        """Waits until an engine has reached the destination, or stays before it. Bounded by whoever waits.

        `on_look` is called again and again, to make the page say sooner where it is.
        """
        ...

    async def quiet(self, missing: Collection[str]) -> None:
        """Waits until nothing is on its way to a page, and those of these files that are not there were asked for."""
        ...

    def close(self) -> None:
        """Its address leads nowhere from now on."""
        ...


OnLook = Callable[[], None]


class GameSite(Protocol):
    """The HTTP server that shows one game to as many screens as are opened."""

    def open_screen(self) -> Screen: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Frame:
    """A screen in the console: `screen` names it in later calls, `address` is what an iframe opens."""

    screen: str
    address: str


SHOWING_PATH = "/api/webgal/showing"


class NotHosted(Failure):
    """The server that runs does not show this; its message says why."""


class PreviewContext(msgspec.Struct, frozen=True, rename="camel"):
    """Where a process stands: two that differ would not show the same. `project` has no links in it."""

    version: str
    project: str
    terre: str
    terre_port: int


class WantedScene(msgspec.Struct, frozen=True, rename="camel"):
    """`path` is the scene's in the project; `content` is unsaved text that stands in for it."""

    context: PreviewContext = msgspec.field(name="ground")
    path: str
    line: int
    content: str | None = None
    fetched_ahead: list[str] = []
