"""Windows in which handrail itself asks people. No tool may read them or act in them.

A click on a button there would answer in a person's name. A browser is recognized by the addresses of its pages; a
terminal by the process that asks in it, in which case all windows of that terminal program count.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from handrail.features.desktop.desktop_port import Reader, Window
from handrail.kernel.own_pages import is_own_page
from handrail.kernel.target import ANY_PLACE
from handrail.kernel.web_address import place_of_page
from handrail.ports.browser import EXTENSION_ORIGIN
from handrail.ports.errors import Declined, Failure
from handrail.ports.own_servers import find_own_ports
from handrail.ports.prompt_views import view_ancestries

T = TypeVar("T")

_CONTROLS_OTHER_PAGES = (
    "devtools://",
    "chrome://inspect",
    "chrome://extensions",
    "edge://inspect",
    "edge://extensions",
    "about:debugging",
    "about:devtools-toolbox",
    "about:addons",
)
"""Input there can press buttons in any other page or extension, including handrail's."""
_LOOK_SECONDS = 0.05
"""How often a window is looked at while input is sent to it. The console takes no answer in its first 0.4 s in view."""
UNKNOWN_PAGE = "this browser doesn't report which page it shows, and it may be handrail's own"


async def refuse_own_window(reader: Reader, window: Window, all_windows: Sequence[Window], *, acts: bool) -> None:
    """Raises Declined for such a window. Actions are declined as well if it is unknown what a browser shows."""
    reason = await why_off_limits(reader, window, all_windows)
    if reason is None or (reason is UNKNOWN_PAGE and not acts):
        return
    hint = "Ask the person to look there."
    if reason is UNKNOWN_PAGE:
        hint = "Start it with --force-renderer-accessibility, or use the browser_* tools."
    raise Declined(f"The window {window.title!r} is not for tools: {reason}.", hint=hint, reason="own")


async def why_off_limits(reader: Reader, window: Window, all_windows: Sequence[Window]) -> str | None:
    """Returns None for a window that tools may use. Reads process ids from /proc, which needs no disk."""
    if _asks_person(window, all_windows):
        return "handrail asks a person in a terminal of this program"
    if not find_own_ports():
        return None
    addresses = await reader.page_addresses(window)
    if addresses is None:
        return UNKNOWN_PAGE
    for address in addresses:
        if await _is_own_address(address):
            return "it shows a page of handrail itself, or can control one"
    return None


async def stop_at_own_page(
    reader: Reader, window: Window, all_windows: Sequence[Window], work: Coroutine[Any, Any, T]
) -> T:
    """Awaits input that is being sent, and ends it if it leads to such a window: the next key would answer there."""
    sending = asyncio.create_task(work)
    looking = asyncio.create_task(_wait_for_own_page(reader, window, all_windows))
    try:
        await asyncio.wait({sending, looking}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        is_sent = sending.done()
        for task in (sending, looking):
            task.cancel()
        await asyncio.wait({sending, looking})
    if is_sent:
        return sending.result()
    raise Declined(
        f"What was sent to the window {window.title!r} led to a page of handrail itself, so nothing more was sent.",
        hint="Ask the person to look there.",
        reason="own",
    )


async def _wait_for_own_page(reader: Reader, window: Window, all_windows: Sequence[Window]) -> None:
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        try:
            reason = await why_off_limits(reader, window, all_windows)
        except Failure:
            continue  # a program that doesn't answer doesn't handle keys either
        if reason not in (None, UNKNOWN_PAGE):
            return


def _asks_person(window: Window, all_windows: Sequence[Window]) -> bool:
    """The terminal is the asking process's nearest ancestor with a window. Without a pid, any window may be it."""
    if window.pid == 0:
        return any(True for _ in view_ancestries())
    with_windows = {window.pid for window in all_windows}
    return any(next((pid for pid in chain if pid in with_windows), None) == window.pid for chain in view_ancestries())


async def _is_own_address(address: str) -> bool:
    if address.startswith((f"{EXTENSION_ORIGIN}/", *_CONTROLS_OTHER_PAGES)):
        return True
    place = place_of_page(address)
    return place is not None and place != ANY_PLACE and await is_own_page(place)
