"""What MkDocs needs to read docs/ as the repository's own view does; mkdocs.yml names it.

Knows nothing of what the pages say.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BESIDE_THE_DOCS = ("CHANGELOG.md", "CONTRIBUTING.md")
LINK_UP = re.compile(r"(?<!!)\[([^\]]+)\]\(((?:\.\./)+[^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`[^`]+`")
ITEM = re.compile(r"(?:[-*]|\d+\.) ")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for name in BESIDE_THE_DOCS:
        content = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Links out of docs/ lead nowhere on the site: they become what they name, once it is sure that it is there."""

    def named(link: re.Match[str]) -> str:
        place = ((DOCS / page.file.src_uri).parent / link[2]).resolve()
        if place.is_relative_to(DOCS):
            return link[0]
        if not place.exists():
            raise PluginError(f"{page.file.src_uri}: there is no {link[2]}")
        return f"`{link[1].strip('`')}`"

    return "\n".join(_table_row(line) for line in _wide_lists(LINK_UP.sub(named, markdown).split("\n")))


def _wide_lists(lines: list[str]) -> Iterator[str]:
    """What belongs to an item stands below its first letter, as CommonMark allows; Python-Markdown wants four blanks,
    and an empty line before the item that follows on one of several paragraphs."""
    blanks, before, is_loose, is_code = "", "", False, False
    for line in lines:
        is_code ^= line.startswith("```")
        if is_code:
            blanks = ""
        elif item := ITEM.match(line):
            if before and blanks and is_loose:
                yield ""
            blanks, is_loose = " " * item.end(), False
        elif line and not line.startswith(" "):
            blanks = ""
        is_loose = is_loose or not line
        before = line
        yield "    " + line.removeprefix(blanks) if blanks and line.startswith(blanks) else line


def _table_row(line: str) -> str:
    r"""In a cell's code the repository's view takes `\|` for a bar, Python-Markdown a plain one."""
    return CODE.sub(lambda code: code[0].replace(r"\|", "|"), line) if line.startswith("|") else line
