"""Builds the gate of a project from its tools, policy and approver."""

from collections.abc import Collection, Mapping

from handrail.kernel.approval import Approver
from handrail.kernel.feature import Feature, load
from handrail.kernel.gate import Gate
from handrail.kernel.notify_person import notify_nobody
from handrail.kernel.observed_gate import ObservedApprover, ObservedGate, ObservedRecorder, observed_policy
from handrail.kernel.project import Project
from handrail.kernel.question_limit import QuestionLimit
from handrail.kernel.queue_approver import AskInQueue, QueueApprover, remember_in
from handrail.kernel.recorder import Recorder
from handrail.kernel.registry import Listing, Registry, surface_of
from handrail.kernel.task_end import end_caller_task_in
from handrail.kernel.task_ownership import TaskOwnership
from handrail.kernel.tokens import MemoryTokens


def build_gate(
    project: Project,
    approver: Approver | AskInQueue,
    surfaces: Collection[str] | None,
    not_installed: Mapping[str, str],
) -> Gate:
    """`surfaces` are the features whose tools are enabled; None means all of them."""
    has_terminal = isinstance(approver, AskInQueue) and approver.has_terminal
    calls_person = project.settings.call_person and not has_terminal
    observer, person = (
        project.observer,
        approver_for(project, approver) if isinstance(approver, AskInQueue) else approver,
    )
    recording = (project.evidence, project.audit, project.location)
    gate = (Gate if observer is None else ObservedGate)(
        _registry(project, surfaces, not_installed),
        project.policy.fetch if observer is None else observed_policy(project.policy.fetch),
        person if observer is None else ObservedApprover(person),
        MemoryTokens(),
        Recorder(*recording) if observer is None else ObservedRecorder(*recording),
        executor_tokens=project.stores.tokens,
        consents=project.stores.consents,
        notify_person=project.offered("summons").call if calls_person else notify_nobody,
        end_task=end_caller_task_in(project.stores),
        ownership=TaskOwnership(project.stores.task_owners, project.machine.has_ended),
        is_identity_valid=project.stores.agents.is_still_valid,
        limit=_question_limit(project),
    )
    if observer is not None and isinstance(gate, ObservedGate):
        gate.observer = observer
    return gate


def approver_for(project: Project, how: AskInQueue) -> QueueApprover:
    """An approver that asks through the queue of this project's stores."""
    stores = project.stores
    return QueueApprover(
        stores.prompts,
        stores.once,
        remember_in(stores),
        stores.grants,
        project.policy.project,
        channels=how.channels,
        keeps_prompt=how.keeps_prompt,
        limit=_question_limit(project),
    )


def _registry(project: Project, surfaces: Collection[str] | None, not_installed: Mapping[str, str]) -> Registry:
    with_tools = [feature for feature in project.features.values() if feature.tools]
    switched_on = [feature for feature in with_tools if not feature.switched_on or load(feature.switched_on)(project)]
    enabled = [feature for feature in switched_on if surfaces is None or feature.name in surfaces]
    return Registry(
        [surface_of(feature, project.part(feature.name)) for feature in with_tools],
        {feature.name for feature in enabled},
        in_developer_mode=lambda: project.policy.current().is_for_developers,
        not_installed=not_installed,
        dynamic=[
            tools
            for feature in enabled
            if feature.dynamic_tools and (tools := load(feature.dynamic_tools)(project)) is not None
        ],
        listing=_listing(project, surfaces),
        listed_first=lambda name: _is_listed_first(project, project.features[name]),
    )


def _listing(project: Project, surfaces: Collection[str] | None) -> Listing:
    if project.settings.compact_tools:
        return "compact"
    return "all" if project.settings.all_tools or surfaces is not None else "first"


def _is_listed_first(project: Project, feature: Feature) -> bool:
    where = feature.listed_first
    return bool(load(where)(project)) if isinstance(where, str) else where


def _question_limit(project: Project) -> QuestionLimit:
    return QuestionLimit(project.stores.questions, project.settings.questions_per_minute)
