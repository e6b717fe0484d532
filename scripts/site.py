"""Prepares docs/ for Zensical, which reads Markdown a little differently than the repository's own view.

`site.py FOLDER` writes the pages there; `site.py FOLDER --follow` also writes each page again when it changes.
"""

import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BESIDE_THE_DOCS = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
LINK_UP = re.compile(r"(?<!!)\[([^\]]+)\]\(((?:\.\./)+[^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`[^`]+`")
ITEM = re.compile(r"(?:[-*]|\d+\.) ")


def main(folder: Path, *, is_followed: bool) -> None:
    written: dict[Path, float] = {}
    while True:
        for file in (*DOCS.rglob("*"), *(ROOT / name for name in BESIDE_THE_DOCS)):
            if file.is_file() and written.get(file) != (changed := file.stat().st_mtime):
                written[file] = changed
                write(file, folder)
        if not is_followed:
            return
        time.sleep(0.5)


def write(file: Path, folder: Path) -> None:
    is_beside = file.parent == ROOT
    target = folder / (file.name if is_beside else file.relative_to(DOCS))
    target.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix != ".md":
        shutil.copyfile(file, target)
        return
    text = file.read_text(encoding="utf-8")
    target.write_text(prepared(text.replace("](docs/", "](") if is_beside else text, file), encoding="utf-8")


def prepared(markdown: str, file: Path) -> str:
    """Links out of docs/ have no target on the site, so they become plain names; the target must exist."""

    def named(link: re.Match[str]) -> str:
        place = (file.parent / link[2]).resolve()
        if place.is_relative_to(DOCS):
            return link[0]
        if not place.exists():
            raise SystemExit(f"{file.name}: {link[2]} doesn't exist")
        return f"`{link[1].strip('`')}`"

    return "\n".join(_table_row(line) for line in _wide_lists(LINK_UP.sub(named, markdown).split("\n")))


def _wide_lists(lines: list[str]) -> Iterator[str]:
    """CommonMark indents an item's text to its first letter. Python-Markdown wants four spaces, and an empty line
    before the item that follows one of several paragraphs."""
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
    r"""In a cell's code, the repository's view takes `\|` for a bar, Python-Markdown a plain one."""
    return CODE.sub(lambda code: code[0].replace(r"\|", "|"), line) if line.startswith("|") else line


if __name__ == "__main__":
    main(Path(sys.argv[1]), is_followed="--follow" in sys.argv)
