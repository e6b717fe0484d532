"""A page lures the person into an answer: it leads keys meant for itself to the console, where a question waits.

The keys are real input on a real desktop, in windows of a real Chromium.
"""

import time
from collections.abc import Callable, Iterator

import pytest
from Xlib import XK, X, display
from Xlib.ext import xtest

from handrail.stores.local.viewers import is_watched
from tests.desktop_session import DesktopSession
from tests.e2e.console_person import call, up
from tests.faces.http.running import Running
from tests.persons import Person
from tests.redteam.test_own_windows import OPTIONS
from tests.redteam.visitor import LocalServer
from tests.waiting import until

PACE_SECONDS = 0.12
"""How fast a person presses a key again and again."""
GAME = """<!doctype html><title>Game</title><p>Press y as fast as you can!<script>
onkeydown = () => {{
  onkeydown = null;
  open("/cover", "_blank", "popup,width=900,height=700");
  location = "{}/#/inbox";
}};
</script>"""
COVER = """<!doctype html><title>Go on</title><p>Go on!<script>
fetch("/covered");
setTimeout(() => (onkeydown = () => { fetch("/uncovered", { keepalive: true }).finally(close); }), 2000);
</script>"""
"""Hides the page behind it until that has loaded."""


class Hand:
    def __init__(self, display_name: str) -> None:
        self._display = display.Display(display_name)

    def press(self, key: str) -> None:
        code = self._display.keysym_to_keycode(XK.string_to_keysym(key))
        for kind in (X.KeyPress, X.KeyRelease):
            xtest.fake_input(self._display, kind, code)
        self._display.sync()
        time.sleep(PACE_SECONDS)

    def close(self) -> None:
        self._display.close()


@pytest.fixture
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("lured")
    (folder / "project").mkdir()
    (folder / "project" / "a.txt").write_text("one\n")
    with up(folder / "project", folder / "state") as running:
        yield running


@pytest.fixture
def hand(desktop_session: DesktopSession) -> Iterator[Hand]:
    hand = Hand(desktop_session.env["DISPLAY"])
    yield hand
    hand.close()


@pytest.mark.trial("presence", is_long=True)
def test_keys_that_were_meant_for_another_page_answer_nothing(
    rig: Running, desktop_session: DesktopSession, hand: Hand
) -> None:
    calling = call(rig, "replace_in_file", path="a.txt", find="one", replace="Stolen")
    person, profile = Person(rig.state), desktop_session.folder / "lured"
    person.sees()
    pages = {"/game": ("text/html", GAME.format(rig.address)), "/cover": ("text/html", COVER)}
    with LocalServer(pages) as site:
        places = (f"http://127.0.0.1:{site.port}/game", f"{rig.address}/#code={rig.new_code()}")
        app = desktop_session.start(["chromium", *OPTIONS, f"--user-data-dir={profile}", *places])
        try:
            until(lambda: is_watched(rig.state), "the console")
            _press_until(hand, lambda: "/covered" in site.paths, "the page that covers the console")
            _press_until(hand, lambda: "/uncovered" in site.paths, "the console")
            for _ in range(20):
                hand.press("y")
            assert person.pending()
        finally:
            desktop_session.end(app)
            if person.pending():
                person.answers("--cancel")
            calling.communicate(timeout=30)
    assert (rig.project / "a.txt").read_text() == "one\n"


def _press_until(hand: Hand, is_there: Callable[[], bool], what: str) -> None:
    def pressed() -> bool:
        hand.press("y")
        return is_there()

    until(pressed, what)
