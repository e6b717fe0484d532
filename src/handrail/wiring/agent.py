"""The agent of our own, put together: the house's gate, queue and records behind a loop over a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handrail.features.browser.bus.bus import LocalBus
    from handrail.features.browser.routes.mount import AgentMount
    from handrail.features.browser.routes.page_events import PageEvents
    from handrail.wiring.house import House


def mounted_agent(house: House, bus: LocalBus, pages: PageEvents) -> AgentMount:
    from handrail.features.agent.context import RunContext
    from handrail.features.agent.limits import Limits
    from handrail.features.agent.model_client import ModelClient
    from handrail.features.agent.recovery import Recovery
    from handrail.features.agent.routes import routes as agent_routes
    from handrail.features.agent.routes.events import AgentEvents
    from handrail.features.agent.routes.messages import AgentMessages
    from handrail.features.agent.runs import Runs
    from handrail.features.agent.tool_runner import ToolOffers, ToolRunner
    from handrail.features.browser.routes.mount import AgentMount
    from handrail.wiring.models import open_models

    async def max_auto_fix() -> int:
        return (await house.policy.fetch()).limits.max_auto_fix

    settings, registry, models = house.settings, house.registry, open_models(house.state.path)
    limits = Limits(settings.agent_most_steps, settings.agent_most_cost)
    events = AgentEvents(pages, registry, limits)
    context = RunContext(
        tasks=bus.tasks,
        store=bus.runs,
        listener=events,
        tools=ToolRunner(house.gate),
        recovery=Recovery(house.audit, house.evidence),
        model_client=ModelClient(bus.runs, settings.model_context_tokens),
        queue=house.prompts,
        offers=ToolOffers(registry),
        project=house.project.location,
        max_auto_fix=max_auto_fix,
        limits=limits,
    )
    runs = Runs(context, models.open)
    bus.takeover.stop_agent = runs.stop_if_any
    return AgentMount(
        AgentMessages(runs, events, bus.artifacts),
        lambda key: agent_routes.endpoints(bus.tasks, runs, models, events, key),
        runs.running,
    )
