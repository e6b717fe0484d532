"""The agent of our own, put together: the house's gate, queue and records behind a loop over a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handrail.app.house import House
    from handrail.contract.model_desk import ModelDesk
    from handrail.core.agent.audience import Audience
    from handrail.core.agent.limits import Limits
    from handrail.core.agent.runs import Runs
    from handrail.core.mimo.bus import LocalBus


def limits_for(house: House) -> Limits:
    """Where a task has none of its own."""
    from handrail.core.agent.limits import Limits

    return Limits(house.settings.agent_most_steps, house.settings.agent_most_cost)


def agent_for(house: House, bus: LocalBus, models: ModelDesk) -> Callable[[Audience], Runs]:
    """Who follows the runs is known to the face alone."""
    from handrail.core.agent.equipment import Equipment
    from handrail.core.agent.fate import Records
    from handrail.core.agent.hands import Hands
    from handrail.core.agent.offers import Offers
    from handrail.core.agent.runs import Runs
    from handrail.core.agent.thinking import Thinking

    settings = house.settings

    def runs(audience: Audience) -> Runs:
        equipment = Equipment(
            store=bus.runs,
            audience=audience,
            hands=Hands(house.gate),
            records=Records(house.audit, house.evidence),
            thinking=Thinking(bus.runs, settings.model_context_tokens),
            queue=house.prompts,
            offers=Offers(house.registry),
            project=house.project.location,
            max_auto_fix=lambda: house.policy.current().limits.max_auto_fix,
            limits=limits_for(house),
        )
        return Runs(equipment, models.open)

    return runs
