"""Which windows of browsers no tool may use, by the addresses that the browsers report."""

from collections.abc import Sequence

import pytest

from handrail.features.desktop.backends.atspi.documents import is_browser
from handrail.features.desktop.desktop_port import Window
from handrail.features.desktop.host.own_windows import why_off_limits
from handrail.ports.own_servers import announce_port
from tests.scripted_desktop import ScriptedDesktop

PORT = 49_151


class Reports(ScriptedDesktop):
    """A desktop whose browser reports this page. (Firefox reports its own as `about:debugging#/runtime/…`.)"""

    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address

    async def page_addresses(self, window: Window) -> Sequence[str]:
        return [self._address]


def window_of(app: str) -> Window:
    return Window("1", "A page", app, app, frozenset({app}), 1, None)


@pytest.mark.parametrize(
    ("address", "is_off_limits"),
    [
        ("about:debugging#/runtime/this-firefox", True),
        ("about:devtools-toolbox?id=1&type=tab", True),
        ("about:addons", True),
        (f"view-source:http://127.0.0.1:{PORT}/", True),
        (f"http://localhost:{PORT}/#/inbox", True),
        ("about:newtab", False),
        ("https://www.mozilla.org/about:debugging", False),
        ("http://127.0.0.1:5173/", False),
    ],
)
async def test_a_window_from_which_other_pages_can_be_controlled_is_not_for_tools(
    address: str, is_off_limits: bool
) -> None:
    window = window_of("firefox")
    with announce_port(PORT):
        reason = await why_off_limits(Reports(address), window, [window])
    assert (reason is not None) == is_off_limits


@pytest.mark.parametrize("app", ["firefox-esr", "app.zen_browser.zen", "Tor Browser", "org.kde.konqueror", "waterfox"])
def test_browsers_are_recognized_by_their_names(app: str) -> None:
    assert is_browser(window_of(app))
    assert not is_browser(window_of("zenity"))
