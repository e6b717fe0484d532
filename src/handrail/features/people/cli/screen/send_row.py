"""The last stop of a form: Enter here, or a click, sends it."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from handrail.features.people.cli.screen.lines import own_line
from handrail.features.people.cli.screen.text_block import TextBlock


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
