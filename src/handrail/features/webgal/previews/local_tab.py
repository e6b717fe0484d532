"""The one tab of browser_action: a page of the headless browser that never leaves this machine."""

import asyncio
from collections.abc import Sequence

from handrail.features.webgal.preview_ports import Element, LocalPage
from handrail.features.webgal.previews.theatre import Theatre
from handrail.kernel.target import Target
from handrail.kernel.web_address import host_of_page
from handrail.ports.errors import NotShown
from handrail.ports.files import Folder

AGENT_FOLDER = ".webgal_agent"
SCREENSHOTS = "screenshots"
_GIT_IGNORE = ".gitignore"


class LocalTab:
    def __init__(self, theatre: Theatre, files: Folder) -> None:
        self._theatre = theatre
        self._own = files.subfolder(AGENT_FOLDER)
        self._page: LocalPage | None = None
        self._opening = asyncio.Lock()

    @property
    def target(self) -> Target:
        page = self._page
        return Target() if page is None or not page.is_open else Target(host=host_of_page(page.url))

    async def open(self, url: str, hosts: Sequence[str]) -> None:
        """In a page of its own, under the rules of now. Declined: it leads elsewhere. NotShown: nobody answers."""
        async with self._opening:  # of two at once, the first one's page would never be closed
            page, self._page = self._page, None
            if page is not None:
                await page.close()
            page = await self._theatre.browser().open_page(hosts)
            try:
                await page.go(url)
            except BaseException:
                await page.close()
                raise
            self._page = page

    async def element(self, selector: str) -> Element:
        return await self._open_page().element(selector)

    async def click(self, selector: str, seen: Element | None) -> None:
        await self._open_page().click(selector, seen)

    async def picture(self) -> bytes:
        return await self._open_page().picture()

    def store(self, name: str, picture: bytes) -> None:
        """In our own folder, which is no part of the project's history."""
        if self._own.mode(_GIT_IGNORE) is None:
            self._own.write(_GIT_IGNORE, b"*\n", is_durable=False)
        self._own.write(f"{SCREENSHOTS}/{name}", picture, is_durable=False)

    def _open_page(self) -> LocalPage:
        if self._page is None or not self._page.is_open:
            raise NotShown("No page is open.", hint='Open one first: {"action": "open", "url": "http://localhost:…"}.')
        return self._page
