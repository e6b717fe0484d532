"""Answers without a question: a preset one, a command that is its own yes, a refusal where nobody is asked."""

from typing import Literal

from handrail.kernel.approval import Answer, Approver, Question
from handrail.kernel.call import Call
from handrail.ports.errors import Declined


class Unseen(Approver):
    def shows(self, call: Call, place: str | None) -> bool:
        return False


class PresetAnswer(Unseen):
    """`--answer allow|deny`: recorded as such, never as a person's word."""

    def __init__(self, choice: Literal["allow", "deny"]) -> None:
        self._choice = choice

    async def ask(self, question: Question) -> Answer:
        return Answer("ok" if self._choice == "allow" else "canceled", by=f"--answer {self._choice}")


class OwnCommand(Unseen):
    """For what only people can start: who typed the command has said yes by that."""

    async def ask(self, question: Question) -> Answer:
        return Answer("ok", by="own command")


class NobodyToAsk(Unseen):
    """For commands that only look."""

    async def ask(self, question: Question) -> Answer:
        raise Declined(f"{question.call.tool} needs a person's yes, and nobody is asked here.", reason="nobody")
