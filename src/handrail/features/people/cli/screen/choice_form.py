"""`choice`: one of several, or some of several within limits."""

from collections.abc import Sequence
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from handrail.features.people.cli.screen.form import Form, Problems
from handrail.features.people.cli.screen.lines import Line, own_line
from handrail.features.people.cli.screen.send_row import SendRow
from handrail.features.people.cli.screen.text_block import TextBlock
from handrail.ports.prompts import ChoiceOption, ChoicePrompt


class OptionRow(TextBlock, can_focus=True):
    def __init__(self, option: ChoiceOption, is_multiple: bool) -> None:
        super().__init__()
        self.option = option
        self._marks = ("[x] ", "[ ] ") if is_multiple else ("(•) ", "( ) ")

    def mark(self, is_picked: bool) -> None:
        name, description = self.option.label or self.option.value, self.option.description or ""
        lines = [*name.split("\n"), *(description.split("\n") if description else ())]
        first = Line(lines[0], "", self._marks[not is_picked], "  ┆ ", "good" if is_picked else "gutter")
        self.update([first, *(Line(line, "muted", "  │ ", "  ┆ ") for line in lines[1:])])
        self.set_class(is_picked, "-picked")


class ChoiceForm(Form):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,x", "pick", show=False),
        Binding("enter", "enter", show=False),
    ]
    keys: ClassVar[Sequence[tuple[str, str]]] = (("Space", "pick"), ("Enter", "send"))

    def compose(self) -> ComposeResult:
        prompt = self._prompt
        default = () if not prompt.default else (prompt.default,) if isinstance(prompt.default, str) else prompt.default
        self._picked = set(default)
        yield TextBlock(classes="limits")
        for option in prompt.options:
            yield OptionRow(option, prompt.multiple)
        yield TextBlock(classes="problem")
        yield SendRow(self.texts.send)

    def on_mount(self) -> None:
        self.show_problems({})
        self._show()

    def answer(self) -> dict[str, Any]:
        chosen = [option.value for option in self._prompt.options if option.value in self._picked]
        return {"status": "ok", "selection": chosen if self._prompt.multiple else "".join(chosen)}

    def problems(self) -> Problems:
        least, most = self._limits
        if least <= len(self._picked) <= most:
            return {}
        name = "selection" if not self._prompt.multiple else "too_few" if len(self._picked) < least else "too_many"
        return {"selection": self.texts.problems[name]}

    def show_problems(self, problems: Problems) -> None:
        lines = [own_line(text, "problem") for field, text in problems.items() if field.startswith("selection")]
        self.query_one(".problem", TextBlock).update(lines)

    def enter(self) -> bool:
        rows = list(self.query(OptionRow))
        next((row for row in rows if row.option.value in self._picked), rows[0]).focus()
        return True

    def action_pick(self) -> None:
        if isinstance(row := self.screen.focused, OptionRow):
            value = row.option.value
            if self._prompt.multiple:
                self._picked ^= {value}
            else:
                self._picked = {value}
            self.show_problems({})
            self._show()

    def action_enter(self) -> None:
        """The first Enter on another option only picks it: what is sent was seen marked before."""
        row = self.screen.focused
        if not self._prompt.multiple and isinstance(row, OptionRow) and row.option.value not in self._picked:
            self.action_pick()
            self.post_message(self.Said(f"Enter: {self.texts.keys['send']}"))
        else:
            self.post_message(self.Filled())

    def on_click(self, event: events.Click) -> None:
        if isinstance(event.widget, OptionRow):
            event.widget.focus()
            self.call_after_refresh(self.action_pick)

    def _show(self) -> None:
        for row in self.query(OptionRow):
            row.mark(row.option.value in self._picked)
        limits = self.texts.pick_one
        if self._prompt.multiple:
            limits = f"{self.texts.pick_between(*self._limits)} · {self.texts.picked(len(self._picked))}"
        self.query_one(".limits", TextBlock).update([own_line(limits, "muted")])

    @property
    def _limits(self) -> tuple[int, int]:
        prompt = self._prompt
        if not prompt.multiple:
            return 1, 1
        return prompt.min_selections or 0, prompt.max_selections or len(prompt.options)

    @property
    def _prompt(self) -> ChoicePrompt:
        assert isinstance(self.row.entry.prompt, ChoicePrompt)
        return self.row.entry.prompt
