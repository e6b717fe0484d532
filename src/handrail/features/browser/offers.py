"""What the browser offers to other features: a headless browser for pages of this machine, and the running server."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Trouble:
    """What a page complained about: an exception, an error in its console, a request that was not let through."""

    message: str
    url: str | None = None
    """What was not loaded because it is not on this machine."""
    line: int | None = None
    """The last line of the scene that had been run by then, where that is known."""
    is_exception: bool = False


@dataclass(frozen=True, slots=True)
class Element:
    """What a person is told of an element before it is clicked: the address of its page, its tag, its words."""

    page: str
    tag: str
    text: str


class LocalPage(Protocol):
    """A page of our own browser, which reaches this machine and nothing else."""

    @property
    def url(self) -> str: ...

    @property
    def is_open(self) -> bool: ...

    def take_troubles(self) -> list[Trouble]:
        """What has come up since they were last taken."""
        ...

    def take_missing(self) -> list[str]:
        """The addresses that were answered with 404 since they were last taken."""
        ...

    async def before_load(self, script: str) -> None:
        """JavaScript that runs before anything else in every page that it goes to."""
        ...

    async def go(self, url: str) -> None:
        """Until it is loaded. Declined: a redirect led elsewhere than to this machine. NotShown: it can't be loaded."""
        ...

    def run(self, expression: str) -> None:
        """JavaScript in the page, without waiting for it."""
        ...

    async def value(self, expression: str) -> Any:
        """What an expression comes to in the page, awaited if it is a promise."""
        ...

    async def element(self, selector: str) -> Element:
        """NotShown: there is none."""
        ...

    async def click(self, selector: str, seen: Element | None = None) -> None:
        """As a mouse does it. NotShown: there is no such element, or it can't be clicked. Changed: it is not `seen`."""
        ...

    async def picture(self) -> bytes:
        """PNG."""
        ...

    async def close(self) -> None: ...


class LocalBrowser(Protocol):
    """One headless browser, started when first needed and ended after a while without use."""

    async def open_page(self, allowed: Sequence[str], *, is_watched: bool = True) -> LocalPage:
        """NotShown: there is no browser on this machine, or it does not start.

        `allowed` are hosts of this machine, with a port where only that one is meant: whatever the page asks for
        elsewhere, by whatever means, is not reached. Where it is watched, what was refused is told as well.
        """
        ...

    async def close(self) -> None: ...


class ServerAnswer(Protocol):
    @property
    def status(self) -> int: ...

    @property
    def body(self) -> bytes: ...


class RunningServer(Protocol):
    """The `handrail up` that runs, asked over HTTP in a person's name."""

    async def ask(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> ServerAnswer:
        """Offline."""
        ...
