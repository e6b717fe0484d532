"""Similar approvals in the terminal: lists them under one id, and answers them at once."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from handrail.faces.cli.output import one_line, say

if TYPE_CHECKING:
    from handrail.kernel.prompts.bundles import Bundle
    from handrail.ports.prompt_queue import PromptQueue
    from handrail.ports.stores import Stores


def as_json(bundles: "Sequence[Bundle]") -> list[dict[str, Any]]:
    return [
        {"bundleId": each.id, "bundle": each.key, "requestIds": [item.request_id for item in each.items]}
        for each in bundles
    ]


def bundle_lines(bundles: "Sequence[Bundle]") -> Iterator[str]:
    for each in bundles:
        yield ""
        yield f"{each.id}  {len(each.items)} similar approvals, which can be answered together:"
        yield from (f"  {one_line(item.prompt.title or '')}  {item.request_id}" for item in each.items)


async def answer(queue: "PromptQueue", stores: "Stores", bundle_id: str, response: Mapping[str, Any]) -> int:
    """Returns the exit status: 1 if one of them could not be answered."""
    from handrail.faces.cli.presence import cached_proof, with_typed_word
    from handrail.faces.cli.program import program
    from handrail.kernel.prompts.bundles import ShownApproval, answer_all, find_bundle
    from handrail.kernel.prompts.shown_digest import shown_digest
    from handrail.ports.errors import Failure

    bundle = await find_bundle(queue, bundle_id)
    shown = [ShownApproval(item.request_id, shown_digest(item.request_id, item.prompt)) for item in bundle.items]
    proof = cached_proof(with_typed_word(stores.presence.inspect_terminal))
    by = f"terminal:{program().machine.user}"
    outcomes = await answer_all(queue, shown, response, by=by, proof=proof)
    for item in bundle.items:
        outcome = outcomes[item.request_id]
        title = one_line(item.prompt.title or item.request_id)
        say(f"{title}: {outcome.message}" if isinstance(outcome, Failure) else f"{title}: answered.")
    return 1 if any(isinstance(outcome, Failure) for outcome in outcomes.values()) else 0
