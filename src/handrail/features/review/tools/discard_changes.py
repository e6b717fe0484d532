"""discard_changes: deletes all changes in a cage."""

import msgspec

from handrail.features.review.reviews import Reviews
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import NoChange, Preview, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import Conflict, InvalidParams, NotFound


class Params(msgspec.Struct, frozen=True):
    cage: str


class Result(msgspec.Struct, frozen=True):
    discarded: str


async def discard_changes(reviews: Reviews, call: Call, params: Params, preview: Preview | None) -> Result:
    """Delete everything an agent left in its cage. This can't be undone; the project isn't touched."""
    await in_thread(call, lambda: reviews.discard(params.cage), is_final=True)
    return Result(params.cage)


async def preview(reviews: Reviews, call: Call, params: Params) -> Preview | NoChange:
    await in_thread(call, lambda: reviews.session(params.cage))
    return Preview(f"Discard everything in cage {params.cage}")


TOOL = Tool(
    name="discard_changes",
    title="Discard a cage's changes",
    params=Params,
    input_schema=schema_of(Params),
    output_schema=schema_of(Result),
    effect=Effect.WRITE,
    errors=(NotFound, Conflict, InvalidParams),
    deadline_ms=120_000,
    is_for_agents=False,
    preview=preview,
    run=discard_changes,
)
