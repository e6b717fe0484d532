"""What the browser offers to other features: a headless browser for pages on this machine, and the running server."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class PageProblem:
    """What went wrong in a page: an exception, a console error, a refused request."""

    message: str
    url: str | None = None
    """What was not loaded because it is not on this machine."""
    line: int | None = None
    """The last line of the scene that had been run by then, where that is known."""
    is_exception: bool = False


@dataclass(frozen=True, slots=True)
class Element:
    """What a person is shown about an element before it is clicked: the page's address, its tag and its text."""

    page: str
    tag: str
    text: str


class LocalPage(Protocol):
    """A page of our own browser, which can reach only this machine."""

    @property
    def url(self) -> str: ...

    @property
    def is_open(self) -> bool: ...

    def take_problems(self) -> list[PageProblem]:
        """What went wrong since the last call."""
        ...

    def take_missing(self) -> list[str]:
        """The addresses that returned 404 since the last call."""
        ...

    async def before_load(self, script: str) -> None:
        """JavaScript that runs before anything else in every page that is loaded."""
        ...

    async def go(self, url: str) -> None:
        """Returns when the page is loaded. Declined if a redirect left this machine. NotShown if it can't be loaded."""
        ...

    def run(self, expression: str) -> None:
        """Runs JavaScript without waiting for its result."""
        ...

    async def value(self, expression: str) -> Any:
        """The value of an expression, awaited if it is a promise."""
        ...

    async def element(self, selector: str) -> Element:
        """NotShown if there is none."""
        ...

    async def click(self, selector: str, seen: Element | None = None) -> None:
        """Clicks with the mouse.

        NotShown if there is no such element, or it can't be clicked. Changed if it isn't `seen`.
        """
        ...

    async def picture(self, *, as_jpeg: bool = False) -> bytes:
        """A PNG, unless a JPEG is wanted."""
        ...

    async def close(self) -> None: ...


class LocalBrowser(Protocol):
    """One headless browser, started when first needed and ended after a while without use."""

    async def open_page(self, allowed: Sequence[str], *, is_watched: bool = True) -> LocalPage:
        """NotShown if there is no browser on this machine, or it doesn't start.

        `allowed` are hosts of this machine, optionally with a port. The page can't reach anything else by any means. If
        it is watched, refused requests are reported.
        """
        ...

    async def close(self) -> None: ...


class ServerAnswer(Protocol):
    @property
    def status(self) -> int: ...

    @property
    def body(self) -> bytes: ...


class RunningServer(Protocol):
    """The running `handrail up`, asked over HTTP in a person's name."""

    async def ask(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> ServerAnswer:
        """Offline."""
        ...
