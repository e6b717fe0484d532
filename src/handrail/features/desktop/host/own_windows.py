"""Windows in which handrail itself asks people: no tool reads them or acts in them.

Whoever presses a button there answers in a person's name. A browser is known by the addresses of the pages it shows; a
terminal by the process that asks in it: then all windows of that terminal program count, since they look alike.
"""

from collections.abc import Sequence

from handrail.features.desktop.platform import Reader, Window
from handrail.kernel.own_pages import is_own_page
from handrail.kernel.target import ANY_PLACE
from handrail.kernel.web_address import place_of_page
from handrail.ports.browser import EXTENSION_ORIGIN
from handrail.ports.errors import Declined
from handrail.ports.own_servers import find_own_ports
from handrail.ports.prompt_views import view_ancestries

_CONTROLS_OTHER_PAGES = (
    "devtools://",
    "chrome://inspect",
    "chrome://extensions",
    "edge://inspect",
    "edge://extensions",
)
"""Who types there can press a button in any other page or extension, handrail's own included."""
UNTOLD = "it can't be told which page this browser shows, and it may be handrail's own"


async def refuse_own(reader: Reader, window: Window, everything: Sequence[Window], *, acts: bool) -> None:
    """Declined; also where it can't be told what a browser shows, if something would be done there."""
    why = await why_closed(reader, window, everything)
    if why is None or (why is UNTOLD and not acts):
        return
    hint = "Ask the person to look there."
    if why is UNTOLD:
        hint = "Start it with --force-renderer-accessibility, or use the browser_* tools."
    raise Declined(f"The window {window.title!r} is not for tools: {why}.", hint=hint, reason="own")


async def why_closed(reader: Reader, window: Window, everything: Sequence[Window]) -> str | None:
    """None for a window that tools may use. Which processes there are the system tells from memory, not from a disk."""
    if _asks_here(window, everything):
        return "handrail asks a person in a terminal of this program"
    if not find_own_ports():
        return None
    addresses = await reader.addresses(window)
    if addresses is None:
        return UNTOLD
    for address in addresses:
        if await _is_ours(address):
            return "it shows a page of handrail itself, or can control one"
    return None


def _asks_here(window: Window, everything: Sequence[Window]) -> bool:
    """The nearest ancestor that has a window is the terminal. A window without a process may be any of them."""
    if window.pid == 0:
        return any(True for _ in view_ancestries())
    with_windows = {one.pid for one in everything}
    return any(next((pid for pid in chain if pid in with_windows), None) == window.pid for chain in view_ancestries())


async def _is_ours(address: str) -> bool:
    if address.startswith((f"{EXTENSION_ORIGIN}/", *_CONTROLS_OTHER_PAGES)):
        return True
    place = place_of_page(address)
    return place is not None and place != ANY_PLACE and await is_own_page(place)
