"""The input widgets of a question: fields to type in, the row that sends, and the form around them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from rich.highlighter import Highlighter
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, TextArea

from handrail.features.people.cli.screen.board import Row
from handrail.features.people.cli.screen.lines import Line, TextBlock, own_line, text_lines
from handrail.features.people.cli.screen.texts import Texts
from handrail.kernel.visible import visible

FieldKind = Literal["text", "multiline", "secret"]

_SUSPECT = re.compile(r"[^\x20-\x7e]")
_STAND_IN = "�"
_MARK = "reverse"


class Field(Vertical):
    DEFAULT_CSS = """
    Field { height: auto; margin-bottom: 1; }
    """

    class Entered(Message):
        """Enter was pressed in a single-line field."""

        def __init__(self, field: "Field") -> None:
            super().__init__()
            self.field = field

        @property
        def control(self) -> "Field":
            return self.field

    def __init__(
        self,
        texts: Texts,
        head: Sequence[Line],
        value: str = "",
        *,
        kind: FieldKind = "text",
        placeholder: str = "",
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._texts = texts
        self._head = head
        hint = visible(placeholder).replace("\n", " ")
        self._input: Input | TextArea
        if kind == "multiline":
            self._input = PlainArea(value, placeholder=Content(hint), compact=True)
        else:
            self._input = PlainInput(
                value,
                hint,
                password=kind == "secret",
                highlighter=HiddenHighlighter(),
                select_on_focus=False,
                compact=True,
            )
        self._is_secret = kind == "secret"

    def compose(self) -> ComposeResult:
        yield TextBlock(classes="head")
        yield self._input
        yield TextBlock(classes="hidden")
        yield TextBlock(classes="problem")

    def on_mount(self) -> None:
        self.relabel(self._head)
        self.problem("")
        self._mark_hidden()

    @property
    def value(self) -> str:
        return self._input.text if isinstance(self._input, TextArea) else self._input.value

    def clear(self) -> None:
        if isinstance(self._input, TextArea):
            self._input.text = ""
        else:
            self._input.value = ""

    def relabel(self, head: Sequence[Line]) -> None:
        self.query_one(".head", TextBlock).update(head)

    def problem(self, text: str) -> None:
        self.query_one(".problem", TextBlock).update([own_line(text, "problem")] if text else [])
        self._input.set_class(bool(text), "-invalid")

    def start_typing(self) -> None:
        self._input.focus()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Entered(self))

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _changed(self) -> None:
        self.problem("")
        self._mark_hidden()

    def _mark_hidden(self) -> None:
        is_plain = visible(self.value) == self.value and ("\n" not in self.value or isinstance(self._input, TextArea))
        has_hidden = not self._is_secret and not is_plain
        lines = [own_line(self._texts.hidden, "note"), *text_lines(self.value)] if has_hidden else []
        self.query_one(".hidden", TextBlock).update(lines)


class HiddenHighlighter(Highlighter):
    """Shows a placeholder for each hidden character, because a field must keep its characters one by one."""

    def __call__(self, text: str | Text) -> Text:
        return _mark_hidden_characters(text if isinstance(text, str) else text.plain)

    def highlight(self, text: Text) -> None:
        """Unused: `__call__` replaces characters, which this method can't."""


class PlainInput(Input):
    def on_paste(self, event: events.Paste) -> None:
        """Pastes all lines: Textual would silently drop all but the first."""
        event.prevent_default()
        event.stop()
        start, end = sorted(self.selection)
        self.replace(event.text, start, end)


class PlainArea(TextArea):
    def get_line(self, line_index: int) -> Text:
        return _mark_hidden_characters(self.document.get_line(line_index))


def _mark_hidden_characters(text: str) -> Text:
    marked = Text(no_wrap=True, overflow="ignore", end="")
    end = 0
    for suspect in _SUSPECT.finditer(text):
        if suspect.group() == "\n" or visible(suspect.group()) != suspect.group():
            marked.append(text[end : suspect.start()])
            marked.append(_STAND_IN, _MARK)
            end = suspect.end()
    return marked.append(text[end:])


class SendRow(TextBlock, can_focus=True):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "press", show=False)]

    class Pressed(Message):
        pass

    def __init__(self, label: str = "") -> None:
        super().__init__()
        self.label(label)

    def label(self, text: str) -> None:
        self.update([own_line(f" ▸ {text} ", "good")])

    def action_press(self) -> None:
        self.post_message(self.Pressed())

    def on_click(self) -> None:
        self.action_press()


Problems = Mapping[str, str]
"""Problems by the field's name in the answer: `values.name`, `selection`, `tasks.0.title`."""


class Form(Vertical):
    DEFAULT_CSS = """
    Form { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "step(1)", show=False),
        Binding("up,k", "step(-1)", show=False),
    ]
    has_remark: ClassVar[bool] = False
    keys: ClassVar[Sequence[tuple[str, str]]] = ()
    """What the key line shows while the person is in the form: (key, its name in `Texts.keys`)."""

    class Filled(Message):
        """The person wants to send it."""

    class StatusText(Message):
        """A text for the status line."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, row: Row, texts: Texts) -> None:
        super().__init__()
        self.row = row
        self.texts = texts

    def answer(self) -> dict[str, Any]:
        """The response of a yes, without a remark."""
        return {"status": "ok"}

    def problems(self) -> Problems:
        """Problems that must be fixed before it can be sent."""
        return {}

    def show_problems(self, problems: Problems) -> None:
        """Shows each problem at its field; a problem without a field here is in the status line anyway."""

    def forget_secrets(self) -> None:
        """Called when the answer is in the log, whoever gave it."""

    def caller_changed(self) -> None:
        """Called when it becomes known whether the program that asked is still waiting."""

    def enter(self) -> bool:
        """Moves the cursor to the first field; False if there is nothing to fill in."""
        stops = self._stops()
        if stops:
            stops[0].focus()
        return bool(stops)

    def action_step(self, by: int) -> None:
        stops = self._stops()
        if self.screen.focused in stops:
            at = stops.index(self.screen.focused) + by
            if 0 <= at < len(stops):
                stops[at].focus()

    def on_send_row_pressed(self, event: SendRow.Pressed) -> None:
        event.stop()
        self.post_message(self.Filled())

    def on_field_entered(self, event: Field.Entered) -> None:
        event.stop()
        self.post_message(self.Filled())

    def _stops(self) -> list[Widget]:
        return [widget for widget in self.screen.focus_chain if self in widget.ancestors]
