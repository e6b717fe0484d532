"""Questions to a person and their answers, and approvers that answer without asking anybody."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from handrail.kernel.call import Call
from handrail.kernel.target import NOWHERE, Target
from handrail.kernel.tool import Preview
from handrail.ports.approval_card import ChosenPart, Offer
from handrail.ports.consents import StaleReason
from handrail.ports.effect import Effect
from handrail.ports.errors import Declined
from handrail.ports.prompts import PromptImage


@dataclass(frozen=True, slots=True)
class Question:
    """Everything that a person needs to decide, and the digest that the answer is bound to."""

    call: Call
    title: str
    effect: Effect
    params: Any
    preview: Preview
    digest: str
    images: Sequence[PromptImage] = ()
    """The preview's pictures, as files of the evidence."""
    is_by_rule: bool = False
    """A rule asks a person each time, whatever they have allowed before."""
    is_critical: bool = False
    """The rule requires proof that a person is present; the approval covers only this call."""
    target: Target = NOWHERE
    """What policy rules can match."""
    has_targets: bool = True
    """The tool's calls have targets, so a rule without a target would cover more than this call."""
    stale: StaleReason | None = None
    """What has changed since a person always allowed this."""
    votes: int = 0
    """How many people of the team have to approve it, whatever was allowed on this machine."""
    offers: Sequence[Offer] = ()
    """The scopes that the person may choose, the narrowest first."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A person's answer. A timeout is not a denial."""

    status: Literal["ok", "canceled", "timeout"]
    by: str
    remark: str | None = None
    prompt_id: str | None = None
    """The prompt that a person answered; None if nobody was asked."""
    chosen: Sequence[ChosenPart] | None = None
    """The parts of the change that the person approved; None means all of it."""
    presence: Mapping[str, Any] | None = None
    """The proof that a person was present, if one was needed."""


class Approver(Protocol):
    async def will_ask(self, call: Call, target: Target) -> bool:
        """Whether somebody would see the question; False if its answer is known in advance."""
        return True

    async def ask(self, question: Question) -> Answer:
        """Waits as long as the person needs. Declined: nobody can be asked."""
        ...


class AutomaticApprover(Approver):
    """An approver that never shows a question."""

    async def will_ask(self, call: Call, target: Target) -> bool:
        return False


class PresetAnswer(AutomaticApprover):
    """`--answer allow|deny`. It is recorded as such and not as a person's decision."""

    def __init__(self, choice: Literal["allow", "deny"]) -> None:
        self._choice = choice

    async def ask(self, question: Question) -> Answer:
        if question.votes and self._choice == "allow":
            raise Declined("The team of this machine wants its people to approve this.", reason="team")
        return Answer("ok" if self._choice == "allow" else "canceled", by=f"--answer {self._choice}")


class CommandApprover(AutomaticApprover):
    """For commands that only people can start: typing the command is the approval."""

    async def ask(self, question: Question) -> Answer:
        return Answer("ok", by="own command")


class NoApprover(AutomaticApprover):
    """For commands that only read."""

    async def ask(self, question: Question) -> Answer:
        raise Declined(f"{question.call.tool} needs approval, but approvals are off.", reason="nobody")
