"""Creates the agent from the project's gate, prompt queue and stores."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from handrail.features.agent.offers import AgentMount, Pages, TaskBus
    from handrail.kernel.project import Project


def mount_of(project: Project) -> Callable[[TaskBus, Pages], AgentMount]:
    return lambda bus, pages: _mount(project, bus, pages)


def _mount(project: Project, bus: TaskBus, pages: Pages) -> AgentMount:
    from handrail.features.agent.acp.acp_run import AcpRun
    from handrail.features.agent.acp.known_agents import agent_of
    from handrail.features.agent.acp.session import AcpSessions
    from handrail.features.agent.context import RunContext
    from handrail.features.agent.limits import Limits
    from handrail.features.agent.model_client import ModelClient
    from handrail.features.agent.offers import AgentMount
    from handrail.features.agent.recovery import Recovery
    from handrail.features.agent.routes import routes as agent_routes
    from handrail.features.agent.routes.events import AgentEvents
    from handrail.features.agent.routes.routes import AgentMessages
    from handrail.features.agent.runs import OtherAgent, Runs
    from handrail.features.agent.settings import AgentSettings, open_models
    from handrail.features.agent.shared_runs import SharedRuns
    from handrail.features.agent.tool_runner import ToolOffers, ToolRunner

    async def max_auto_fix() -> int:
        return (await project.policy.fetch()).limits.max_auto_fix

    settings, registry, models = project.settings_of(AgentSettings), project.registry, open_models(project.stores)
    limits = Limits(settings.agent_most_steps, settings.agent_most_cost)
    events = AgentEvents(pages, registry, limits)
    context = RunContext(
        tasks=bus.tasks,
        store=bus.runs,
        listener=events,
        tools=ToolRunner(project.gate, None if bus.shared_runs is None else project.stores.once),
        recovery=Recovery(project.audit, project.evidence, project.offer("workspace", "changes").hash_of),
        model_client=ModelClient(bus.runs, settings.model_context_tokens),
        queue=project.stores.prompts,
        offers=ToolOffers(registry),
        project=project.location,
        max_auto_fix=max_auto_fix,
        limits=limits,
    )
    sessions = AcpSessions(project.location, project.stores.path)

    def other_agent(model: str) -> OtherAgent | None:
        if agent_of(model) is None:
            return None
        return lambda task, run, message: AcpRun(task, run, message, sessions, project.gate, context)

    shared = bus.shared_runs
    runs = (
        Runs(context, models.open, other_agent)
        if shared is None
        else SharedRuns(context, models.open, other_agent, shared.leases, shared.peers)
    )

    @asynccontextmanager
    async def running() -> AsyncIterator[None]:
        try:
            async with runs.running():
                yield
        finally:
            await sessions.close()

    bus.takeover.stop_agent = runs.stop_if_any
    return AgentMount(
        AgentMessages(runs, events, bus.artifacts),
        lambda key: agent_routes.endpoints(bus.tasks, runs, models, events, key),
        running,
    )
