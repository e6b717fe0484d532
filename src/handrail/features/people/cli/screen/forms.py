"""The forms for fields (`kv`), options (`choice`) and results (`result`)."""

from collections.abc import Sequence
from typing import Any, ClassVar

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Markdown

from handrail.features.people.cli.screen.fields import Field, FieldKind, Form, Problems, SendRow
from handrail.features.people.cli.screen.lines import Line, TextBlock, own_line, text_lines
from handrail.kernel.visible import visible
from handrail.ports.prompts import ChoiceOption, ChoicePrompt, KvField, KvPrompt, ResultPrompt, UnreadablePrompt


class KvForm(Form):
    keys: ClassVar[Sequence[tuple[str, str]]] = (("Enter", "send"), ("Tab", "field"))

    def compose(self) -> ComposeResult:
        for field in self._prompt.fields:
            yield Field(
                self.texts,
                self._head(field),
                field.default or "",
                kind=_kind(field),
                placeholder=field.placeholder or "",
            )
        yield SendRow(self.texts.send)

    def answer(self) -> dict[str, Any]:
        return {"status": "ok", "values": {key: field.value for key, field in self._fields.items()}}

    def problems(self) -> Problems:
        return {
            f"values.{field.key}": self.texts.problems["required"]
            for field in self._prompt.fields
            if field.required is True and not self._fields[field.key].value
        }

    def show_problems(self, problems: Problems) -> None:
        invalid = [field for key, field in self._fields.items() if f"values.{key}" in problems]
        for key, field in self._fields.items():
            field.problem(problems.get(f"values.{key}", ""))
        if invalid:
            invalid[0].start_typing()

    def forget_secrets(self) -> None:
        for key in self._prompt.secret_keys:
            self._fields[key].clear()

    def caller_changed(self) -> None:
        """Updates the hint whether a secret can be delivered, which the person needs before typing."""
        for field in self._prompt.fields:
            if field.secret is True:
                self._fields[field.key].relabel(self._head(field))

    def _head(self, field: KvField) -> list[Line]:
        star = f" ({self.texts.required})" if field.required is True else ""
        lines = text_lines((field.label or field.key) + star, "title")
        lines += text_lines(field.description, "muted") if field.description else []
        if field.secret is not True:
            return lines
        is_waiting = self.row.caller == "waiting"
        return [*lines, own_line(self.texts.secret_hint if is_waiting else self.texts.secret_lost, "note")]

    @property
    def _prompt(self) -> KvPrompt:
        assert isinstance(self.row.entry.prompt, KvPrompt)
        return self.row.entry.prompt

    @property
    def _fields(self) -> dict[str, Field]:
        widgets = self.query(Field).results(Field)
        return {field.key: widget for field, widget in zip(self._prompt.fields, widgets, strict=True)}


def _kind(field: KvField) -> FieldKind:
    if field.secret is True:
        return "secret"
    return "multiline" if field.multiline is True else "text"


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
        """The first Enter on another option only selects it: what is sent was visibly selected before."""
        row = self.screen.focused
        if not self._prompt.multiple and isinstance(row, OptionRow) and row.option.value not in self._picked:
            self.action_pick()
            self.post_message(self.StatusText(f"Enter: {self.texts.keys['send']}"))
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


_LONGEST_FORMATTED = 50_000  # longer text is shown as plain text


class ResultForm(Form):
    keys: ClassVar[Sequence[tuple[str, str]]] = (("y", "understood"),)

    def compose(self) -> ComposeResult:
        assert isinstance(self.row.entry.prompt, ResultPrompt)
        text = visible(self.row.entry.prompt.markdown or "")
        if len(text) > _LONGEST_FORMATTED:
            yield TextBlock(text_lines(text))
        else:
            yield Markdown(text, parser_factory=_parser, open_links=False)


class RawForm(Form):
    """A request that can't be read: shown as it is, with nothing to fill in."""

    def compose(self) -> ComposeResult:
        prompt = self.row.entry.prompt
        assert isinstance(prompt, UnreadablePrompt)
        yield TextBlock([own_line(self.texts.unreadable, "note"), *text_lines(prompt.reason, "problem")])
        yield TextBlock(text_lines(prompt.raw))


def _parser() -> MarkdownIt:
    """Hides nothing: HTML and entities stay text, and links show their target."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("entity")
    parser.core.ruler.push("show_targets", _show_targets)
    return parser


def _show_targets(state: StateCore) -> None:
    for token in state.tokens:
        if token.children:
            token.children = _with_targets(token.children)


def _with_targets(children: list[Token]) -> list[Token]:
    tokens: list[Token] = []
    targets: list[str] = []
    for child in children:
        tokens.append(child)
        if child.type == "link_open":
            targets.append(str(child.attrGet("href") or ""))
        elif child.type == "link_close":
            tokens.append(_text(targets.pop()))
        elif child.type == "image":
            tokens.append(_text(str(child.attrGet("src") or "")))
    return tokens


def _text(target: str) -> Token:
    return Token("text", "", 0, content=f" ({visible(target)})")
