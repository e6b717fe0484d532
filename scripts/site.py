"""Prepares docs/ for Zensical, whose Markdown differs slightly from the repository's view.

`site.py FOLDER` writes the pages there; with `--follow`, it rewrites each page that changes.
"""

import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
ROOT_PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
LINK_UP = re.compile(r"(?<!!)\[([^\]]+)\]\(((?:\.\./)+[^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`[^`]+`")
ITEM = re.compile(r"(?:[-*]|\d+\.) ")


def main(folder: Path, *, follow: bool) -> None:
    written: dict[Path, float] = {}
    while True:
        for file in (*DOCS.rglob("*"), *(ROOT / name for name in ROOT_PAGES)):
            if file.is_file() and written.get(file) != (changed := file.stat().st_mtime):
                written[file] = changed
                write(file, folder)
        if not follow:
            return
        time.sleep(0.5)


def write(file: Path, folder: Path) -> None:
    is_root_page = file.parent == ROOT
    target = folder / (file.name if is_root_page else file.relative_to(DOCS))
    target.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix != ".md":
        shutil.copyfile(file, target)
        return
    text = file.read_text(encoding="utf-8")
    target.write_text(prepare(text.replace("](docs/", "](") if is_root_page else text, file), encoding="utf-8")


def prepare(markdown: str, file: Path) -> str:
    """Links out of docs/ have no target on the site, so they become plain names; their targets must exist."""

    def plain_name(link: re.Match[str]) -> str:
        target = (file.parent / link[2]).resolve()
        if target.is_relative_to(DOCS):
            return link[0]
        if not target.exists():
            raise SystemExit(f"{file.name}: {link[2]} doesn't exist")
        return f"`{link[1].strip('`')}`"

    return "\n".join(_table_row(line) for line in _widen_lists(LINK_UP.sub(plain_name, markdown).split("\n")))


def _widen_lists(lines: list[str]) -> Iterator[str]:
    """CommonMark indents an item's text to its first letter. Python-Markdown wants four spaces, and an empty line
    before the item that follows one of several paragraphs."""
    indent, previous, is_loose, is_code = "", "", False, False
    for line in lines:
        is_code ^= line.startswith("```")
        if is_code:
            indent = ""
        elif item := ITEM.match(line):
            if previous and indent and is_loose:
                yield ""
            indent, is_loose = " " * item.end(), False
        elif line and not line.startswith(" "):
            indent = ""
        is_loose = is_loose or not line
        previous = line
        yield "    " + line.removeprefix(indent) if indent and line.startswith(indent) else line


def _table_row(line: str) -> str:
    r"""In code inside a table cell, the repository's view needs `\|` for a bar, Python-Markdown a plain one."""
    return CODE.sub(lambda code: code[0].replace(r"\|", "|"), line) if line.startswith("|") else line


if __name__ == "__main__":
    main(Path(sys.argv[1]), follow="--follow" in sys.argv)
