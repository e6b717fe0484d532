"""What a notification says: one plain sentence for each pending question, without anything that may be a secret.

Commands, texts, parameters and the agent's reasons stay in the console: only names, a file's path and a host go out.
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

_MOST_SENTENCES = 3
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
class Asked:
    """A pending question, and who posted it."""

    queued: QueuedPrompt
    origin: Origin | None


def message_about(asked: Sequence[Asked], url: str, *, language: str = "en", has_details: bool = True) -> Message:
    words = _WORDS.get(language, _WORDS["en"])
    approvals = [each for each in asked if isinstance(each.queued.prompt, FileChangePrompt)]
    count, names = (len(approvals), ("one", "many")) if approvals else (len(asked), ("question", "questions"))
    title = words[names[0] if count == 1 else names[1]].format(count=count)
    if not has_details:
        return Message(title, words["plain"], url)
    lines = [_sentence(each, words) for each in asked[:_MOST_SENTENCES]]
    if len(asked) > _MOST_SENTENCES:
        lines.append(words["more"].format(count=len(asked) - _MOST_SENTENCES))
    return Message(title, "\n".join(lines), url)


def trial(url: str, language: str = "en") -> Message:
    return Message("handrail", _WORDS.get(language, _WORDS["en"])["test"], url, "handrail-test")


def _sentence(asked: Asked, words: dict[str, str]) -> str:
    prompt = asked.queued.prompt
    is_own = asked.origin is not None and asked.origin.is_own
    if not isinstance(prompt, FileChangePrompt) or not is_own or prompt.card is UNSET:
        return words["asks"].format(agent=words["somebody"])
    card = prompt.card
    place = urlsplit(card.place).hostname if card.place is not UNSET else None
    what = place or (prompt.path if prompt.path is not UNSET else "")
    project = os.path.basename(card.project)
    form = words[card.effect] if card.effect in words else words["else"]
    if not what:
        form, what = (form, project) if card.effect == "EXECUTE" else (words["else"], card.tool)
    said = form.format(agent=_short(card.agent, _LONGEST_NAME), what=_short(what, _LONGEST_PATH))
    return words["in"].format(sentence=said, project=_short(project, _LONGEST_NAME)) if what != project else said


def _short(text: str, most: int) -> str:
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 1]}…"
