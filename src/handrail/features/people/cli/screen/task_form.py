"""`task_confirm`: a list of tasks to edit, add to, remove from and sort."""

from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

import msgspec
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from handrail.features.people.cli.screen.fields import Field, Form, Problems, SendRow
from handrail.features.people.cli.screen.lines import Line, TextBlock, own_line
from handrail.features.people.cli.screen.texts import Texts
from handrail.kernel.prompts.rules import PRIORITIES, TASK_STATUSES
from handrail.ports.prompts import Priority, PromptTask, TaskConfirmPrompt, TaskStatus

T = TypeVar("T")


class TaskCard(Vertical, can_focus=True):
    DEFAULT_CSS = """
    TaskCard { height: auto; margin-bottom: 1; }
    """

    class Closed(Message):
        """Enter was pressed in a field of the card, which ends editing."""

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
        """The task, including what is being typed right now."""
        if not self.is_open or not self.query(Field):
            return self._draft
        title, details, tags = (self.query_one(f"#{name}", Field).value for name in ("title", "details", "tags"))
        typed_tags = tuple(tag for tag in (tag.strip() for tag in tags.replace("，", ",").split(",")) if tag)
        # Unchanged tags stay as they are, even with a comma in one of them.
        new_tags = self._draft.tags if tags == ", ".join(self._draft.tags) else typed_tags
        return msgspec.structs.replace(self._draft, title=title, details=details, tags=new_tags)

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


class TaskForm(Form):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,e", "edit", show=False),
        Binding("plus,insert", "add", show=False),
        Binding("minus,delete", "remove", show=False),
        Binding("u", "restore", show=False),
        Binding("alt+up,K", "move(-1)", show=False),
        Binding("alt+down,J", "move(1)", show=False),
        Binding("p", "cycle('priority')", show=False),
        Binding("s", "cycle('status')", show=False),
        Binding("escape", "close", show=False),
    ]
    has_remark: ClassVar[bool] = True
    keys: ClassVar[Sequence[tuple[str, str]]] = (
        ("y", "confirm"),
        ("Enter", "edit"),
        ("+", "add"),
        ("-", "remove"),
        ("Alt ↑↓", "move"),
    )

    def compose(self) -> ComposeResult:
        assert isinstance(self.row.entry.prompt, TaskConfirmPrompt)
        self._removed: list[tuple[int, PromptTask]] = []
        for number, task in enumerate(self.row.entry.prompt.tasks, 1):
            yield TaskCard(task, self.texts, number)
        yield TextBlock(classes="none")
        yield SendRow()

    def on_mount(self) -> None:
        self._recount()

    def answer(self) -> dict[str, Any]:
        return {"status": "ok", "tasks": [msgspec.to_builtins(card.draft) for card in self._cards]}

    def problems(self) -> Problems:
        problem = self.texts.problems["task_title"]
        return {f"tasks.{at}.title": problem for at, card in enumerate(self._cards) if not card.draft.title.strip()}

    def show_problems(self, problems: Problems) -> None:
        for at, card in enumerate(self._cards):
            card.problem(next((text for name, text in problems.items() if name.startswith(f"tasks.{at}.")), ""))

    async def action_edit(self) -> None:
        if (card := self._focused) is not None:
            await card.open()

    async def action_close(self) -> None:
        """Esc leaves the card first, then the form."""
        if (card := self._focused) is not None and card.is_open:
            await card.close()
        else:
            await self.run_action("app.leave")

    async def action_add(self) -> None:
        at = self._cards.index(self._focused) + 1 if self._focused is not None else len(self._cards)
        card = await self._insert(at, PromptTask())
        await card.open()

    async def action_remove(self) -> None:
        if (card := self._focused) is None:
            return
        at = self._cards.index(card)
        self._removed.append((at, card.draft))
        await card.remove()
        self._recount()
        rest = self._cards
        (rest[min(at, len(rest) - 1)] if rest else self.query_one(SendRow)).focus()
        self.post_message(self.StatusText(self.texts.removed))

    async def action_restore(self) -> None:
        if self._removed:
            at, task = self._removed.pop()
            (await self._insert(min(at, len(self._cards)), task)).focus()

    def action_move(self, by: int) -> None:
        cards = self._cards
        if (card := self._focused) is None or not 0 <= (to := cards.index(card) + by) < len(cards):
            return
        if by > 0:
            self.move_child(card, after=cards[to])
        else:
            self.move_child(card, before=cards[to])
        self._recount()
        self.call_after_refresh(card.scroll_visible)

    def action_cycle(self, what: str) -> None:
        if (card := self._focused) is not None:
            (card.cycle_priority if what == "priority" else card.cycle_status)()

    async def on_task_card_closed(self, event: TaskCard.Closed) -> None:
        event.stop()
        await event.card.close()

    async def _insert(self, at: int, task: PromptTask) -> TaskCard:
        card, cards = TaskCard(task, self.texts, at + 1), self._cards
        await self.mount(card, before=cards[at] if at < len(cards) else self.query_one(".none"))
        self._recount()
        return card

    def _recount(self) -> None:
        for number, card in enumerate(self._cards, 1):
            card.renumber(number)
        self.query_one(".none", TextBlock).update([] if self._cards else [own_line(self.texts.no_tasks, "muted")])
        self.query_one(SendRow).label(self.texts.confirm_tasks(len(self._cards)))

    @property
    def _cards(self) -> list[TaskCard]:
        return list(self.query(TaskCard))

    @property
    def _focused(self) -> TaskCard | None:
        """The card that has the focus, or whose field has it."""
        focused = self.screen.focused
        chain = focused.ancestors_with_self if focused is not None else ()
        return next((widget for widget in chain if isinstance(widget, TaskCard)), None)
