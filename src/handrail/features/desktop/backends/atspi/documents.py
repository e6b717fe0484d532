"""The web pages that a window shows, as its browser tells their addresses."""

from collections.abc import Sequence

from handrail.features.desktop.backends.atspi import calls, roles
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.desktop_port import Window

BROWSERS = (
    "chromium",
    "chrome",
    "firefox",
    "brave",
    "msedge",
    "microsoft-edge",
    "vivaldi",
    "opera",
    "librewolf",
    "epiphany",
    "falkon",
)
_WEB_TOOLKITS = frozenset({"chromium", "gecko", "webkitgtk"})
_DOCUMENTS = frozenset({"document web", "document frame"})
_ADDRESS = tuple(calls.document_attribute(name) for name in ("DocURL", "URI", "URL"))
_MOST_OBJECTS = 2000


def is_browser(window: Window) -> bool:
    names = {name.casefold() for name in (*window.ids, window.app_id, window.app_name)}
    return any(browser in name for name in names for browser in BROWSERS)


async def page_addresses(bus: AccessibilityBus, window: Window, top: Ref) -> Sequence[str] | None:
    """None where a browser does not tell them; nothing for what isn't a browser."""
    toolkit = await bus.ask(Ref(top.name, calls.ROOT_PATH), calls.TOOLKIT)
    is_web = not isinstance(toolkit, Refused) and str(toolkit[0].value).casefold() in _WEB_TOOLKITS
    if not is_web and not is_browser(window):
        return ()
    found = await _documents(bus, top)
    told = [await _address(bus, document) for document in found]
    if is_browser(window) and (not any(told) or found.is_cut):
        return None
    return [address for address in told if address]


class _Found(list[Ref]):
    is_cut = False


async def _documents(bus: AccessibilityBus, top: Ref) -> _Found:
    """Level by level around the pages: what is inside of a page is not looked at."""
    found, level, seen = _Found(), [top], 0
    while level:
        seen += len(level)
        if seen > _MOST_OBJECTS:
            found.is_cut = True
            return found
        questions = [(ref.path, call) for ref in level for call in (calls.ROLE, calls.CHILDREN)]
        answers = iter(await bus.ask_all(top.name, questions))
        below: list[Ref] = []
        for ref, role, children in zip(level, answers, answers, strict=False):
            if not isinstance(role, Refused) and roles.native_name(int(role[0])) in _DOCUMENTS:
                found.append(ref)
            elif not isinstance(children, Refused):
                below += [Ref(*child) for child in children[0] if child[1] != calls.NULL_PATH]
        level = [ref for ref in below if ref.name == top.name]
    return found


async def _address(bus: AccessibilityBus, document: Ref) -> str:
    for answer in await bus.ask_all(document.name, [(document.path, call) for call in _ADDRESS]):
        if not isinstance(answer, Refused) and answer[0]:
            return str(answer[0])
    return ""
