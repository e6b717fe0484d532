"""`file_change_confirm`: what is about to happen, whole. There is nothing to fill in but a remark."""

from typing import ClassVar

from textual.app import ComposeResult

from handrail.features.people.cli.screen.diff_lines import diff_lines
from handrail.features.people.cli.screen.form import Form
from handrail.features.people.cli.screen.lines import Line, fact_lines, own_line
from handrail.features.people.cli.screen.text_block import TextBlock
from handrail.features.people.cli.screen.texts import Texts
from handrail.ports.prompts import FileChangePrompt


class ChangeForm(Form):
    has_remark: ClassVar[bool] = True

    def compose(self) -> ComposeResult:
        assert isinstance(self.row.entry.prompt, FileChangePrompt)
        yield TextBlock(change_lines(self.row.entry.prompt, self.texts))


def change_lines(prompt: FileChangePrompt, texts: Texts) -> list[Line]:
    diff = diff_lines(prompt.diff or "", texts.skipped)
    named = [(texts.file, prompt.path), (texts.command, prompt.command), (texts.folder, prompt.cwd)]
    facts = [(name, value) for name, value in named if value]
    if isinstance(prompt.diff, str):
        is_change = bool(diff.added or diff.removed)
        facts.append((texts.change, texts.lines(diff.added, diff.removed) if is_change else texts.nothing_changes))
    lines = fact_lines(facts)
    return [*lines, own_line(""), *diff.lines] if lines and diff.lines else [*lines, *diff.lines]
