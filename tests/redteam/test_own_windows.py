"""An agent on a real desktop tries to use windows in which handrail asks: the console in Chromium, a terminal."""

import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.features.browser.launching import EXTENSION_FOLDER
from handrail.ports.browser import EXTENSION_ORIGIN
from tests.desktop_apps import SYSTEM_PYTHON
from tests.desktop_session import App, DesktopSession
from tests.e2e.console_person import call
from tests.e2e.desktop_agent import DesktopAgent, desktop_agent, desktop_rig, error_of
from tests.effort import first_of
from tests.faces.http.running import Running
from tests.features.desktop.conformance import png
from tests.persons import HANDRAIL
from tests.waiting import until

CHROMIUM = {"app": {"bundleId": "chromium"}}
ALLOW = {"selector": {"byRole": "AXButton", "titleContains": "Allow"}}
OPTIONS = (
    "--no-sandbox",
    "--force-renderer-accessibility",
    "--no-first-run",
    "--disable-gpu",
    "--password-store=basic",
)
PAGE = "<!doctype html><title>Dev server</title><button onclick='this.textContent = 1'>Press me</button>"

pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")


class Stage:
    def __init__(self, session: DesktopSession, rig: Running, agent: DesktopAgent) -> None:
        self.session, self.rig, self.agent = session, rig, agent

    def rules(self, text: str) -> None:
        (self.rig.state / "config.toml").write_text(text)

    def chromium(self, *pages: str, options: tuple[str, ...] = OPTIONS) -> App:
        profile = f"--user-data-dir={self.session.folder / 'profile'}"
        return self.session.start(["chromium", *options, profile, *pages])

    def console(self) -> str:
        words = [HANDRAIL, "open", "--print", "--state", str(self.rig.state)]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(scope="module")
def stage(desktop_session: DesktopSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with (
        desktop_rig(desktop_session, tmp_path_factory.mktemp("own")) as rig,
        desktop_agent(desktop_session, rig) as agent,
    ):
        stage = Stage(desktop_session, rig, agent)
        stage.rules('[[rules]]\neffect = "UI_CONTROL"\ndecision = "allow"\n')
        yield stage


def is_own(error: dict[str, object]) -> bool:
    return error["code"] == "DESKTOP_CONFIRM_REQUIRED" and dict(error["details"]).get("reason") == "own"  # type: ignore[call-overload]


def test_the_console_in_a_browser_is_neither_read_nor_used(stage: Stage) -> None:
    (stage.rig.project / "a.txt").write_text("one\n")
    agent = stage.agent
    other = call(stage.rig, "replace_in_file", path="a.txt", find="one", replace="Stolen")
    question = agent.person.sees()["requestId"]
    app = stage.chromium(stage.console())
    try:
        until(lambda: agent.gets(agent.begins("desktop_find", route=CHROMIUM, **ALLOW)).get("isError"))
        assert is_own(agent.is_refused("desktop_find", route=CHROMIUM, **ALLOW))
        assert is_own(agent.is_refused("desktop_click", route=CHROMIUM, target=ALLOW))
        assert is_own(agent.is_refused("desktop_observe", route=CHROMIUM))
        assert is_own(agent.is_refused("desktop_type_text", route=CHROMIUM, text="a"))
        assert is_own(agent.is_refused("desktop_hotkey", route=CHROMIUM, keys=["enter"]))
        assert is_own(agent.is_refused("desktop_hotkey", keys=["enter"]))
        assert [each["requestId"] for each in agent.person.pending()] == [question]
    finally:
        stage.session.end(app)
        agent.person.answers("--cancel")
        other.communicate(timeout=30)
    assert (stage.rig.project / "a.txt").read_text() == "one\n"


LEADING = """<!doctype html><title>Dev server</title><script>
onkeydown = () => {{ location = "{}/#/inbox"; }}
</script>"""


@pytest.mark.parametrize("keys", first_of("own pages", (["ctrl+2", "q", "y"],), (["shift+x", "q", "y"],)))
def test_keys_that_lead_to_the_console_end_before_one_of_them_answers(
    stage: Stage, tmp_path: Path, keys: list[str]
) -> None:
    """The first one is sent to a page of the agent's own; it switches tabs, or the page navigates on it."""
    (stage.rig.project / "b.txt").write_text("one\n")
    page, agent = tmp_path / "page.html", stage.agent
    page.write_text(LEADING.format(stage.rig.address))
    other = call(stage.rig, "replace_in_file", path="b.txt", find="one", replace="Stolen")
    question = agent.person.sees()["requestId"]
    app = stage.chromium(page.as_uri(), stage.console())
    try:
        is_shown = {"selectorExists": {"titleContains": "Dev server"}}
        agent.does("desktop_wait_until", route=CHROMIUM, condition=is_shown, timeoutMs=20_000)
        error = agent.is_refused("desktop_hotkey", route=CHROMIUM, keys=keys, options={"delayMs": 3000})
        assert [each["requestId"] for each in agent.person.pending()] == [question]
        assert is_own(error)
    finally:
        stage.session.end(app)
        if agent.person.pending():
            agent.person.answers("--cancel")
        other.communicate(timeout=30)
    assert (stage.rig.project / "b.txt").read_text() == "one\n"


@pytest.mark.trial("browsers", is_long=True)
def test_another_page_in_the_same_browser_is_used_as_before(stage: Stage, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGE)
    app = stage.chromium(page.as_uri())
    try:
        button = {"selector": {"byRole": "AXButton", "titleContains": "Press me"}}
        stage.agent.does(
            "desktop_wait_until", route=CHROMIUM, condition={"selectorExists": button["selector"]}, timeoutMs=20_000
        )
        assert stage.agent.does("desktop_click", route=CHROMIUM, target=button)["clicked"] is True
    finally:
        stage.session.end(app)


@pytest.mark.trial("browsers", is_long=True)
def test_a_browser_with_the_console_in_another_window_is_not_quit(stage: Stage, tmp_path: Path) -> None:
    page, agent = tmp_path / "page.html", stage.agent
    page.write_text(PAGE)
    dev = {"window": {"titlePattern": "Dev server"}}
    app = stage.chromium(page.as_uri())
    try:
        agent.does(
            "desktop_wait_until",
            route=CHROMIUM,
            condition={"selectorExists": {"titleContains": "Press me"}},
            timeoutMs=20_000,
        )
        profile = f"--user-data-dir={stage.session.folder / 'profile'}"
        stage.session.start(["chromium", *OPTIONS, profile, "--new-window", stage.console()], wait_for="nothing")
        until(lambda: agent.gets(agent.begins("desktop_find", route=CHROMIUM, **ALLOW)).get("isError"))
        assert is_own(agent.is_refused("desktop_window", route=dev, action="quit"))
        assert len(stage.session.windows_of(app)) == 2
        assert agent.does("desktop_window", route=dev, action="close")["done"] is True
    finally:
        stage.session.end(app)


@pytest.mark.trial("own pages", is_long=True)
def test_nothing_is_done_in_a_browser_that_does_not_report_its_page(stage: Stage) -> None:
    app = stage.chromium(stage.console(), options=tuple(each for each in OPTIONS if "accessibility" not in each))
    try:
        message = stage.agent.is_refused("desktop_hotkey", route=CHROMIUM, keys=["enter"])
        assert is_own(message)
    finally:
        stage.session.end(app)


FRONT = """
import gi
gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, Gtk
window = Gtk.Window(title="In front")
box = Gtk.EventBox()
box.override_background_color(Gtk.StateFlags.NORMAL, Gdk.RGBA(0, 1, 0, 1))
window.add(box)
window.set_default_size(200, 150)
window.move(100, 250)
window.show_all()
Gtk.main()
"""
PLACED = (*OPTIONS, "--window-position=0,0", "--window-size=600,500")
GREEN, BLACK = (0, 255, 0), (0, 0, 0)


@pytest.mark.trial("browsers", is_long=True)
def test_a_picture_of_the_screen_shows_the_console_black_and_what_lies_over_it_as_it_is(stage: Stage) -> None:
    agent, front = stage.agent, {"window": {"titlePattern": "^In front$"}}
    app = stage.chromium(stage.console(), options=PLACED)
    try:
        until(lambda: agent.gets(agent.begins("desktop_find", route=CHROMIUM, **ALLOW)).get("isError"))
        over = stage.session.start([SYSTEM_PYTHON, "-c", FRONT])
        try:

            def shown() -> bytes:
                message = agent.gets(agent.begins("desktop_observe", route=front, options={"includeAxTree": False}))
                if message.get("isError"):
                    return b""
                evidence = message["structuredContent"]["evidence"]
                picture = (stage.rig.project / evidence["dir"] / evidence["screenshotPath"]).read_bytes()
                return picture if png.pixel(picture, 200, 330) == GREEN else b""

            picture = until(shown, "the window in front is not seen")
            around = [png.pixel(picture, x, y) for x in (50, 320, 450) for y in (150, 300, 420)]
            assert set(around) == {BLACK}
        finally:
            stage.session.end(over)
    finally:
        stage.session.end(app)


@pytest.mark.parametrize(
    "page",
    first_of("own pages", (f"{EXTENSION_ORIGIN}/confirm.html",), ("chrome://inspect/",), ("chrome://extensions/",)),
)
def test_the_extensions_window_and_what_controls_other_pages_are_neither_read_nor_used(stage: Stage, page: str) -> None:
    loading = f"--load-extension={EXTENSION_FOLDER}"
    extra = (loading, "--disable-features=DisableLoadExtensionCommandLineSwitch", "--remote-debugging-port=0")
    port_file = stage.session.folder / "profile" / "DevToolsActivePort"
    port_file.unlink(missing_ok=True)
    app = stage.chromium("about:blank", options=(*OPTIONS, *extra))
    try:
        port = until(lambda: port_file.exists() and port_file.read_text().partition("\n")[0])
        until(lambda: opens(f"http://127.0.0.1:{port}/json/new?{page}"))
        until(lambda: agent_is_refused(stage))
        assert is_own(stage.agent.is_refused("desktop_click", route=CHROMIUM, target=ALLOW))
        assert is_own(stage.agent.is_refused("desktop_hotkey", route=CHROMIUM, keys=["enter"]))
    finally:
        stage.session.end(app)


def opens(address: str) -> bool:
    """Opens a page that no command line can open, as a person does by hand."""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, method="PUT"), timeout=10) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def agent_is_refused(stage: Stage) -> bool:
    answer = stage.agent.gets(stage.agent.begins("desktop_observe", route=CHROMIUM))
    return bool(answer.get("isError")) and is_own(error_of(answer))


TERMINAL = """
import subprocess, sys, gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
window = Gtk.Window(title="A terminal")
window.add(Gtk.Button(label="Run"))
window.show_all()
subprocess.Popen(["/bin/sh", "-c", '"$0" "$@"; true', *sys.argv[1:]], stdin=subprocess.PIPE)
Gtk.main()
"""
ASKING = """
import sys
from handrail.features.people.cli.terminal_questions import TerminalQuestions
asking = TerminalQuestions()
sys.stdin.read()
"""
RUN = {"selector": {"byRole": "AXButton", "titleContains": "Run"}}


def test_the_terminal_window_in_which_handrail_asks_is_not_used(stage: Stage) -> None:
    """The asking program is a grandchild of the one with the window, as in a terminal."""
    agent, terminal = stage.agent, [SYSTEM_PYTHON, "-c", TERMINAL]
    app = stage.session.start([*terminal, sys.executable, "-c", ASKING])
    try:
        until(lambda: agent.gets(agent.begins("desktop_find", **RUN)).get("isError"))
        assert is_own(agent.is_refused("desktop_find", **RUN))
        assert is_own(agent.is_refused("desktop_click", target=RUN))
        assert is_own(agent.is_refused("desktop_type_text", text="y"))
        assert is_own(agent.is_refused("desktop_hotkey", keys=["y"]))
    finally:
        stage.session.end(app)
    app = stage.session.start([*terminal, "/bin/cat"])
    try:
        assert agent.does("desktop_click", target=RUN)["clicked"] is True
    finally:
        stage.session.end(app)
