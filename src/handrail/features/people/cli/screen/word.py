"""Asks the person to type a random word, as proof that somebody reads this screen."""

from collections.abc import Mapping
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input

from handrail.faces.cli.presence import random_word
from handrail.features.people.cli.screen.lines import TextBlock, fact_lines, own_line
from handrail.features.people.cli.screen.page import PromptPage
from handrail.features.people.cli.screen.texts import Texts


class WordScreen(ModalScreen[bool]):
    """Returns whether the word was typed."""

    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(False)", show=False)]

    def __init__(self, page: PromptPage, response: Mapping[str, Any], texts: Texts) -> None:
        super().__init__()
        self._page = page
        self._response = response
        self._texts = texts
        self._word = random_word()

    def compose(self) -> ComposeResult:
        texts, row = self._texts, self._page.row
        scope = str(self._response.get("scope", "once"))
        if row.is_app_call and scope == "rule":
            scope = "app" if "covers" in self._response else "tool"
        facts = [(texts.kinds[row.kind], row.title), (texts.scope, texts.scopes[scope])]
        with VerticalScroll():
            yield TextBlock([own_line(texts.word_title, "title"), own_line(""), *fact_lines(facts), own_line("")])
            yield TextBlock([own_line(texts.type_word(self._word))])
            yield Input()

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value.strip().lower() == self._word)
