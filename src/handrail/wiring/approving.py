"""Who is asked for approvals, and how a person is called to them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from handrail.features.people.summons import Summons, Whereabouts
from handrail.kernel.approval import Question
from handrail.kernel.evidence import utc_now
from handrail.kernel.queue_approver import BesideQuestion, QueueApprover, in_the_queue_alone
from handrail.kernel.target import ANY_HOST
from handrail.ports.prompts import PromptResponse
from handrail.stores.local.consents import SqliteConsents
from handrail.stores.local.display import has_display
from handrail.stores.local.once import SqliteOnce
from handrail.stores.local.prompt_queue import LoggedPrompts
from handrail.stores.local.settings import Settings
from handrail.stores.local.state import State
from handrail.stores.local.user_rules import UserRules
from handrail.stores.local.watching import is_watched
from handrail.wiring.server import running_server


@dataclass(frozen=True, slots=True)
class InQueue:
    """Approvals are asked for in the house's queue, and `beside` it. Whether a prompt outlives its caller is told."""

    beside: BesideQuestion = in_the_queue_alone
    is_left_standing: bool = True

    @property
    def has_terminal(self) -> bool:
        return self.beside is not in_the_queue_alone


def queue_approver(state: State, prompts: LoggedPrompts, how: InQueue) -> QueueApprover:
    rules = UserRules(state.path)

    consents = SqliteConsents(state.database)

    async def allow_always(question: Question, response: PromptResponse, by: str) -> None:
        if (to := question.preview.consent) is not None:
            await consents.give(question.call.caller, to, is_for_app=response.covers == "app", by=by)
            return
        members = {"tool": question.call.tool}
        if question.preview.host == ANY_HOST:
            return  # what was shown has no name that a rule could hold
        if question.preview.path is not None:
            members["path"] = question.preview.path
        if question.preview.host is not None:
            members["host"] = question.preview.host
        if question.preview.app is not None:
            members["app"] = question.preview.app
        await rules.allow(f"allowed for good on {utc_now():%Y-%m-%d}", **members)

    return QueueApprover(
        prompts,
        SqliteOnce(state.database),
        allow_always,
        beside=how.beside,
        is_left_standing=how.is_left_standing,
    )


def summons_to(settings: Settings, state: Path, project: Path) -> Summons:
    def running() -> str | None:
        server = running_server(state)
        return server.url if server is not None and server.is_running else None

    opens_console = settings.open_console and has_display()
    return Summons(Whereabouts(state, project, running, lambda: is_watched(state), opens_console))
