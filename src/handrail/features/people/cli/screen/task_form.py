"""`task_confirm`: a list of tasks to edit, add to, shorten and sort."""

from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from handrail.features.people.cli.screen.form import Form, Problems
from handrail.features.people.cli.screen.lines import own_line
from handrail.features.people.cli.screen.send_row import SendRow
from handrail.features.people.cli.screen.task_card import TaskCard
from handrail.features.people.cli.screen.text_block import TextBlock
from handrail.ports.prompts import PromptTask, TaskConfirmPrompt


class TaskForm(Form):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,e", "edit", show=False),
        Binding("plus,insert", "add", show=False),
        Binding("minus,delete", "remove", show=False),
        Binding("u", "bring_back", show=False),
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
        wanted = self.texts.problems["task_title"]
        return {f"tasks.{at}.title": wanted for at, card in enumerate(self._cards) if not card.draft.title.strip()}

    def show_problems(self, problems: Problems) -> None:
        for at, card in enumerate(self._cards):
            card.problem(next((text for name, text in problems.items() if name.startswith(f"tasks.{at}.")), ""))

    async def action_edit(self) -> None:
        if (card := self._focused) is not None:
            await card.open()

    async def action_close(self) -> None:
        """Esc leaves the card first, and the form after that."""
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
        self.post_message(self.Said(self.texts.removed))

    async def action_bring_back(self) -> None:
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
        """The card that has the cursor, or whose field has it."""
        focused = self.screen.focused
        chain = focused.ancestors_with_self if focused is not None else ()
        return next((widget for widget in chain if isinstance(widget, TaskCard)), None)
