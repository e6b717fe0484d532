"""Finds the addresses of the web pages in a window, as its browser reports them."""

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
    "waterfox",
    "floorp",
    "zen-browser",
    "zen_browser",
    "tor browser",
    "torbrowser",
    "mullvad",
    "icecat",
    "seamonkey",
    "palemoon",
    "yandex",
    "thorium",
    "iridium",
    "konqueror",
    "qutebrowser",
)
_WEB_TOOLKITS = frozenset({"chromium", "gecko", "webkitgtk"})
_DOCUMENTS = frozenset({"document web", "document frame"})
_ADDRESS = tuple(calls.document_attribute(name) for name in ("DocURL", "URI", "URL"))
_MAX_OBJECTS = 2000


def is_browser(window: Window) -> bool:
    names = {name.casefold() for name in (*window.ids, window.app_id, window.app_name)}
    return any(browser in name for name in names for browser in BROWSERS)


async def page_addresses(bus: AccessibilityBus, window: Window, top: Ref) -> Sequence[str] | None:
    """Returns None if a browser doesn't report them; an empty list for other programs."""
    toolkit = await bus.ask(Ref(top.name, calls.ROOT_PATH), calls.TOOLKIT)
    is_web = not isinstance(toolkit, Refused) and str(toolkit[0].value).casefold() in _WEB_TOOLKITS
    if not is_web and not is_browser(window):
        return ()
    documents = await _documents(bus, top)
    addresses = [await _address(bus, document) for document in documents]
    if is_browser(window) and (not any(addresses) or documents.is_cut):
        return None
    return [address for address in addresses if address]


class _DocumentList(list[Ref]):
    is_cut = False


async def _documents(bus: AccessibilityBus, top: Ref) -> _DocumentList:
    """Searches level by level, without entering pages."""
    documents, level, visited = _DocumentList(), [top], 0
    while level:
        visited += len(level)
        if visited > _MAX_OBJECTS:
            documents.is_cut = True
            return documents
        questions = [(ref.path, call) for ref in level for call in (calls.ROLE, calls.CHILDREN)]
        answers = iter(await bus.ask_all(top.name, questions))
        next_level: list[Ref] = []
        for ref, role, children in zip(level, answers, answers, strict=False):
            if not isinstance(role, Refused) and roles.native_name(int(role[0])) in _DOCUMENTS:
                documents.append(ref)
            elif not isinstance(children, Refused):
                next_level += [Ref(*child) for child in children[0] if child[1] != calls.NULL_PATH]
        level = [ref for ref in next_level if ref.name == top.name]
    return documents


async def _address(bus: AccessibilityBus, document: Ref) -> str:
    for answer in await bus.ask_all(document.name, [(document.path, call) for call in _ADDRESS]):
        if not isinstance(answer, Refused) and answer[0]:
            return str(answer[0])
    return ""
