"""One question as a page: who asks, what it is about, the form, the remark. It stays as typed while others are read."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from handrail.features.people.cli.screen.board import Row
from handrail.features.people.cli.screen.change_form import ChangeForm
from handrail.features.people.cli.screen.choice_form import ChoiceForm
from handrail.features.people.cli.screen.fields import Field
from handrail.features.people.cli.screen.form import Form
from handrail.features.people.cli.screen.kv_form import KvForm
from handrail.features.people.cli.screen.lines import own_line
from handrail.features.people.cli.screen.outcome import header_lines, outcome_lines
from handrail.features.people.cli.screen.result_form import ResultForm
from handrail.features.people.cli.screen.scroller import Scroller
from handrail.features.people.cli.screen.task_form import TaskForm
from handrail.features.people.cli.screen.text_block import TextBlock
from handrail.features.people.cli.screen.texts import Texts
from handrail.ports.prompts import FileChangePrompt, TaskConfirmPrompt

FORMS: dict[str, type[Form]] = {
    "kv": KvForm,
    "choice": ChoiceForm,
    "task_confirm": TaskForm,
    "file_change_confirm": ChangeForm,
    "result": ResultForm,
}


class PromptPage(Vertical):
    class Denied(Message):
        """Enter in the remark of a no."""

    class RemarkDone(Message):
        """Enter in the remark otherwise: it may be the reason for a yes or for a no, so it sends nothing."""

    def __init__(self, row: Row, texts: Texts) -> None:
        super().__init__(classes="page")
        self.row = row
        self._texts = texts
        self.form = FORMS[row.kind](row, texts)
        self.is_denying = False

    def compose(self) -> ComposeResult:
        yield TextBlock(classes="notice")
        with Scroller() as scroller:
            yield TextBlock(header_lines(self.row.entry, self.row.kind, self.row.title, self._texts))
            yield self.form
        yield TextBlock(classes="more")
        prompt = self.row.entry.prompt
        if isinstance(prompt, FileChangePrompt | TaskConfirmPrompt):
            yield Field(self._texts, (), prompt.default_remark or "", placeholder=self._texts.remark, id="remark")
        self._scroller = scroller

    def on_mount(self) -> None:
        self.refresh_row()

    def refresh_row(self) -> None:
        """What became of the question is told in its place; a settled one takes no more keys."""
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
            gone = texts.caller_gone if row.is_approval else texts.nobody_waits
            notice.update([own_line(gone, "note")] if row.is_caller_gone else [])
        notice.set_class(row.is_settled, "-settled")

    @property
    def remark(self) -> str:
        return next((field.value for field in self.query("#remark").results(Field)), "")

    def scroll_by(self, pages: int = 0, lines: int = 0) -> None:
        step = pages * max(self._scroller.size.height - 1, 1) + lines
        self._scroller.scroll_relative(y=step, animate=False)

    def enter(self) -> None:
        """Into the form; where there is nothing to fill in, onto what there is to read."""
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
    def _tell_more(self, event: Scroller.Moved) -> None:
        event.stop()
        below = self._scroller.lines_below
        lines = [own_line(self._texts.more_below(below), "note")] if below else []
        self.query_one(".more", TextBlock).update(lines)
