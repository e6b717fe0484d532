"""take_changes: writes chosen changes from a cage, or from a commit made there, to the project."""

from collections.abc import Mapping
from dataclasses import replace

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.review.plan import FileChoice, Plan, plan_of_commit
from handrail.features.review.reviews import Reviews
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import NoChange, Preview, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import Conflict, InputOutput, InvalidParams, NotFound


class Chosen(msgspec.Struct, frozen=True):
    """A path with the digest that was shown. Without `hunks`, the whole file.

    Conflicts are resolved by `theirs` (places of hunks that replace the person's own edits; any for a file without
    hunks) or `content` (the file as the person has edited it). With `settled`, what is left isn't shown again.
    """

    path: str
    digest: str | None = None
    hunks: list[int] | None = None
    theirs: list[int] = []
    content: str | None = None
    settled: bool = False

    @property
    def choice(self) -> FileChoice:
        content = None if self.content is None else self.content.encode()
        return FileChoice(self.hunks, self.theirs, content, self.settled)

    @property
    def has_details(self) -> bool:
        return self.hunks is not None or bool(self.theirs) or self.content is not None or self.settled


class Params(msgspec.Struct, frozen=True):
    """`items`, `commit` or neither: without both, everything except what git ignores."""

    cage: str
    items: list[Chosen] | None = None
    commit: str | None = None


class Result(msgspec.Struct, frozen=True, rename="camel"):
    taken: int
    paths: list[str]
    left: list[str] | UnsetType = UNSET
    """Paths that can't be taken, each with the reason."""


_MAX_PATHS = 100


async def take_changes(reviews: Reviews, call: Call, params: Params, preview: Preview | None) -> Result:
    """Apply chosen changes from a cage to the project, all or none; one undo reverts them together."""
    assert preview is not None
    plan: Plan = preview.state
    shown = replace(preview, state=plan.steps)
    await in_thread(call, lambda: _apply(reviews, call, params.cage, shown, plan), is_final=True)
    return Result(len(plan.paths), plan.paths[:_MAX_PATHS], plan.skipped or UNSET)


def _apply(reviews: Reviews, call: Call, cage: str, shown: Preview, plan: Plan) -> None:
    if plan.steps:
        reviews.changes.commit_all(call, shown)
    reviews.settle(cage, plan.decisions)


async def preview(reviews: Reviews, call: Call, params: Params) -> Preview | NoChange:
    return await in_thread(call, lambda: _preview(reviews, params))


def _preview(reviews: Reviews, params: Params) -> Preview | NoChange:
    plan = _plan(reviews, params)
    if not plan.steps and plan.decisions:
        return Preview(f"Keep your version of {', '.join(plan.decisions)}", state=plan)
    if not plan.steps:
        return NoChange(Result(0, [], plan.skipped or UNSET))
    paths = list(dict.fromkeys(step.path for step in plan.steps))
    many = "1 change" if len(paths) == 1 else f"{len(paths)} changes"
    shown = reviews.changes.preview_all(plan.steps, f"Take {many} from cage {params.cage}", plan.skipped)
    return replace(shown, state=replace(plan, steps=shown.state, paths=paths))


def _plan(reviews: Reviews, params: Params) -> Plan:
    if params.commit is not None:
        return plan_of_commit(reviews.commits(params.cage).changes(params.commit), reviews.why_closed)
    review = reviews.open(params.cage)
    try:
        if params.items is None:
            return review.plan(dict.fromkeys(review.takeable_paths(), FileChoice()))
        chosen: dict[str, FileChoice] = {}
        for item in params.items:
            for path in [item.path] if item.has_details else review.paths_below(item.path):
                chosen[path] = item.choice
        shown: Mapping[str, str] = {item.path: item.digest for item in params.items if item.digest}
        return review.plan(chosen, shown)
    finally:
        review.close()


TOOL = Tool(
    name="take_changes",
    title="Take changes from a cage",
    params=Params,
    input_schema=schema_of(Params),
    output_schema=schema_of(Result),
    effect=Effect.WRITE,
    errors=(NotFound, Conflict, InvalidParams, InputOutput),
    deadline_ms=600_000,
    is_for_agents=False,
    preview=preview,
    run=take_changes,
)
