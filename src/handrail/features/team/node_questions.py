"""Nodes' pending approvals in the team's queue. The node's own queue decides which answer came first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress

from msgspec import UNSET
from msgspec.structs import replace

from handrail.kernel.audit import Audit
from handrail.kernel.presence import subject_of_card
from handrail.kernel.prompts.shown_digest import shown_digest
from handrail.ports.errors import Conflict, InvalidParams, NotFound
from handrail.ports.node import NodeAnswer, NodeOutcome, NodeQuestion
from handrail.ports.prompt_queue import ApprovalSubject, Origin, QueuedPrompt, Receipt
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.team import Member, TeamStores

PREFIX = "node_"


def queue_id(node: str, request_id: str) -> str:
    """The id of a node's question in the team's queue."""
    return f"{PREFIX}{node}_{request_id}"


class NodeQuestions:
    """`request` and `respond` are the queue's own methods, called after permissions were checked."""

    def __init__(
        self,
        request: Callable[..., Awaitable[str]],
        respond: Callable[..., Awaitable[Receipt]],
        team: TeamStores,
        audit: Audit,
    ) -> None:
        self._request = request
        self._respond = respond
        self._nodes = team.nodes
        self._audit = audit

    async def post(self, member: Member, question: NodeQuestion) -> None:
        """Can be repeated: the question is posted only once."""
        card = question.prompt.card
        if card is UNSET:
            raise InvalidParams("Only approvals can be sent to the team.", field="prompt")
        subject = replace(subject_of_card(card, member.id), identity=f"node:{member.id}")
        origin = Origin(f"node:{member.name}", is_own=True, about=subject)
        with suppress(Conflict):  # it was posted before
            await self._request(question.prompt, request_id=queue_id(member.id, question.request_id), origin=origin)
        await self._nodes.opened(member.id, question.request_id)

    async def settle(self, member: Member, outcome: NodeOutcome) -> None:
        """Records the answer of the node's own queue, which decides."""
        record = {"event": "node answer", "node": member.id, "requestId": outcome.request_id}
        if outcome.response is UNSET:
            await self._audit.add({**record, "refused": outcome.refused[:300]}, durable=True)
            await self._nodes.refuse(member.id, outcome.request_id)
            return
        by = f"{outcome.by or 'a person'} at {member.name}"
        await self._audit.add({**record, "status": outcome.response.status, "by": by}, durable=True)
        await self._close(member.id, outcome.request_id, outcome.response, by)

    async def cancel_orphaned(self) -> None:
        """Cancels the questions of nodes whose token was revoked."""
        for node, request_id in await self._nodes.orphaned_questions():
            await self._close(node, request_id, PromptResponse(status="canceled"), "handrail")

    async def forward_answer(
        self, prompt: QueuedPrompt, subject: ApprovalSubject, response: PromptResponse, by: Sequence[str]
    ) -> bool:
        """Sends it to the node; False if another answer was sent before, or the node has one."""
        request_id = prompt.request_id.removeprefix(queue_id(subject.node, ""))
        shown = shown_digest(request_id, prompt.prompt)
        answer = NodeAnswer(request_id=request_id, response=response, by=tuple(by), shown=shown)
        return await self._nodes.answer(subject.node, answer)

    async def connected(self, request_ids: Collection[str]) -> Collection[str]:
        """Returns the questions whose node is connected."""
        prefixes = tuple(queue_id(node, "") for node in await self._nodes.connected())
        return {each for each in request_ids if each.startswith(prefixes)} if prefixes else ()

    async def _close(self, node: str, request_id: str, response: PromptResponse, by: str) -> None:
        with suppress(Conflict, NotFound, InvalidParams):  # it was closed before, or never posted
            await self._respond(queue_id(node, request_id), response, by=by)
        await self._nodes.close(node, request_id)
