"""What the browser offers to other features: a headless browser for local pages, and requests to the running server."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class PageProblem:
    """A problem in a page: an exception, a console error, a refused request."""

    message: str
    url: str | None = None
    """The address that was not loaded because it isn't on this machine."""
    line: int | None = None
    """The last line of the scene that had run by then, if known."""
    is_exception: bool = False


@dataclass(frozen=True, slots=True)
class Element:
    """What a person sees of an element before a click: the page's address, the tag and the text."""

    page: str
    tag: str
    text: str


class LocalPage(Protocol):
    """A page of our own browser, which can only reach this machine."""

    @property
    def url(self) -> str: ...

    @property
    def is_open(self) -> bool: ...

    def take_problems(self) -> list[PageProblem]:
        """The problems since the last call."""
        ...

    def take_missing(self) -> list[str]:
        """The addresses that returned 404 since the last call."""
        ...

    async def before_load(self, script: str) -> None:
        """Sets JavaScript that runs first in every page that is loaded."""
        ...

    async def go(self, url: str) -> None:
        """Returns once the page is loaded. Raises Declined if a redirect left this machine, NotShown if it failed."""
        ...

    def run(self, expression: str) -> None:
        """Runs JavaScript without waiting for its result."""
        ...

    async def value(self, expression: str) -> Any:
        """The value of an expression, awaited if it is a promise."""
        ...

    async def element(self, selector: str) -> Element:
        """Raises NotShown if there is none."""
        ...

    async def click(self, selector: str, seen: Element | None = None) -> None:
        """Clicks with the mouse.

        Raises NotShown if there is no such element, or it can't be clicked, and Changed if it isn't `seen`.
        """
        ...

    async def picture(self, *, as_jpeg: bool = False) -> bytes:
        """A screenshot, as a PNG or a JPEG."""
        ...

    async def close(self) -> None: ...


class LocalBrowser(Protocol):
    """One headless browser, started when first needed and ended after a while without use."""

    async def open_page(self, allowed: Sequence[str], *, is_watched: bool = True) -> LocalPage:
        """Raises NotShown if there is no browser on this machine, or it doesn't start.

        `allowed`: hosts of this machine, optionally with a port. The page can't reach anything else. `is_watched`:
        refused requests are reported as problems.
        """
        ...

    async def close(self) -> None: ...


class ServerAnswer(Protocol):
    @property
    def status(self) -> int: ...

    @property
    def body(self) -> bytes: ...


class RunningServer(Protocol):
    """The running `handrail up`, asked over HTTP on behalf of a person."""

    async def ask(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> ServerAnswer:
        """Raises Offline."""
        ...
