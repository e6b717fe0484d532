"""The agent of our own, put together: the house's gate, queue and records behind a loop over a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handrail.app.house import House
    from handrail.contract.model_desk import ModelDesk
    from handrail.core.agent.context import RunListener
    from handrail.core.agent.limits import Limits
    from handrail.core.agent.runs import Runs
    from handrail.core.mimo.bus import LocalBus


def limits_for(house: House) -> Limits:
    """Where a task has none of its own."""
    from handrail.core.agent.limits import Limits

    return Limits(house.settings.agent_most_steps, house.settings.agent_most_cost)


def agent_for(house: House, bus: LocalBus, models: ModelDesk) -> Callable[[RunListener], Runs]:
    """Who follows the runs is known to the face alone."""
    from handrail.core.agent.context import RunContext
    from handrail.core.agent.model_client import ModelClient
    from handrail.core.agent.recovery import Recovery
    from handrail.core.agent.runs import Runs
    from handrail.core.agent.tool_runner import ToolOffers, ToolRunner

    settings = house.settings

    def runs(audience: RunListener) -> Runs:
        context = RunContext(
            store=bus.runs,
            listener=audience,
            tools=ToolRunner(house.gate),
            recovery=Recovery(house.audit, house.evidence),
            model_client=ModelClient(bus.runs, settings.model_context_tokens),
            queue=house.prompts,
            offers=ToolOffers(house.registry),
            project=house.project.location,
            max_auto_fix=lambda: house.policy.current().limits.max_auto_fix,
            limits=limits_for(house),
        )
        return Runs(context, models.open)

    return runs
