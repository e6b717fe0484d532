"""`result`: something to take note of, written in Markdown."""

from collections.abc import Sequence
from typing import ClassVar

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from textual.app import ComposeResult
from textual.widgets import Markdown

from handrail.features.people.cli.screen.form import Form
from handrail.features.people.cli.screen.lines import text_lines
from handrail.features.people.cli.screen.text_block import TextBlock
from handrail.kernel.visible import visible
from handrail.ports.prompts import ResultPrompt

_LONGEST_SET = 50_000  # beyond that it is shown as it was written


class ResultForm(Form):
    keys: ClassVar[Sequence[tuple[str, str]]] = (("y", "understood"),)

    def compose(self) -> ComposeResult:
        assert isinstance(self.row.entry.prompt, ResultPrompt)
        text = visible(self.row.entry.prompt.markdown or "")
        if len(text) > _LONGEST_SET:
            yield TextBlock(text_lines(text))
        else:
            yield Markdown(text, parser_factory=_parser, open_links=False)


def _parser() -> MarkdownIt:
    """Nothing is hidden: HTML and entities stay text, and a link shows where it leads."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("entity")
    parser.core.ruler.push("show_targets", _show_targets)
    return parser


def _show_targets(state: StateCore) -> None:
    for token in state.tokens:
        if token.children:
            token.children = _with_targets(token.children)


def _with_targets(children: list[Token]) -> list[Token]:
    shown: list[Token] = []
    targets: list[str] = []
    for child in children:
        shown.append(child)
        if child.type == "link_open":
            targets.append(str(child.attrGet("href") or ""))
        elif child.type == "link_close":
            shown.append(_text(targets.pop()))
        elif child.type == "image":
            shown.append(_text(str(child.attrGet("src") or "")))
    return shown


def _text(target: str) -> Token:
    return Token("text", "", 0, content=f" ({visible(target)})")
