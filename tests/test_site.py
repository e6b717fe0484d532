"""The docs site builds without a warning, and every link in it and in the repository has a target."""

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from pymdownx.slugs import slugify

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(
    page
    for folder in ("docs", "examples", "web/extension")
    for page in (ROOT / folder).rglob("*.md")
    if "node_modules" not in page.parts
) + sorted(ROOT.glob("*.md"))
FENCE = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


class Document(HTMLParser):
    """A page's anchors, its links, and what it loads."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.names.add(value)
            elif name in ("href", "src", "srcset") and value:
                (self.links if tag == "a" else self.loaded).append(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Document]:
    folder = tmp_path_factory.mktemp("site")
    config = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    for name in ("docs", "site"):
        config = config.replace(f'"build/{name}"', f'"{name}"')
    (folder / "zensical.toml").write_text(config, encoding="utf-8")
    zensical = str(Path(sys.executable).with_name("zensical"))
    prepare = [sys.executable, str(ROOT / "scripts" / "site.py"), "docs"]
    for words in (prepare, [zensical, "build", "--clean", "--strict"]):
        build = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=100)
        assert build.returncode == 0, build.stdout + build.stderr
    folder /= "site"
    return {file: Document(file) for file in folder.rglob("*.html") if file.name != "404.html"}


def test_every_link_of_the_site_has_an_existing_target(site: dict[Path, Document]) -> None:
    broken = [
        f"{file.name}: {link}"
        for file, document in site.items()
        for link in document.links + document.loaded
        if not urlsplit(link).scheme and not _is_there(site, file, link)
    ]
    assert broken == []


def test_pages_of_the_site_lead_to_each_other_as_they_do_in_the_repository(site: dict[Path, Document]) -> None:
    folder = next(file.parent for file in site if file.name == "index.html")
    for page in DOCS.rglob("*.md"):
        links = site[folder / page.relative_to(DOCS).with_suffix(".html")].links
        for link in _links(page):
            if re.search(r"\.md(#|$)", link) and (page.parent / urldefrag(link).url).resolve().is_relative_to(DOCS):
                assert link.replace(".md", ".html") in links, f"{page.name}: {link}"


def test_no_page_of_the_site_loads_anything_from_elsewhere(site: dict[Path, Document]) -> None:
    foreign = {link for document in site.values() for link in document.loaded if urlsplit(link).netloc}
    assert foreign == set()


def test_no_list_or_table_of_the_repositorys_view_is_plain_text_in_the_site(
    site: dict[Path, Document],
) -> None:
    for file in site:
        text = re.sub(r"<(pre|code)\b.*?</\1>", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(r"^\s*(- \S|\|.*\|$)|```", text, re.MULTILINE), file.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_of_a_page_leads_somewhere_in_the_repository(page: Path) -> None:
    for link in _links(page):
        path, anchor = urldefrag(link)
        target = (page.parent / unquote(path)).resolve() if path else page
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        assert not anchor or unquote(anchor) in _anchors(target), link


def _is_there(site: dict[Path, Document], file: Path, link: str) -> bool:
    path, anchor = urldefrag(link)
    target = (file.parent / unquote(path)).resolve() if path else file
    target = target / "index.html" if target.is_dir() else target
    return target.is_file() and (not anchor or target not in site or unquote(anchor) in site[target].names)


def _links(page: Path) -> Iterator[str]:
    for match in LINK.finditer(FENCE.sub("", page.read_text(encoding="utf-8"))):
        link = match[1] or match[2]
        if not urlsplit(link).scheme:
            yield link


def _anchors(page: Path) -> set[str]:
    """As the repository's own view makes them from headings."""
    slug = slugify(case="lower")
    return {slug(heading, "-") for heading in HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8")))}
