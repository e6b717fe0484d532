"""The text of a notification: one plain sentence per pending question, without anything that may be secret.

Commands, texts, parameters and the agent's reasons stay in the console: only names, a file's path and a host are sent.
"""

from __future__ import annotations

import os.path
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import UNSET

from handrail.kernel.visible import one_line
from handrail.ports.prompts import FileChangePrompt

if TYPE_CHECKING:
    from handrail.ports.prompt_queue import Origin, QueuedPrompt

_MAX_SENTENCES = 3
_LONGEST_NAME = 60
_LONGEST_PATH = 120
_WORDS = {
    "en": {
        "one": "Approval needed",
        "many": "{count} approvals needed",
        "question": "An agent asks you something",
        "questions": "{count} questions for you",
        "READ": "{agent} wants to read {what}",
        "WRITE": "{agent} wants to change {what}",
        "UI_CONTROL": "{agent} wants to use {what}",
        "EXECUTE": "{agent} wants to run something in {what}",
        "else": "{agent} needs an approval for {what}",
        "in": "{sentence} ({project})",
        "plain": "Something is pending in the console.",
        "asks": "{agent} asks a question.",
        "more": "… and {count} more",
        "test": "This is a test. Approvals will be announced here.",
        "somebody": "A program",
    },
    "zh": {
        "one": "有一项操作等待批准",
        "many": "有 {count} 项操作等待批准",
        "question": "有一个问题等待回答",
        "questions": "有 {count} 个问题等待回答",
        "READ": "{agent} 想读取 {what}",
        "WRITE": "{agent} 想修改 {what}",
        "UI_CONTROL": "{agent} 想操作 {what}",
        "EXECUTE": "{agent} 想在 {what} 中运行程序",
        "else": "{agent} 需要你批准 {what}",
        "in": "{sentence}（{project}）",
        "plain": "控制台中有待处理的事项。",
        "asks": "{agent} 提出了一个问题。",
        "more": "……另有 {count} 项",
        "test": "这是一条测试消息。待批准的操作会在这里通知你。",
        "somebody": "某个程序",
    },
}


@dataclass(frozen=True, slots=True)
class Message:
    title: str
    body: str
    url: str
    tag: str = "handrail"


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """A pending question, and who posted it."""

    queued: QueuedPrompt
    origin: Origin | None


def message_about(
    questions: Sequence[PendingQuestion], url: str, *, language: str = "en", has_details: bool = True
) -> Message:
    texts = _WORDS.get(language, _WORDS["en"])
    approvals = [each for each in questions if isinstance(each.queued.prompt, FileChangePrompt)]
    count, names = (len(approvals), ("one", "many")) if approvals else (len(questions), ("question", "questions"))
    title = texts[names[0] if count == 1 else names[1]].format(count=count)
    if not has_details:
        return Message(title, texts["plain"], url)
    lines = [_sentence(each, texts) for each in questions[:_MAX_SENTENCES]]
    if len(questions) > _MAX_SENTENCES:
        lines.append(texts["more"].format(count=len(questions) - _MAX_SENTENCES))
    return Message(title, "\n".join(lines), url)


def trial_message(url: str, language: str = "en") -> Message:
    return Message("handrail", _WORDS.get(language, _WORDS["en"])["test"], url, "handrail-test")


def _sentence(question: PendingQuestion, texts: dict[str, str]) -> str:
    prompt = question.queued.prompt
    is_own = question.origin is not None and question.origin.is_own
    if not isinstance(prompt, FileChangePrompt) or not is_own or prompt.card is UNSET:
        return texts["asks"].format(agent=texts["somebody"])
    card = prompt.card
    place = urlsplit(card.place).hostname if card.place is not UNSET else None
    what = place or (prompt.path if prompt.path is not UNSET else "")
    project = os.path.basename(card.project)
    form = texts[card.effect] if card.effect in texts else texts["else"]
    if not what:
        form, what = (form, project) if card.effect == "EXECUTE" else (texts["else"], card.tool)
    sentence = form.format(agent=_shorten(card.agent, _LONGEST_NAME), what=_shorten(what, _LONGEST_PATH))
    if what == project:
        return sentence
    return texts["in"].format(sentence=sentence, project=_shorten(project, _LONGEST_NAME))


def _shorten(text: str, longest: int) -> str:
    line = one_line(text)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
