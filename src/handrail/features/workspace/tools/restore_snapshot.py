"""restore_snapshot of contract 3 §2.5: returns content, writes nothing."""

import msgspec

from handrail.features.workspace.workspace import Workspace, text_of
from handrail.kernel.call import Call
from handrail.kernel.target import Target
from handrail.kernel.tool import Preview, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import Damaged, Declined, Internal, InvalidParams, NotFound
from handrail.ports.schemas import schema


class Params(msgspec.Struct, frozen=True, rename="camel"):
    snapshot_id: str


class Result(msgspec.Struct, frozen=True):
    path: str
    content: str


async def restore_snapshot(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result:
    """Return a file's content before the write that gave this `snapshotId`. Nothing is written: to undo that write,
    pass the content to write_to_file.
    """
    snapshot, content = workspace.snapshots.read(params.snapshot_id)
    workspace.files.parse(snapshot.path)
    policy = workspace.policy()
    passed = policy.decide("restore_snapshot", Effect.READ, Target()).decision
    if not policy.may_read("restore_snapshot", snapshot.path, passed):
        raise Declined(f"The policy requires approval to read {snapshot.path}.", reason="policy")
    return Result(snapshot.path, text_of(content, snapshot.path))


TOOL = Tool(
    name="restore_snapshot",
    title="Read a snapshot",
    params=Params,
    input_schema=schema("webgal", "restore_snapshot.request"),
    output_schema=schema("webgal", "restore_snapshot.response"),
    errors=(InvalidParams, NotFound, Damaged, Internal),
    is_idempotent=True,
    run=restore_snapshot,
)
