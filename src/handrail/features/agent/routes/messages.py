"""`user_message` for the agent: the additions to contract 2, as mode, model, limits and attachments."""

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from handrail.faces.socketio.messages import trace_of
from handrail.features.agent.routes.events import AgentEvents
from handrail.features.agent.runs import Runs
from handrail.features.agent.user_message import Artifacts, UserMessage, with_attachments
from handrail.ports.agent import Choice, Voice
from handrail.ports.browser import Wire
from handrail.ports.errors import InvalidParams
from handrail.ports.model import UserTurn

T = TypeVar("T")
MostSteps = Annotated[int, Meta(ge=1, le=10_000)]
MostCost = Annotated[float, Meta(ge=0, le=1_000_000)]


class _Given(Wire, frozen=True, kw_only=True):
    """Null is as good as left out."""

    mode: Literal["plan", "act"] | None = None
    model: Annotated[str, Meta(max_length=256)] | None = None
    most_steps: MostSteps | None = None
    most_cost: MostCost | None = None


class AgentMessages:
    def __init__(self, runs: Runs, events: AgentEvents, artifacts: Artifacts) -> None:
        self._runs = runs
        self._artifacts = artifacts
        self.followed = events.followed

    async def hear(self, task_id: str, said: UserTurn, message: dict[str, Any], voice: Voice) -> None:
        """A Failure refuses the words; what goes wrong with them later is told to those who follow the task."""
        choice = _choice_in(message)
        said = await with_attachments(said, self._artifacts, message.get("attachments"))
        await self._runs.say(task_id, UserMessage(said, voice, choice, trace_of(message)))


def _choice_in(message: dict[str, Any]) -> Choice:
    """InvalidParams names the member that makes no sense."""
    try:
        given = msgspec.convert(message, _Given)
    except msgspec.ValidationError as error:
        raise InvalidParams(f"{error}.") from None
    return Choice(
        mode=_or_unset(given.mode),
        model=_or_unset(given.model or None),
        most_steps=_or_unset(given.most_steps),
        most_cost=_or_unset(given.most_cost),
    )


def _or_unset(value: T | None) -> T | UnsetType:
    return UNSET if value is None else value
