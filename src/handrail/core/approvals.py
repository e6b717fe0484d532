"""Answers without a question: a preset one, a command that is its own yes, a refusal where nobody is asked."""

from typing import Literal

from handrail.contract.approval import Answer, Question
from handrail.contract.errors import Declined


class PresetAnswer:
    """`--answer allow|deny`: recorded as such, never as a person's word."""

    shows_questions = False

    def __init__(self, choice: Literal["allow", "deny"]) -> None:
        self._choice = choice

    async def ask(self, question: Question) -> Answer:
        return Answer("ok" if self._choice == "allow" else "canceled", by=f"--answer {self._choice}")


class OwnCommand:
    """For what only people can start: who typed the command has said yes by that."""

    shows_questions = False

    async def ask(self, question: Question) -> Answer:
        return Answer("ok", by="own command")


class NobodyToAsk:
    """For commands that only look."""

    shows_questions = False

    async def ask(self, question: Question) -> Answer:
        raise Declined(f"{question.call.tool} needs a person's yes, and nobody is asked here.", reason="nobody")
