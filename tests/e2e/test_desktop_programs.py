"""Real programs of each toolkit, used through the running host by a client that knows only contract 1."""

import json
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.desktop_apps import command, texts
from tests.desktop_session import App, DesktopSession
from tests.e2e.desktop_bridge import DesktopClient, Program, bridge
from tests.effort import first_of

TEXT = "Grüße, 世界! 👋"
PAGE = """<!doctype html><title>Counting page</title>
<button onclick="said.textContent = 'Pressed ' + ++times">Press me</button>
<p id="said">Not pressed</p><input aria-label="Your name"><script>let times = 0</script>"""


@pytest.fixture(scope="module")
def client(desktop_session: DesktopSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DesktopClient]:
    with bridge(desktop_session, tmp_path_factory.mktemp("desktop")) as client:
        yield client


@pytest.fixture
def start_app(desktop_session: DesktopSession) -> Iterator["Starter"]:
    starter = Starter(desktop_session)
    yield starter
    starter.end_all()


class Starter:
    def __init__(self, session: DesktopSession) -> None:
        self.session = session
        self._apps: list[App] = []

    def __call__(self, argv: Sequence[str]) -> None:
        self._apps.append(self.session.start(argv))

    def end_all(self) -> None:
        for app in self._apps:
            self.session.end(app)


@pytest.mark.trial("programs", is_long=True)
def test_a_text_is_written_and_saved_in_mousepad(client: DesktopClient, start_app: Starter, tmp_path: Path) -> None:
    start_app(["mousepad"])
    mousepad = Program(client, "org.xfce.mousepad")
    mousepad.types(TEXT, byRole="AXTextArea")
    mousepad.waits_for(byRole="AXTextArea", valueContains=TEXT)

    mousepad.presses("ctrl", "s")
    dialog = mousepad.window("^Save As")
    dialog.waits_for(byRole="AXButton", titleContains="Save")
    dialog.types(str(tmp_path / "written.txt"), clear=True)
    dialog.presses("enter")
    mousepad.window("written.txt").waits_for(byRole="AXTextArea", valueContains=TEXT)
    assert (tmp_path / "written.txt").read_text().strip() == TEXT


@pytest.mark.trial("programs", is_long=True)
def test_a_calculator_multiplies(client: DesktopClient, start_app: Starter) -> None:
    start_app(["gnome-calculator"])
    calculator = Program(client, "org.gnome.Calculator")
    for key in "7×6=":
        calculator.clicks(byRole="AXButton", titleContains=key)
    calculator.waits_for(byRole="AXTextArea", valueContains="42")


@pytest.mark.trial("programs", is_long=True)
def test_a_letter_is_written_in_bold_in_libreoffice(client: DesktopClient, start_app: Starter, tmp_path: Path) -> None:
    start_app(["soffice", "--writer", "--norestore", "--nologo"])
    writer = Program(client, "soffice")
    document = writer.window("LibreOffice Writer$")
    document.types(TEXT, document.waits_for(byRole="paragraph"))
    document.waits_for(byRole="paragraph", valueContains=TEXT)
    document.presses("ctrl", "a")
    document.clicks(byRole="AXCheckBox", titleContains="Bold")
    document.waits_for(byRole="AXCheckBox", titleContains="Bold", valueContains="1")

    letter = tmp_path / "letter.odt"
    document.presses("ctrl", "s")
    dialog = writer.window("^Save")
    dialog.waits_for(byRole="AXButton", titleContains="Save")
    dialog.types(str(letter), clear=True)
    dialog.presses("enter")
    writer.window("letter").waits_for(byRole="paragraph", valueContains=TEXT)
    content = zipfile.ZipFile(letter).read("content.xml").decode()
    assert TEXT in content
    assert 'fo:font-weight="bold"' in content


@pytest.mark.trial("programs", is_long=True)
def test_a_page_is_used_in_chromium(client: DesktopClient, start_app: Starter, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGE)
    profile = start_app.session.folder / "chromium"
    start_app(
        [
            "chromium",
            "--no-sandbox",
            "--no-first-run",
            "--force-renderer-accessibility",
            "--password-store=basic",  # a keyring that isn't set up would ask for a password in front of the page
            f"--user-data-dir={profile}",
            page.as_uri(),
        ]
    )
    chromium = Program(client, "chromium", "Counting page")
    button = chromium.waits_for(byRole="AXButton", titleContains="Press me")
    chromium.clicks(button)
    chromium.clicks(button)
    chromium.waits_for(titleContains="Pressed 2")
    chromium.types(TEXT, titleContains="Your name")
    chromium.waits_for(titleContains="Your name", valueContains=TEXT)


@pytest.mark.parametrize(("toolkit", "bundle_id"), first_of("toolkits", ("gtk4", "Unnamed"), ("qt6", "qt.py")))
def test_a_small_program_is_used(client: DesktopClient, start_app: Starter, toolkit: str, bundle_id: str) -> None:
    title = f"Small {toolkit}"
    start_app(command("gtk4" if toolkit == "gtk4" else "qt6", "--title", title))
    program = Program(client, bundle_id, title)
    program.clicks(byRole="AXButton", titleContains=texts.COUNT)
    program.waits_for(titleContains=texts.COUNTED.format(1))
    program.types(TEXT, titleContains=texts.NAME, byRole="AXTextField")
    program.waits_for(titleContains=texts.NAME, valueContains=TEXT)

    program.clicks(titleContains=texts.ADD_LATER)
    program.clicks(program.waits_for(byRole="AXButton", titleContains=texts.ADDED))
    program.waits_until_gone(byRole="AXButton", titleContains=texts.ADDED)

    answer, folder = program.observes()
    assert answer["routeResolved"]["windowTitle"] == title
    assert (folder / "observe.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((folder / "ax.json").read_text())["root"]["title"] == title
