"""list_snapshots of contract 3 §2.4."""

import math
from itertools import islice
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.workspace.workspace import Workspace
from handrail.kernel.call import Call
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Tool
from handrail.ports.errors import Internal, InvalidParams
from handrail.ports.schemas import schema

_DEFAULT_LIMIT = 50


class Params(msgspec.Struct, frozen=True):
    limit: float = _DEFAULT_LIMIT
    path: str = ""


class ListedSnapshot(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    path: str
    timestamp: int | float
    content_hash: str
    idempotency_key: str | UnsetType = UNSET


class Result(msgspec.Struct, frozen=True):
    snapshots: list[ListedSnapshot]


async def list_snapshots(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result:
    """List earlier versions of changed files, newest first: of paths that begin with `path`. restore_snapshot returns
    the content of one.
    """
    return await in_thread(call, lambda: _list(workspace, params))


def _list(workspace: Workspace, params: Params) -> Result:
    policy = workspace.policy()
    listed = (
        ListedSnapshot(
            snapshot.id, snapshot.path, snapshot.timestamp, snapshot.content_hash, snapshot.idempotency_key or UNSET
        )
        for cached in workspace.snapshots.newest_first()
        if cached.is_text
        and cached.path.startswith(params.path)
        and (not policy.rules or policy.may_read("list_snapshots", cached.path))
        and (snapshot := workspace.snapshots.read_again(cached.id))
    )
    return Result(list(islice(listed, int(params.limit))))


def normalize(raw: dict[str, Any]) -> dict[str, Any]:
    """A negative or missing limit means the default, before the schema is checked."""
    limit = raw.get("limit")
    if isinstance(limit, int | float) and not isinstance(limit, bool) and (math.isnan(limit) or limit < 0):
        return {**raw, "limit": _DEFAULT_LIMIT}
    return raw


TOOL = Tool(
    name="list_snapshots",
    title="List snapshots",
    params=Params,
    input_schema=schema("webgal", "list_snapshots.request"),
    output_schema=schema("webgal", "list_snapshots.response"),
    errors=(InvalidParams, Internal),
    is_idempotent=True,
    normalize=normalize,
    run=list_snapshots,
)
