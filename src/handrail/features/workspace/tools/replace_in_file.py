"""replace_in_file of contract 3 §1.4: every occurrence in one file."""

from dataclasses import replace

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.workspace.change import Change, compare, preview_of
from handrail.features.workspace.commit import commit
from handrail.features.workspace.line_diff import LineDiff
from handrail.features.workspace.partial_approval import add_partial_fields, narrow_one, partial_result, with_parts
from handrail.features.workspace.replacement import replace_all
from handrail.features.workspace.unreadable_files import read_to_change
from handrail.features.workspace.workspace import Workspace, path_target
from handrail.kernel.call import Call
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import NoChange, Preview, Tool
from handrail.kernel.visible import quoted_line
from handrail.ports.effect import Effect
from handrail.ports.errors import (
    BadEncoding,
    Conflict,
    Declined,
    InputOutput,
    InvalidParams,
    NotClean,
    NotFound,
    OutsideRoot,
    TooLarge,
)
from handrail.ports.schemas import schema


class Params(msgspec.Struct, frozen=True):
    path: str
    find: str
    replace: str
    flags: str | None = None


class Result(msgspec.Struct, frozen=True, rename="camel"):
    count: int
    diff: LineDiff | UnsetType = UNSET
    partial: bool | UnsetType = UNSET
    content_hash: str | UnsetType = UNSET


async def replace_in_file(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result:
    """Replace every `find` in a file. It is literal text, or a regular expression (RE2) if `flags` is given, it looks
    like `/pattern/flags` or begins with `(?`; then `replace` may use $1, $<name> and $&. No dry run is needed.
    """
    assert preview is not None
    change, count = preview.state
    await in_thread(call, lambda: commit(workspace, call, change), is_final=True)
    result = Result(count)
    return partial_result(result, compare(workspace, change), change, preview) if change.is_partial else result


async def preview(workspace: Workspace, call: Call, params: Params) -> Preview | NoChange:
    return await in_thread(call, lambda: _plan(workspace, call, params))


def _plan(workspace: Workspace, call: Call, params: Params) -> Preview | NoChange:
    path, before = read_to_change(workspace, call, params.path, "how often something occurs in it")
    after, count = replace_all(before, params.find, params.replace, params.flags, call.checkpoint)
    if count == 0:
        return NoChange(Result(0))
    change = Change(path, before, after)
    change_preview = preview_of(workspace, change, f"Replace {count} × in {quoted_line(path)}")
    return with_parts(replace(change_preview, state=(change, count)), [change])


TOOL = Tool(
    name="replace_in_file",
    title="Replace in a file",
    params=Params,
    input_schema=schema("webgal", "replace_in_file.request"),
    output_schema=add_partial_fields(schema("webgal", "replace_in_file.response")),
    effect=Effect.WRITE,
    errors=(OutsideRoot, NotFound, Conflict, BadEncoding, InputOutput, Declined, NotClean, InvalidParams, TooLarge),
    target=path_target,
    preview=preview,
    narrow=narrow_one,
    asks_early=True,
    run=replace_in_file,
)
