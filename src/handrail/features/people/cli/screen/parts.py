"""The parts of a change that can be allowed one by one, and the proposed text, which can be edited."""

from collections.abc import Sequence
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from handrail.features.people.cli.screen.fields import Field
from handrail.features.people.cli.screen.lines import Line, TextBlock, own_line
from handrail.features.people.cli.screen.texts import Texts
from handrail.kernel.prompts.part_numbers import NumberedPart, number_parts, select_parts
from handrail.ports.approval_card import ChangePart


class PartRow(TextBlock, can_focus=True):
    def __init__(self, part: NumberedPart) -> None:
        super().__init__()
        self.part = part

    def mark(self, *, is_taken: bool, note: str) -> None:
        mark = "[x] " if is_taken else "[ ] "
        self.update([Line(f"{self.part}{note}", "", mark, "    ", "good" if is_taken else "gutter")])


class Parts(Vertical):
    """All parts are taken until the person leaves some out. An edited file is always taken, as edited."""

    DEFAULT_CSS = """
    Parts { height: auto; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,x", "take", show=False),
        Binding("e", "edit", show=False),
    ]

    def __init__(self, parts: Sequence[ChangePart], texts: Texts) -> None:
        super().__init__()
        self._parts = parts
        self._texts = texts
        self._left_out: set[int] = set()
        self._editors: dict[str, Field] = {}

    def compose(self) -> ComposeResult:
        yield TextBlock([own_line(self._texts.parts, "title"), own_line(self._texts.parts_hint, "muted")])
        for part in number_parts(self._parts):
            yield PartRow(part)
        yield TextBlock(classes="problem")

    def on_mount(self) -> None:
        self.show_problem("")
        self._show()

    def answer(self) -> dict[str, Any]:
        """The members of the answer that select parts; empty if everything is taken as proposed."""
        edited = self._edited()
        if not edited:
            return select_parts(self._parts, self._taken())
        if len(self._parts) == 1:
            return {"content": edited[self._parts[0].path]}
        unedited = [each for each in self._parts if each.path not in edited]
        files = [{"path": path, "content": text} for path, text in edited.items()]
        return {"files": [*files, *self._taken_of(unedited)]}

    def takes_nothing(self) -> bool:
        return not self._taken() and not self._edited()

    def show_problem(self, text: str) -> None:
        self.query_one(".problem", TextBlock).update([own_line(text, "problem")] if text else [])

    def action_take(self) -> None:
        if isinstance(row := self.screen.focused, PartRow):
            self._left_out ^= {row.part.number}
            self.show_problem("")
            self._show()

    async def action_edit(self) -> None:
        """Opens the file's proposed text below its rows; keeps what was typed there before."""
        if not isinstance(row := self.screen.focused, PartRow):
            return
        part = row.part.part
        if not isinstance(part.content, str):
            self.show_problem(self._texts.problems["not_editable"])
            return
        if part.path not in self._editors:
            head = [own_line(self._texts.edit_text(part.path), "title")]
            self._editors[part.path] = Field(self._texts, head, part.content, kind="multiline")
            await self.mount(self._editors[part.path], before=self.query_one(".problem"))
        self._editors[part.path].start_typing()

    def on_text_area_changed(self) -> None:
        self._show()

    def on_click(self, event: events.Click) -> None:
        if isinstance(event.widget, PartRow):
            event.widget.focus()
            self.call_after_refresh(self.action_take)

    def _taken(self) -> list[int]:
        return [each.number for each in number_parts(self._parts) if each.number not in self._left_out]

    def _edited(self) -> dict[str, str]:
        texts = {path: editor.value for path, editor in self._editors.items()}
        return {
            part.path: texts[part.path] for part in self._parts if texts.get(part.path, part.content) != part.content
        }

    def _taken_of(self, parts: Sequence[ChangePart]) -> list[dict[str, Any]]:
        taken = set(self._taken())
        files = list[dict[str, Any]]()
        for part in parts:
            places = [each for each in number_parts(self._parts) if each.part is part]
            of_part = [each.place for each in places if each.number in taken]
            if of_part:
                is_whole = len(of_part) == len(places)
                files.append({"path": part.path} if is_whole else {"path": part.path, "hunks": of_part})
        return files

    def _show(self) -> None:
        edited = self._edited()
        for row in self.query(PartRow):
            is_edited = row.part.part.path in edited
            note = f" · {self._texts.edited}" if is_edited else ""
            row.mark(is_taken=is_edited or row.part.number not in self._left_out, note=note)
