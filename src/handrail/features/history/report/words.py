"""Words as a page shows them: Markdown, with nothing in it that loads, leads away or acts."""

import re
from functools import cache
from html import escape

from markdown_it import MarkdownIt

from handrail.kernel.visible import visible

_LEFT_AS_TEXT = ("link", "image", "autolink", "reference", "html_inline", "html_block")

_BOX = re.compile(r"^([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[([ xX])\](?=\s)", re.MULTILINE)

_LONGEST = 20_000
"""Deep lists take their reader long: what is longer than anybody writes by hand is shown as it is."""


def as_markdown(text: str) -> str:
    if len(text) > _LONGEST:
        return f"<pre>{escape(visible(text), quote=False)}</pre>"
    boxes = _BOX.sub(lambda box: f"{box[1]}{'☐' if box[2] == ' ' else '☑'}", visible(text))
    return str(_reader().render(boxes))


@cache
def _reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable(_LEFT_AS_TEXT)
