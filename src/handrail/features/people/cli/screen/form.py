"""What a person fills in to say yes to one question. Each kind of question has a form of its own."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget

from handrail.features.people.cli.screen.board import Row
from handrail.features.people.cli.screen.fields import Field
from handrail.features.people.cli.screen.send_row import SendRow
from handrail.features.people.cli.screen.texts import Texts

Problems = Mapping[str, str]
"""What is wrong, by the field's name in the answer: `values.name`, `selection`, `tasks.0.title`."""


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
    """What the key line tells while the person is in the form: (key, its name in `Texts.keys`)."""

    class Filled(Message):
        """The person wants it sent."""

    class Said(Message):
        """Something for the status line."""

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
        """What must be mended before it can be sent."""
        return {}

    def show_problems(self, problems: Problems) -> None:
        """Each at its field; what has no field here stands in the status line anyway."""

    def forget_secrets(self) -> None:
        """Called once the answer is in the log, whoever gave it."""

    def enter(self) -> bool:
        """Puts the cursor where a person starts; false where there is nothing to fill in."""
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
