"""The agent of our own, put together: the house's gate, queue and records behind a loop over a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handrail.app.house import House
    from handrail.core.mimo.bus import LocalBus
    from handrail.faces.bus.mount import AgentMount
    from handrail.faces.bus.page_events import PageEvents


def mounted_agent(house: House, bus: LocalBus, pages: PageEvents) -> AgentMount:
    from handrail.app.models import StateModels
    from handrail.core.agent.context import RunContext
    from handrail.core.agent.limits import Limits
    from handrail.core.agent.model_client import ModelClient
    from handrail.core.agent.recovery import Recovery
    from handrail.core.agent.runs import Runs
    from handrail.core.agent.tool_runner import ToolOffers, ToolRunner
    from handrail.faces.bus import agent_routes
    from handrail.faces.bus.agent_events import AgentEvents
    from handrail.faces.bus.agent_messages import AgentMessages
    from handrail.faces.bus.mount import AgentMount

    settings, registry, models = house.settings, house.registry, StateModels(house.state.path)
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
        max_auto_fix=lambda: house.policy.current().limits.max_auto_fix,
        limits=limits,
    )
    runs = Runs(context, models.open)
    bus.takeover.stop_agent = runs.stop_if_any
    return AgentMount(
        AgentMessages(runs, events, bus.artifacts),
        lambda key: agent_routes.endpoints(bus.tasks, pages, runs, models, registry, limits, key),
        runs.running,
    )
