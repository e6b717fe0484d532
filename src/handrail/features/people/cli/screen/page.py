"""A question as a page: who asks, what it is about, the form, the remark. Keeps what was typed while not shown."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical, VerticalScroll
from textual.message import Message

from handrail.features.people.cli.screen.board import Board, Row
from handrail.features.people.cli.screen.change_form import ChangeForm
from handrail.features.people.cli.screen.fields import Field, Form
from handrail.features.people.cli.screen.forms import ChoiceForm, KvForm, RawForm, ResultForm
from handrail.features.people.cli.screen.lines import TextBlock, own_line
from handrail.features.people.cli.screen.outcome import HistoryPage, header_lines, outcome_lines
from handrail.features.people.cli.screen.task_form import TaskForm
from handrail.features.people.cli.screen.texts import Texts
from handrail.ports.prompts import FileChangePrompt, TaskConfirmPrompt


class Scroller(VerticalScroll):
    class Moved(Message):
        """More or fewer lines are out of sight than before."""

    def __init__(self) -> None:
        super().__init__(can_focus=False)

    @property
    def lines_below(self) -> int:
        return max(round(self.max_scroll_y - self.scroll_y), 0)

    def on_mount(self) -> None:
        for name in ("scroll_y", "virtual_size"):
            self.watch(self, name, self._post_moved, init=False)

    def on_resize(self) -> None:
        self._post_moved()

    def _post_moved(self) -> None:
        """Waits for the layout, because sizes are inconsistent before it."""
        self.call_after_refresh(self.post_message, self.Moved())


FORMS: dict[str, type[Form]] = {
    "kv": KvForm,
    "choice": ChoiceForm,
    "task_confirm": TaskForm,
    "file_change_confirm": ChangeForm,
    "result": ResultForm,
    "unreadable": RawForm,
}


class PromptPage(Vertical):
    class Denied(Message):
        """Enter in the remark of a denial."""

    class RemarkDone(Message):
        """Enter in any other remark, which sends nothing: it may be the reason for a yes or for a no."""

    def __init__(self, row: Row, texts: Texts) -> None:
        super().__init__(classes="page")
        self.row = row
        self._texts = texts
        self.form = FORMS[row.kind](row, texts)
        self.is_denying = False

    def compose(self) -> ComposeResult:
        yield TextBlock(classes="notice")
        with Scroller() as scroller:
            yield TextBlock(header_lines(self.row, self._texts))
            yield self.form
        yield TextBlock(classes="more")
        prompt = self.row.entry.prompt
        if isinstance(prompt, FileChangePrompt | TaskConfirmPrompt):
            yield Field(self._texts, (), prompt.default_remark or "", placeholder=self._texts.remark, id="remark")
        self._scroller = scroller

    def on_mount(self) -> None:
        self.refresh_row()

    def refresh_row(self) -> None:
        """Shows the question's outcome in place; a settled question takes no more keys."""
        row, texts = self.row, self._texts
        notice = self.query_one(".notice", TextBlock)
        if row.is_settled and not row.is_sending:
            head = texts.withdrawn if row.is_withdrawn else texts.yours if row.is_mine else texts.elsewhere
            lines = [own_line(head, "title"), *(outcome_lines(row, texts) if row.answer is not None else ())]
            notice.update([*lines, own_line(texts.go_on, "muted")])
            self.form.forget_secrets()
            self.form.disabled = True
            for remark in self.query("#remark"):
                remark.display = False
        else:
            key = "approval" if row.is_approval and row.caller == "gone" else row.caller
            notice.update([] if row.caller == "waiting" else [own_line(texts.callers[key], "note")])
            self.form.caller_changed()
        notice.set_class(row.is_settled, "-settled")

    @property
    def remark(self) -> str:
        return next((field.value for field in self.query("#remark").results(Field)), "")

    def scroll_by(self, pages: int = 0, lines: int = 0) -> None:
        step = pages * max(self._scroller.size.height - 1, 1) + lines
        self._scroller.scroll_relative(y=step, animate=False)

    def enter(self) -> None:
        """Moves into the form, or to the text if there is nothing to fill in."""
        if not self.form.enter():
            self._scroller.can_focus = True
            self._scroller.focus()

    def start_denying(self) -> None:
        self._deny(True)
        self.query_one("#remark", Field).start_typing()

    def stop_denying(self) -> None:
        self._deny(False)

    def _deny(self, is_denying: bool) -> None:
        self.is_denying = is_denying
        remark = self.query_one("#remark", Field)
        remark.relabel([own_line(self._texts.remark_of_no, "bad")] if is_denying else [])
        remark.set_class(is_denying, "-denying")

    @on(Field.Entered, "#remark")
    def _remark_entered(self, event: Field.Entered) -> None:
        event.stop()
        self.post_message(self.Denied() if self.is_denying else self.RemarkDone())

    @on(Scroller.Moved)
    def _show_lines_below(self, event: Scroller.Moved) -> None:
        event.stop()
        below = self._scroller.lines_below
        lines = [own_line(self._texts.more_below(below), "note")] if below else []
        self.query_one(".more", TextBlock).update(lines)


class Pages(Container):
    def __init__(self, texts: Texts) -> None:
        super().__init__()
        self._texts = texts
        self._pages: dict[str, PromptPage] = {}

    def compose(self) -> ComposeResult:
        yield TextBlock(id="empty")
        yield HistoryPage(self._texts)

    def shown(self, request_id: str | None) -> PromptPage | None:
        """The question's page, if it is on the screen."""
        page = self._pages.get(request_id or "")
        return page if page is not None and page.display else None

    async def show(self, board: Board, *, is_history: bool) -> bool:
        """Shows what the board says. Returns whether the person sees this page for the first time."""
        row = board.shown_row
        for request_id in [each for each in self._pages if each not in board]:
            await self._pages.pop(request_id).remove()
        is_new = row is not None and row.id not in self._pages
        if row is not None and is_new:
            page = PromptPage(row, self._texts)
            await self.mount(page)
            self._pages[row.id] = page  # only now, because nobody has seen it before
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
