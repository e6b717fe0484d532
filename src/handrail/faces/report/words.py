"""Words as a page shows them: Markdown, with nothing in it that loads, leads away or acts."""

import re
from functools import cache

from markdown_it import MarkdownIt

from handrail.core.visible import visible

_LEFT_AS_TEXT = ("link", "image", "autolink", "reference", "html_inline", "html_block")


_BOX = re.compile(r"^([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[([ xX])\](?=\s)", re.MULTILINE)


def as_markdown(text: str) -> str:
    boxes = _BOX.sub(lambda box: f"{box[1]}{'☐' if box[2] == ' ' else '☑'}", visible(text))
    return str(_reader().render(boxes))


@cache
def _reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable(_LEFT_AS_TEXT)
