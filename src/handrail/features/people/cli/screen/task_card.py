"""One task of a list: a card to read, which opens into fields."""

from typing import TypeVar

import msgspec
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from handrail.features.people.cli.screen.fields import Field
from handrail.features.people.cli.screen.lines import Line, own_line
from handrail.features.people.cli.screen.text_block import TextBlock
from handrail.features.people.cli.screen.texts import Texts
from handrail.kernel.prompts.rules import PRIORITIES, TASK_STATUSES
from handrail.ports.prompts import Priority, PromptTask, TaskStatus

T = TypeVar("T")


class TaskCard(Vertical, can_focus=True):
    DEFAULT_CSS = """
    TaskCard { height: auto; margin-bottom: 1; }
    """

    class Closed(Message):
        """Enter in a field of the card: back to reading it."""

        def __init__(self, card: "TaskCard") -> None:
            super().__init__()
            self.card = card

    def __init__(self, task: PromptTask, texts: Texts, number: int) -> None:
        super().__init__()
        self._draft = task
        self._texts = texts
        self._number = number
        self._problem = ""
        self.is_open = False

    def compose(self) -> ComposeResult:
        yield TextBlock(classes="summary")
        if self.is_open:
            task, texts = self._draft, self._texts
            yield Field(texts, [own_line(texts.task_title, "muted")], task.title, id="title")
            yield Field(texts, [own_line(texts.details, "muted")], task.details, id="details", kind="multiline")
            yield Field(texts, [own_line(texts.tags, "muted")], ", ".join(task.tags), id="tags")

    def on_mount(self) -> None:
        self._show()

    @property
    def draft(self) -> PromptTask:
        """With what is being typed right now."""
        if not self.is_open or not self.query(Field):
            return self._draft
        title, details, tags = (self.query_one(f"#{name}", Field).value for name in ("title", "details", "tags"))
        named = tuple(tag for tag in (tag.strip() for tag in tags.replace("，", ",").split(",")) if tag)
        # Tags that nobody touched stay as they are, a comma in one of them included.
        kept = self._draft.tags if tags == ", ".join(self._draft.tags) else named
        return msgspec.structs.replace(self._draft, title=title, details=details, tags=kept)

    async def open(self) -> None:
        if not self.is_open:
            self.is_open = True
            await self.recompose()
            self._show()
        self.query_one("#title", Field).start_typing()

    async def close(self) -> None:
        if self.is_open:
            self._draft = self.draft
            self.is_open = False
            self.focus()
            await self.recompose()
            self._show()

    def renumber(self, number: int) -> None:
        self._number = number
        self._show()

    def problem(self, text: str) -> None:
        self._problem = text
        self._show()

    def cycle_priority(self) -> None:
        priority: Priority = _next(PRIORITIES, self._draft.priority)
        self._draft = msgspec.structs.replace(self._draft, priority=priority)
        self._show()

    def cycle_status(self) -> None:
        status: TaskStatus = _next(TASK_STATUSES, self._draft.status)
        self._draft = msgspec.structs.replace(self._draft, status=status)
        self._show()

    def on_click(self, event: events.Click) -> None:
        self.focus()

    def on_field_entered(self, event: Field.Entered) -> None:
        event.stop()
        self.post_message(self.Closed(self))

    def _show(self) -> None:
        task, texts, number = self._draft, self._texts, f"{self._number:>2} "
        facts = [texts.priorities[task.priority], texts.statuses[task.status], *(f"#{tag}" for tag in task.tags)]
        head = texts.task(self._number) if self.is_open else task.title
        lines = [Line(head or "—", "title", number, "   "), Line(" · ".join(facts), "muted", "   ", "   ")]
        if not self.is_open and task.details:
            lines += [Line(line, "", "   │ ", "   ┆ ") for line in task.details.split("\n")]
        if self._problem:
            lines.append(own_line(f"   {self._problem}", "problem"))
        for summary in self.query(".summary").results(TextBlock):
            summary.update(lines)


def _next(values: tuple[T, ...], value: T) -> T:
    return values[(values.index(value) + 1) % len(values)]
