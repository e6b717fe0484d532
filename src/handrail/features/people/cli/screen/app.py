"""The full-screen view of the prompt queue: the list, the page of the selected question, the keys."""

import os
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar

from rich.traceback import Traceback
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.events import DescendantFocus
from textual.widgets import Input, OptionList, TextArea

from handrail.features.people.cli.screen.answering import Answering
from handrail.features.people.cli.screen.board import Board, follow, watch_callers
from handrail.features.people.cli.screen.change_form import ChangeForm
from handrail.features.people.cli.screen.fields import Form
from handrail.features.people.cli.screen.key_line import HelpScreen, KeyLine, keys_for, typing_keys
from handrail.features.people.cli.screen.lines import TextBlock, own_line
from handrail.features.people.cli.screen.outcome import HistoryPage
from handrail.features.people.cli.screen.page import Pages, PromptPage
from handrail.features.people.cli.screen.prompt_list import PromptList
from handrail.features.people.cli.screen.texts import Texts
from handrail.features.people.cli.screen.theme import DARK, LIGHT, PLAIN, theme_of
from handrail.features.people.cli.screen.word import WordScreen
from handrail.ports.approval_card import Scope
from handrail.ports.errors import Failure
from handrail.ports.prompt_queue import PromptQueue

INTERRUPTED = 130  # as shells expect it after Ctrl-C


class PromptsApp(App[int]):
    """`by` is the person who answers here."""

    CSS_PATH = "styles.tcss"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = "#waiting"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - declared so by Textual
        (0, "-narrow"),
        (76, "-wide"),
        (120, "-wider"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "say_yes('once')", show=False),
        Binding("t", "say_yes('task')", show=False),
        Binding("r", "say_yes('rule')", show=False),
        Binding("R", "say_yes_to_app", show=False),
        Binding("n", "say_no", show=False),
        Binding("s", "show_password", show=False),
        Binding("ctrl+s", "send", show=False, priority=True),
        Binding("escape", "leave", show=False),
        Binding("a,h", "toggle_answered", show=False),
        Binding("d", "toggle_theme", show=False),
        Binding("question_mark,f1", "help", show=False),
        Binding("q", "quit", show=False),
        Binding("ctrl+c", "interrupt", show=False, priority=True),
    ]

    def __init__(
        self,
        queue: PromptQueue,
        by: str,
        texts: Texts,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(ansi_color=True if os.environ.get("NO_COLOR") else None)
        for theme in (DARK, LIGHT, PLAIN):
            self.register_theme(theme)
        self.theme = theme_of(os.environ, self.console.color_system).name
        self.board = Board()
        self._queue = queue
        self._texts = texts
        self._clock = clock
        self.shown_since = clock()
        self._answering = Answering(self, queue, by, texts, clock)
        self._is_history = False

    def compose(self) -> ComposeResult:
        yield TextBlock(id="head")
        with Container(id="body"):
            yield PromptList(self._texts, self._move_to, id="waiting")
            yield PromptList(self._texts, self._show_answered, id="answered")
            yield Pages(self._texts)
        yield TextBlock(id="status")
        yield KeyLine()

    def on_mount(self) -> None:
        self.say("")
        self._show_side()
        self.run_worker(follow(self._queue, self.board, self.changed, self._report_lost_queue))
        self.run_worker(watch_callers(self._queue, self.board, self.changed))

    @property
    def page(self) -> PromptPage | None:
        return self.query_one(Pages).shown(self.board.shown)

    def say(self, text: str, *, is_problem: bool = False) -> None:
        style = "problem" if is_problem else "note"
        self.query_one("#status", TextBlock).update(
            [own_line(line, style) for line in text.split("\n")] if text else []
        )

    def ask_for_word(self, page: PromptPage, response: Mapping[str, Any], go_on: Callable[[], Awaitable[None]]) -> None:
        """Asks the person to type a word, which only they can read, before an answer that reaches far."""

        async def typed(is_right: bool | None) -> None:
            if is_right:
                await go_on()
            else:
                self.say(self._texts.word_missing, is_problem=True)

        self.push_screen(WordScreen(page, response, self._texts), typed)

    def changed(self) -> None:
        self.call_next(self._show_all)

    async def _show_all(self) -> None:
        """Updates the screen from the board; the cursor stays in place."""
        board, histories = self.board, self.query(HistoryPage)
        if not histories:
            return  # the view is closing
        history = histories.first()
        if history.row is None and board.answered:
            history.show(board.answered[0])
        count = self._texts.answered if self._is_history else self._texts.waiting(len(board.waiting))
        self.query_one("#head", TextBlock).update([own_line(f" handrail · {count}", "title")])
        self.query_one("#waiting", PromptList).show(list(board), board.shown)
        self.query_one("#answered", PromptList).show(board.answered, history.row.id if history.row else None)
        if await self.query_one(Pages).show(board, is_history=self._is_history):
            self.shown_since = self._clock()
        if self.focused is None or not self.focused.focusable:
            self._focus_list()
        self._show_keys()

    def _move_to(self, request_id: str) -> None:
        """Called when the person moves in the list."""
        if request_id != self.board.shown:
            self.board.move_to(request_id)
            self.shown_since = self._clock()
            self.say("")
            self.changed()

    def _show_answered(self, request_id: str) -> None:
        row = next((row for row in self.board.answered if row.id == request_id), None)
        if row is not None:
            self.query_one(HistoryPage).show(row)

    def _show_side(self) -> None:
        self.query_one("#waiting").display = not self._is_history
        self.query_one("#answered").display = self._is_history
        self.changed()

    def _focus_list(self) -> None:
        self.query_one("#answered" if self._is_history else "#waiting").focus()

    def _report_lost_queue(self, failure: Failure) -> None:
        self.say(f"{self._texts.lost_queue}: {failure.message}", is_problem=True)

    @on(DescendantFocus)
    def _show_keys(self) -> None:
        names, line, focused = self._texts.keys, self.query_one(KeyLine), self.focused
        if isinstance(focused, Input | TextArea):
            is_in_remark = any(each.id == "remark" for each in focused.ancestors)
            line.show(typing_keys(self.page, self._texts, is_in_remark=is_in_remark), [("F1", names["help"])])
            return
        is_in_list = isinstance(focused, PromptList)
        keys = keys_for(self.page, self._texts, is_in_list=is_in_list, is_history=self._is_history)
        line.show(keys, [("?", names["help"]), ("q", names["quit"])])

    @on(OptionList.OptionSelected, "#waiting")
    def _question_opened(self) -> None:
        row = self.board.shown_row
        if row is not None and row.is_settled:
            self.board.move_on()
            self.shown_since = self._clock()
            self.changed()
        elif self.page is not None:
            self.page.enter()

    @on(Form.Filled)
    async def _form_filled(self) -> None:
        await self._answering.send()

    @on(PromptPage.Denied)
    async def _denied(self) -> None:
        await self._answering.deny()

    @on(PromptPage.RemarkDone)
    def _remark_done(self) -> None:
        self._focus_list()

    @on(Form.StatusText)
    def _show_status_text(self, event: Form.StatusText) -> None:
        self.say(event.text)

    async def action_say_yes(self, scope: Scope) -> None:
        await self._answering.say_yes(scope)

    async def action_say_yes_to_app(self) -> None:
        await self._answering.say_yes_to_app()

    async def action_say_no(self) -> None:
        await self._answering.say_no()

    async def action_show_password(self) -> None:
        page = self.page
        if page is None or not isinstance(page.form, ChangeForm) or not page.form.has_password or page.row.is_settled:
            return
        values = await self._queue.masked(page.row.id)
        page.form.show_password(values)
        self.say("" if values else self._texts.password_gone, is_problem=not values)

    async def action_send(self) -> None:
        await self._answering.send()

    def action_leave(self) -> None:
        if self.page is not None and self.page.is_denying:
            self.page.stop_denying()
        elif self._is_history and isinstance(self.focused, PromptList):
            self.action_toggle_answered()
        self._focus_list()

    def action_toggle_answered(self) -> None:
        self._is_history = not self._is_history
        self.shown_since = self._clock()
        self.say("")
        self._show_side()
        self.call_next(self._focus_list)

    def action_scroll_page(self, by: int) -> None:
        self._scroll(pages=by)

    def action_scroll_lines(self, by: int) -> None:
        self._scroll(lines=by)

    def _scroll(self, pages: int = 0, lines: int = 0) -> None:
        if self._is_history:
            self.query_one(HistoryPage).scroll_relative(y=pages * (self.size.height - 6) + lines, animate=False)
        elif self.page is not None:
            self.page.scroll_by(pages, lines)

    def action_toggle_theme(self) -> None:
        if self.theme != PLAIN.name:
            self.theme = (LIGHT if self.current_theme.dark else DARK).name

    def action_help(self) -> None:
        self.push_screen(HelpScreen(self._texts))

    def action_interrupt(self) -> None:
        self.exit(INTERRUPTED)

    def _fatal_error(self) -> None:
        """Omits local variables, which Textual would print: they may contain a secret."""
        self.panic(Traceback(show_locals=False))
