"""A question and its outcome as lines, and the page of an answered question."""

from msgspec import UNSET
from textual.app import ComposeResult
from textual.containers import VerticalScroll

from handrail.faces.cli.output import local_time
from handrail.features.people.cli.screen.board import Row
from handrail.features.people.cli.screen.change_form import change_lines
from handrail.features.people.cli.screen.lines import Line, TextBlock, fact_lines, own_line, text_lines
from handrail.features.people.cli.screen.texts import Texts
from handrail.kernel.prompts.foreign_prompts import origin_members
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import (
    ChoicePrompt,
    FileChangePrompt,
    KvPrompt,
    ResultPrompt,
    TaskConfirmPrompt,
    UnreadablePrompt,
)


def header_lines(row: Row, texts: Texts) -> list[Line]:
    """Title, where it comes from, and the message."""
    entry, kind, title = row.entry, row.kind, row.title
    prompt = entry.prompt
    facts = [
        (texts.source, source_of(row, texts)),
        (texts.run, entry.run_id),
        (texts.asked, f"{local_time(entry.ts)} · {texts.kinds[kind]}"),
        *((texts.picture, f"{image.path} {image.alt or ''}".rstrip()) for image in prompt.images or ()),
    ]
    lines = text_lines(prompt.title or title, "title")
    lines += fact_lines([(name, value) for name, value in facts if value], "muted")
    if prompt.message:
        lines += [own_line(""), *text_lines(prompt.message)]
    return [*lines, own_line("")]


def source_of(row: Row, texts: Texts) -> str:
    """The source of handrail's own prompts; for others, who posted the prompt and what it claims to be."""
    sender = origin_members(row.entry.prompt, row.origin)
    if sender["isOwn"]:
        return row.entry.prompt.source or ""
    by = sender["postedBy"] if row.origin is not None else texts.another_program
    if "claimedSource" in sender:
        return texts.claims(by, sender["claimedSource"])
    source = row.entry.prompt.source or ""
    return texts.posted(f"{source} · {by}" if source else by)


def outcome_word(row: Row, texts: Texts) -> str:
    if row.answer is None:
        return texts.withdrawn
    words = texts.outcomes if isinstance(row.entry.prompt, FileChangePrompt) else texts.replies
    return words[row.answer.response.status]


def outcome_lines(row: Row, texts: Texts) -> list[Line]:
    """Who answered, when, how far it reaches, and the answer; secrets are masked, as in the log."""
    if row.answer is None:
        return [own_line(texts.withdrawn, "bad")]
    response = row.answer.response
    reach = (response.covers or "tool") if row.is_app_call and response.scope == "rule" else response.scope
    scope = texts.scopes[reach] if reach is not UNSET else None
    facts = [
        (texts.by, row.by),
        (texts.scope, scope),
        (texts.given_remark, response.remark),
        (texts.answer, answer_text(row, response, texts)),
    ]
    head = f"{outcome_word(row, texts)} · {local_time(row.answer.ts)}"
    return [
        own_line(head, "good" if response.status == "ok" else "bad"),
        *fact_lines([(name, value) for name, value in facts if value]),
    ]


def answer_text(row: Row, response: PromptResponse, texts: Texts) -> str:
    prompt = row.entry.prompt
    if isinstance(prompt, KvPrompt) and response.values is not UNSET:
        return "\n".join(f"{key}: {value}" for key, value in response.values.items())
    if isinstance(prompt, ChoicePrompt) and response.selection is not UNSET:
        chosen = (response.selection,) if isinstance(response.selection, str) else response.selection
        labels = {option.value: option.label or option.value for option in prompt.options}
        return "\n".join(labels.get(value, value) for value in chosen)
    if isinstance(prompt, TaskConfirmPrompt) and response.tasks is not UNSET:
        return "\n".join(
            f"{at}. {task.title} ({texts.priorities[task.priority]}, {texts.statuses[task.status]})"
            for at, task in enumerate(response.tasks, 1)
        )
    return ""


class HistoryPage(VerticalScroll):
    def __init__(self, texts: Texts) -> None:
        super().__init__(classes="page")
        self._texts = texts
        self.row: Row | None = None

    def compose(self) -> ComposeResult:
        yield TextBlock()

    def show(self, row: Row) -> None:
        self.row = row
        self.query_one(TextBlock).update(self._lines(row))
        self.scroll_home(animate=False)

    def _lines(self, row: Row) -> list[Line]:
        prompt = row.entry.prompt
        lines = [*outcome_lines(row, self._texts), own_line("")]
        lines += header_lines(row, self._texts)
        if isinstance(prompt, FileChangePrompt):
            lines += change_lines(prompt, self._texts)
        elif isinstance(prompt, ResultPrompt):
            lines += text_lines(prompt.markdown or "")
        elif isinstance(prompt, UnreadablePrompt):
            lines += text_lines(prompt.raw)
        return lines
