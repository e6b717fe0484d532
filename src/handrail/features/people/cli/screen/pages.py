"""The right side of the screen: a page for each question that was looked at, of which one is shown."""

from textual.app import ComposeResult
from textual.containers import Container

from handrail.features.people.cli.screen.board import Board
from handrail.features.people.cli.screen.history_page import HistoryPage
from handrail.features.people.cli.screen.lines import own_line
from handrail.features.people.cli.screen.page import PromptPage
from handrail.features.people.cli.screen.text_block import TextBlock
from handrail.features.people.cli.screen.texts import Texts


class Pages(Container):
    def __init__(self, texts: Texts) -> None:
        super().__init__()
        self._texts = texts
        self._pages: dict[str, PromptPage] = {}

    def compose(self) -> ComposeResult:
        yield TextBlock(id="empty")
        yield HistoryPage(self._texts)

    def shown(self, request_id: str | None) -> PromptPage | None:
        """Its page, if that is what the person sees."""
        page = self._pages.get(request_id or "")
        return page if page is not None and page.display else None

    async def show(self, board: Board, *, is_history: bool) -> bool:
        """As the board says; whether a page was made for it, which the person then sees for the first time."""
        row = board.shown_row
        for request_id in [each for each in self._pages if each not in board]:
            await self._pages.pop(request_id).remove()
        is_new = row is not None and row.id not in self._pages
        if row is not None and is_new:
            self._pages[row.id] = PromptPage(row, self._texts)
            await self.mount(self._pages[row.id])
        for page in self._pages.values():
            page.display = page.row is row and not is_history
            page.refresh_row()
        self._show_rest(is_history, has_page=bool(board.answered) if is_history else row is not None)
        return is_new

    def _show_rest(self, is_history: bool, *, has_page: bool) -> None:
        texts = self._texts
        empty = [texts.none_answered] if is_history else [texts.nothing_waiting, texts.nothing_waiting_hint]
        self.query_one("#empty", TextBlock).update([] if has_page else [own_line(line, "muted") for line in empty])
        self.query_one(HistoryPage).display = is_history and has_page
