"""The port through which a person is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from handrail.kernel.call import Call
from handrail.kernel.tool import Preview
from handrail.ports.effect import Effect
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
    is_ruled: bool = False
    """A rule wants a person asked each time, whatever they have allowed before."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Three different outcomes: a timed-out question is not a denial."""

    status: Literal["ok", "canceled", "timeout"]
    by: str
    remark: str | None = None
    prompt_id: str | None = None
    """The prompt that a person answered; None where nobody was asked."""


class Approver(Protocol):
    def shows(self, call: Call, place: str | None) -> bool:
        """Whether anybody would see a question about this: False where its answer is known beforehand."""
        return True

    async def ask(self, question: Question) -> Answer:
        """Waits as long as the person needs; raises Declined when nobody can be asked."""
        ...
