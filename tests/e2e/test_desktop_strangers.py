"""Programs that no other test uses, controlled over MCP as any agent would."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.desktop_session import App, DesktopSession, Sign
from tests.e2e.desktop_agent import DesktopAgent, desktop_agent, desktop_rig
from tests.waiting import until

pytestmark = pytest.mark.trial("strangers", is_long=True)
TEXT = "Grüße, 世界"
ALLOW = '[[rules]]\neffect = "UI_CONTROL"\ndecision = "allow"\n'
PAGE = """<!doctype html><title>Counting page</title>
<button onclick="said.textContent = 'Pressed ' + ++times">Press me</button>
<p id="said">Not pressed</p><input aria-label="Your name"><script>let times = 0</script>"""


class Stranger:
    """Starts programs and controls them; one of the person's rules allows it to act."""

    def __init__(self, agent: DesktopAgent, session: DesktopSession) -> None:
        self.agent = agent
        self.session = session
        self.folder = agent.project
        self.apps: list[App] = []

    def starts(self, *argv: str, wait_for: Sign = "accessible") -> None:
        self.apps.append(self.session.start(argv, wait_for=wait_for, within=90))

    def sees(self, name: str, **selector: Any) -> dict[str, Any]:
        """Waits for an element and returns it."""
        route, condition = {"app": {"name": name}}, {"selectorExists": selector}
        result = self.agent.does("desktop_wait_until", route=route, condition=condition, timeoutMs=30_000)
        assert result["ok"], result
        element: dict[str, Any] = result["elementRefs"][0]
        return element

    def types(self, name: str, text: str, title: str = "", **selector: Any) -> None:
        target = {"target": {"selector": selector}} if selector else {}
        self.agent.does("desktop_type_text", route=_route(name, title), text=text, **target)

    def presses(self, name: str, *keys: str, title: str = "") -> dict[str, Any]:
        return self.agent.does("desktop_hotkey", route=_route(name, title), keys=list(keys))


def _route(name: str, title: str = "") -> dict[str, Any]:
    return {"app": {"name": name}, **({"window": {"titlePattern": title}} if title else {})}


@pytest.fixture(scope="module")
def agent(desktop_session: DesktopSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DesktopAgent]:
    with desktop_rig(desktop_session, tmp_path_factory.mktemp("d")) as rig:
        (rig.state / "config.toml").write_text(ALLOW)
        with desktop_agent(desktop_session, rig) as agent:
            yield agent


@pytest.fixture
def stranger(agent: DesktopAgent, desktop_session: DesktopSession) -> Iterator[Stranger]:
    stranger = Stranger(agent, desktop_session)
    yield stranger
    for app in stranger.apps:
        desktop_session.end(app)


def saved(file: Path, content: str) -> None:
    until(lambda: file.exists() and file.read_text() == content, lambda: file.exists() and file.read_text())


def test_a_file_is_edited_and_saved_in_gedit(stranger: Stranger) -> None:
    file = stranger.folder / "notes.txt"
    file.write_text("first\n")
    stranger.starts("gedit", "--standalone", str(file))
    stranger.sees("gedit", byRole="AXTextArea", valueContains="first")
    stranger.types("gedit", f"{TEXT}\n", byRole="AXTextArea")
    assert stranger.presses("gedit", "ctrl+s")["effect"] == "seen"
    saved(file, f"{TEXT}\nfirst\n")


def test_two_windows_of_kate_get_their_own_text_each(stranger: Stranger) -> None:
    files = [stranger.folder / name for name in ("a.txt", "b.txt")]
    for file in files:
        file.write_text("end\n")
        stranger.starts("kate", "-n", str(file))
    for title, text in (("a.txt", "for a "), ("b.txt", "for b "), ("a.txt", "again a ")):
        stranger.types("kate", text, title, byRole="AXTextArea")
        stranger.presses("kate", "ctrl+s", title=title)
    saved(files[0], "for a again a end\n")
    saved(files[1], "for b end\n")
    stranger.agent.does("desktop_menu", route=_route("kate", "a.txt"), path=["File", "Save As"])
    assert stranger.sees("kate", byRole="AXTextField", titleContains="File name")["value"] == "a.txt"


def test_a_file_is_renamed_in_thunar(stranger: Stranger) -> None:
    folder = stranger.folder / "thunar"
    folder.mkdir()
    (folder / "one.txt").touch()
    stranger.starts("thunar", str(folder))
    stranger.sees("thunar", titleContains="1 file")
    stranger.presses("thunar", "ctrl+a")
    assert stranger.presses("thunar", "f2")["effect"] == "seen"
    stranger.sees("thunar", byRole="AXTextField", valueContains="one.txt")
    stranger.presses("thunar", "ctrl+a")
    stranger.types("thunar", "two.txt")
    stranger.presses("thunar", "enter")
    until(lambda: os.listdir(folder) == ["two.txt"], lambda: os.listdir(folder))


def test_pcmanfm_which_cant_be_read_is_seen_and_takes_keys(stranger: Stranger) -> None:
    folder = stranger.folder / "pcmanfm"
    folder.mkdir()
    (folder / "one.txt").touch()
    stranger.starts("pcmanfm", str(folder), wait_for="window")
    assert "exposes no elements" in stranger.agent.does("desktop_observe", route=_route("pcmanfm"))["outline"]
    assert stranger.presses("pcmanfm", "ctrl+a")["effect"] == "seen"


def test_a_formula_is_typed_into_gnumeric(stranger: Stranger) -> None:
    stranger.starts("gnumeric")
    stranger.sees("gnumeric", byRole="AXTextField", valueContains="A1")
    stranger.types("gnumeric", "=6*7")
    stranger.presses("gnumeric", "enter")
    stranger.sees("gnumeric", byRole="AXTextField", valueContains="A2")
    stranger.presses("gnumeric", "up")
    stranger.sees("gnumeric", byRole="AXTextField", valueContains="=6*7")


def test_a_command_is_run_in_xterm(stranger: Stranger) -> None:
    file = stranger.folder / "said.txt"
    stranger.starts("xterm", wait_for="window")
    stranger.types("xterm", f"echo hello > {file}")
    stranger.presses("xterm", "enter")
    saved(file, "hello\n")


def test_a_word_is_found_in_evince(stranger: Stranger) -> None:
    text = stranger.folder / "page.txt"
    text.write_text("Hello first page\n\fand the second page")
    convert = ["soffice", "--headless", "--convert-to", "pdf", "--outdir", str(stranger.folder), str(text)]
    subprocess.run(convert, env=stranger.session.env, capture_output=True, check=True, timeout=120)
    stranger.starts("evince", str(stranger.folder / "page.pdf"))
    stranger.sees("evince", valueContains="of 2")
    stranger.presses("evince", "ctrl+f")
    stranger.types("evince", "second")
    stranger.sees("evince", byRole="AXCell", titleContains="second page")


def test_gimp_is_reported_as_unreadable_and_accepts_keys(stranger: Stranger) -> None:
    stranger.starts("gimp", "--no-splash", "--new-instance", wait_for="window")
    assert "exposes no elements" in stranger.agent.does("desktop_observe", route=_route("gimp"))["outline"]
    refusal = stranger.agent.is_refused("desktop_menu", route=_route("gimp"), path=["File", "New..."])
    assert "exposes no menus" in refusal["message"]
    until(lambda: stranger.presses("gimp", "ctrl+n")["effect"] == "seen", "the dialog for a new image")


def test_a_page_is_used_in_firefox(stranger: Stranger) -> None:
    page, profile = stranger.folder / "page.html", stranger.session.folder / "firefox"
    page.write_text(PAGE)
    shutil.rmtree(profile, ignore_errors=True)
    profile.mkdir()
    stranger.starts("firefox-esr", "--no-remote", "--profile", str(profile), page.as_uri())
    button = stranger.sees("firefox", byRole="AXButton", titleContains="Press me")
    stranger.agent.does("desktop_click", target={"elementRef": button})
    stranger.sees("firefox", valueContains="Pressed 1")
    stranger.types("firefox", TEXT, titleContains="Your name")
    stranger.sees("firefox", titleContains="Your name", valueContains=TEXT)
