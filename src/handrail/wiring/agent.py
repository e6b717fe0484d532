"""The agent of our own, put together: the house's gate, queue and records behind a loop over a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handrail.features.agent.context import RunListener
    from handrail.features.agent.limits import Limits
    from handrail.features.agent.model_desk import ModelDesk
    from handrail.features.agent.runs import Runs
    from handrail.features.browser.bus.bus import LocalBus
    from handrail.wiring.house import House


def limits_for(house: House) -> Limits:
    """Where a task has none of its own."""
    from handrail.features.agent.limits import Limits

    return Limits(house.settings.agent_most_steps, house.settings.agent_most_cost)


def agent_for(house: House, bus: LocalBus, models: ModelDesk) -> Callable[[RunListener], Runs]:
    """Who follows the runs is known to the face alone."""
    from handrail.features.agent.context import RunContext
    from handrail.features.agent.model_client import ModelClient
    from handrail.features.agent.recovery import Recovery
    from handrail.features.agent.runs import Runs
    from handrail.features.agent.tool_runner import ToolOffers, ToolRunner

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
