"""The list of questions. New ones are added at the end; nothing else moves unless the person moves."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from handrail.faces.cli.output import local_time, one_line
from handrail.features.people.cli.screen.board import Row
from handrail.features.people.cli.screen.outcome import outcome_word
from handrail.features.people.cli.screen.texts import Texts

_LONGEST_TITLE = 200  # the page shows the full title


class PromptList(OptionList):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
        Binding("right", "select", show=False),
        Binding("pagedown,space", "app.scroll_page(1)", show=False),
        Binding("pageup", "app.scroll_page(-1)", show=False),
        Binding("J,shift+down", "app.scroll_lines(1)", show=False),
        Binding("K,shift+up", "app.scroll_lines(-1)", show=False),
    ]

    def __init__(self, texts: Texts, moved: Callable[[str], None], *, id: str) -> None:
        super().__init__(id=id, markup=False, compact=True)
        self._texts = texts
        self._moved = moved
        self._looks: dict[str, tuple[bool, bool, str]] = {}
        self._is_filling = False

    def show(self, rows: Sequence[Row], shown: str | None) -> None:
        """Updates rows in place if only new rows were added at the end."""
        looks: dict[str, tuple[bool, bool, str]] = {
            row.id: (row.is_settled, row.answer is None, row.caller) for row in rows
        }
        before, now = list(self._looks), list(looks)
        self._is_filling = True
        if now[: len(before)] == before:
            for row in rows[: len(before)]:
                if looks[row.id] != self._looks[row.id]:
                    self.replace_option_prompt(row.id, _row_text(row, self._texts))
            self.add_options(Option(_row_text(row, self._texts), id=row.id) for row in rows[len(before) :])
        else:
            self.set_options(Option(_row_text(row, self._texts), id=row.id) for row in rows)
        self._looks = looks
        self.highlighted = now.index(shown) if shown in looks else None
        self._is_filling = False

    def action_cursor_down(self) -> None:
        """Stops at the end, instead of wrapping around to a question that wasn't asked for."""
        if self.highlighted is None or self.highlighted < self.option_count - 1:
            super().action_cursor_down()

    def action_cursor_up(self) -> None:
        if self.highlighted is None or self.highlighted > 0:
            super().action_cursor_up()

    def render_line(self, y: int) -> Strip:
        """Reverses the selected row if the terminal's own colours are used, which have no background for it."""
        strip = super().render_line(y)
        if not self.has_pseudo_class("ansi") or not self.has_focus or self.highlighted is None:
            return strip
        style = next((segment.style for segment in strip if segment.style is not None), None)
        is_highlighted = style is not None and style.meta.get("option") == self.highlighted
        return strip.apply_style(Style(reverse=True)) if is_highlighted else strip

    def watch_highlighted(self, highlighted: int | None) -> None:
        super().watch_highlighted(highlighted)
        # Directly rather than by a message, so that the next key press sees the move.
        if highlighted is not None and not self._is_filling:
            self._moved(str(self.options[highlighted].id))


def _row_text(row: Row, texts: Texts) -> Text:
    title = one_line(row.title)
    if len(title) > _LONGEST_TITLE:
        title = title[:_LONGEST_TITLE] + "…"
    when = one_line(local_time(row.entry.ts))[11:16]
    facts = [when, texts.kinds[row.kind], one_line(row.entry.prompt.source or "")]
    if row.is_settled:
        facts.insert(1, outcome_word(row, texts) if row.answer is not None else texts.answered)
    elif row.caller != "waiting":
        facts.insert(1, texts.callers_short[row.caller])
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(f"{'✓' if row.is_settled else '●'} ", "dim" if row.is_settled else "")
    text.append(title, "dim" if row.is_settled else "bold")
    return text.append("\n  " + " · ".join(filter(None, facts)), "dim")
