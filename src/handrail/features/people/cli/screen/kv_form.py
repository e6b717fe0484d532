"""`kv`: fields to fill in."""

from collections.abc import Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult

from handrail.features.people.cli.screen.fields import Field, FieldKind
from handrail.features.people.cli.screen.form import Form, Problems
from handrail.features.people.cli.screen.lines import Line, own_line, text_lines
from handrail.features.people.cli.screen.send_row import SendRow
from handrail.ports.prompts import KvField, KvPrompt


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
        wrong = [field for key, field in self._fields.items() if f"values.{key}" in problems]
        for key, field in self._fields.items():
            field.problem(problems.get(f"values.{key}", ""))
        if wrong:
            wrong[0].start_typing()

    def forget_secrets(self) -> None:
        for key in self._prompt.secret_keys:
            self._fields[key].clear()

    def _head(self, field: KvField) -> list[Line]:
        star = f" ({self.texts.required})" if field.required is True else ""
        lines = text_lines((field.label or field.key) + star, "title")
        lines += text_lines(field.description, "muted") if field.description else []
        return [*lines, own_line(self.texts.secret_hint, "note")] if field.secret is True else lines

    @property
    def _prompt(self) -> KvPrompt:
        assert isinstance(self.row.entry.prompt, KvPrompt)
        return self.row.entry.prompt

    @property
    def _fields(self) -> dict[str, Field]:
        shown = self.query(Field).results(Field)
        return {field.key: widget for field, widget in zip(self._prompt.fields, shown, strict=True)}


def _kind(field: KvField) -> FieldKind:
    if field.secret is True:
        return "secret"
    return "multiline" if field.multiline is True else "text"
