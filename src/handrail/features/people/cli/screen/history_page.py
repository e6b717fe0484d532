"""An answered question: what was asked, and who said what to it, and when."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll

from handrail.features.people.cli.screen.board import Row
from handrail.features.people.cli.screen.change_form import change_lines
from handrail.features.people.cli.screen.lines import Line, own_line, text_lines
from handrail.features.people.cli.screen.outcome import header_lines, outcome_lines
from handrail.features.people.cli.screen.text_block import TextBlock
from handrail.features.people.cli.screen.texts import Texts
from handrail.ports.prompts import FileChangePrompt, ResultPrompt


class HistoryPage(VerticalScroll):
    def __init__(self, texts: Texts) -> None:
        super().__init__(classes="page")
        self._texts = texts
        self.row: Row | None = None

    def compose(self) -> ComposeResult:
        yield TextBlock()

    def show(self, row: Row) -> None:
        self.row = row
        self.query_one(TextBlock).update(self._lines(row))
        self.scroll_home(animate=False)

    def _lines(self, row: Row) -> list[Line]:
        prompt = row.entry.prompt
        lines = [*outcome_lines(row, self._texts), own_line("")]
        lines += header_lines(row.entry, row.kind, row.title, self._texts)
        if isinstance(prompt, FileChangePrompt):
            lines += change_lines(prompt, self._texts)
        elif isinstance(prompt, ResultPrompt):
            lines += text_lines(prompt.markdown or "")
        return lines
