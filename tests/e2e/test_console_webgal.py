"""The console's WebGAL page in a real browser, over the example game: problems, fixes, graph, files, preview."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.console_person import Browser, Person, up
from tests.effort import first_of
from tests.faces.http.running import ROOT, Running

GAME = ROOT / "examples" / "webgal-demo" / "game"
HARBOUR = "game/scene/harbour.txt"
CHOSEN = ".source-line.sev-resource[aria-selected=true]"
TYPO, MEANT = "changeBg:harbor.png", "changeBg:harbour.png"


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("novel")
    (folder / "project").mkdir()
    with up(folder / "project", folder / "state") as rig:
        yield rig


@pytest.fixture
def game(rig: Running) -> Path:
    """Restores the example, whatever the last test changed."""
    folder = rig.project / "game"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(GAME, folder)
    return folder


@pytest.fixture
def author(browser: Browser, rig: Running, game: Path) -> Iterator[Person]:
    author = browser.person_at(rig)
    author.does("go", "webgal")
    author.does("wait", ".source-line")
    yield author
    author.leaves()


def open_page(author: Person, scene: str) -> None:
    author.does("press", scene)
    author.does("wait", f'.source-area[aria-label*="{scene}"]')


def turned_to(author: Person, tab: str) -> None:
    author.does("clickIn", f"#tab-{tab}", 0.5, 0.5)


def test_a_marked_line_shows_its_problem_and_its_fix_can_be_previewed_applied_and_undone(author: Person) -> None:
    scene = author.rig.project / HARBOUR
    before = scene.read_text()
    open_page(author, "harbour.txt")
    author.does("hover", ".source-line.sev-resource", "harbor.png")
    author.does("see", "no such file: game/background/harbor.png", ".source-card")
    author.does("see", "WG201", ".source-card")
    author.does("press", "Fix… no such file")
    author.does("see", MEANT, ".mend .diff")
    assert scene.read_text() == before
    author.does("press", "Write")
    author.does("see", f"{HARBOUR} was written.", ".written")
    assert scene.read_text() == before.replace(TYPO, MEANT)
    author.does("wait", f".source-line:not(.sev-resource):has-text('{MEANT}')")
    author.does("press", "Undo")
    author.does("wait", f".source-line.sev-resource:has-text('{TYPO}')")
    assert scene.read_text() == before


@pytest.mark.trial("console", is_long=True)
def test_a_file_that_changes_while_its_fix_is_shown_is_not_overwritten(author: Person) -> None:
    scene = author.rig.project / HARBOUR
    open_page(author, "harbour.txt")
    author.does("tabTo", ".source-area")
    author.does("key", "F8")
    author.does("wait", CHOSEN)
    author.does("key", "Enter")
    author.does("see", MEANT, ".mend .diff")
    mine = scene.read_text() + "小满:我也改了这里;\n"
    scene.write_text(mine)
    author.does("press", "Write")
    author.does("see", "Nothing was written.", ".mend")
    assert scene.read_text() == mine
    author.does("press", "Refresh")
    author.does("see", MEANT, ".mend .diff")
    author.does("key", "Escape")
    author.does("see", "我也改了这里", ".source-area")


@pytest.mark.trial("console", is_long=True)
def test_changes_on_disk_and_removed_or_new_games_appear_without_a_reload(author: Person) -> None:
    turned_to(author, "problems")
    author.does("see", "no such file: game/background/harbor.png", ".problem-rows")
    game = author.rig.project / "game"
    (game / "background" / "spare.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    author.does("see", "game/background/spare.svg", ".problem-rows")
    author.does("press", "style ")
    author.does("wait", ".problem-rows:not(:has(.sev-syntax, .sev-resource)):has-text('spare.svg')")
    game.rename(game.with_name("elsewhere"))
    author.does("see", "No WebGAL game in this project")
    assert author.does("audit") == []
    game.with_name("elsewhere").rename(game)
    author.does("see", "晚风邮局", ".page-head")


@pytest.mark.trial("console", is_long=True)
def test_the_graph_opens_scenes_and_files_have_thumbnails(author: Person) -> None:
    turned_to(author, "graph")
    author.does("clickIn", ".node[aria-label^='lighthouse.txt']", 0.5, 0.5)
    author.does("wait", '.source-area[aria-label*="lighthouse.txt"]')
    turned_to(author, "resources")
    author.does("see", "game/background/harbor.png", ".missing")
    assert author.does("size", ".asset:has-text('dawn.png') img")[0] > 100
    author.does("press", "Play night.wav")
    author.does("wait", "button.play[aria-pressed=true]")
    author.does("press", "harbour.txt:")
    author.does("wait", CHOSEN)


@pytest.mark.trial("browsers", is_long=True)
def test_the_preview_follows_the_line(author: Person) -> None:
    open_page(author, "letters.txt")
    author.does("press", "Preview")
    for text in ("今晚只剩一封", "信封果然是温"):
        author.does("clickIn", f".source-line:has-text('{text}')", 0.1, 0.5)
        author.does("hear", text)


@pytest.mark.parametrize(
    ("locale", "scheme", "width"),
    first_of("access", ("en-US", "light", 1280), ("zh-CN", "dark", 1280), ("en-US", "dark", 360), suite=0),
)
def test_the_page_is_for_everybody_in_both_languages_and_schemes(
    browser: Browser, rig: Running, game: Path, locale: str, scheme: str, width: int
) -> None:
    author = browser.person_at(rig, locale=locale, colorScheme=scheme, width=width, height=740)
    author.does("go", "webgal")
    open_page(author, "harbour.txt")
    author.does("wait", ".source-line.sev-syntax")
    assert author.does("audit") == []
    for tab, there in (("graph", ".node"), ("resources", ".asset"), ("problems", ".problem-row")):
        turned_to(author, tab)
        author.does("wait", there)
        assert author.does("audit") == []
    author.does("clickIn", ".problem-row .plain", 0.5, 0.5)
    author.does("wait", ".mend .diff")
    assert author.does("audit") == []
    author.leaves()
