"""How a person is asked, and answers without a question: a preset one, a command that is its own yes, a refusal."""

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
    """Where the preview's pictures are kept."""
    is_by_rule: bool = False
    """A rule wants a person asked each time, whatever they have allowed before."""
    is_critical: bool = False
    """That rule wants proof that a person is present; a yes reaches no further than this call."""
    target: Target = NOWHERE
    """What rules can say of it."""
    has_targets: bool = True
    """The tool's calls are about targets, so a rule without one would cover more than this call."""
    stale: StaleReason | None = None
    """What has changed since a person allowed this for good."""
    votes: int = 0
    """So many people of the team have to approve it, whatever was allowed here."""
    offers: Sequence[Offer] = ()
    """How far a yes may reach, the narrowest first."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Three different outcomes: a timed-out question is not a denial."""

    status: Literal["ok", "canceled", "timeout"]
    by: str
    remark: str | None = None
    prompt_id: str | None = None
    """The prompt that a person answered; None where nobody was asked."""
    chosen: Sequence[ChosenPart] | None = None
    """What the person took of the proposed change; None where that is everything."""
    presence: Mapping[str, Any] | None = None
    """What proved that a person was present, where that was needed."""


class Approver(Protocol):
    async def will_ask(self, call: Call, target: Target) -> bool:
        """Whether anybody would see a question about this: False where its answer is known beforehand."""
        return True

    async def ask(self, question: Question) -> Answer:
        """Waits as long as the person needs; raises Declined when nobody can be asked."""
        ...


class AutomaticApprover(Approver):
    async def will_ask(self, call: Call, target: Target) -> bool:
        return False


class PresetAnswer(AutomaticApprover):
    """`--answer allow|deny`: recorded as such, never as a person's word."""

    def __init__(self, choice: Literal["allow", "deny"]) -> None:
        self._choice = choice

    async def ask(self, question: Question) -> Answer:
        if question.votes and self._choice == "allow":
            raise Declined("The team of this machine wants its people to approve this.", reason="team")
        return Answer("ok" if self._choice == "allow" else "canceled", by=f"--answer {self._choice}")


class CommandApprover(AutomaticApprover):
    """For what only people can start: who typed the command has said yes by that."""

    async def ask(self, question: Question) -> Answer:
        return Answer("ok", by="own command")


class NoApprover(AutomaticApprover):
    """For commands that only look."""

    async def ask(self, question: Question) -> Answer:
        raise Declined(f"{question.call.tool} needs approval, but approvals are off.", reason="nobody")
