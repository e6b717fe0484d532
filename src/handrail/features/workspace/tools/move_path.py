"""move_path: moves or renames a file or a folder."""

from handrail.features.workspace.change import Move, file_name
from handrail.features.workspace.path_changes import (
    Result,
    SourceParams,
    apply_preview,
    combined_target,
    dry_run_result,
    effect,
    make_preview,
    tree_paths,
)
from handrail.features.workspace.plans import plan_move
from handrail.features.workspace.workspace import Workspace
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import CallSubject, NoChange, Preview, Tool
from handrail.kernel.visible import quoted_line
from handrail.ports.effect import Effect
from handrail.ports.errors import Conflict, Declined, InputOutput, InvalidParams, NotFound, OutsideRoot, TooLarge


async def move_path(workspace: Workspace, call: Call, params: SourceParams, preview: Preview | None) -> Result:
    """Move or rename a file or folder. `to` is the new path, which must be free; missing folders are created."""
    if preview is None:
        return await in_thread(call, lambda: dry_run_result(workspace, [_move(workspace, params)]))
    return await apply_preview(workspace, call, preview)


async def preview(workspace: Workspace, call: Call, params: SourceParams) -> Preview | NoChange:
    return await in_thread(call, lambda: _plan(workspace, params))


def _plan(workspace: Workspace, params: SourceParams) -> Preview:
    move = _move(workspace, params)
    summary = f"Move {quoted_line(move.path)} to {quoted_line(move.to)}"
    return make_preview(workspace, [move], summary, CallSubject(move.path, within=move.to))


def _move(workspace: Workspace, params: SourceParams) -> Move:
    return plan_move(workspace, params.path, params.to)


async def locate(workspace: Workspace, call: Call, params: SourceParams) -> Target:
    """Rules apply to old and new paths, and to reading: a move must not make a closed file readable."""
    old_paths = call.located = await in_thread(call, lambda: tree_paths(workspace, params.path))
    source, to = file_name(params.path), file_name(params.to)
    new_paths = [to + path[len(source) :] for path in old_paths]
    kinds = ((Effect.READ, old_paths), (effect(params), old_paths), (effect(params), new_paths))
    return combined_target((kind, path) for kind, paths in kinds for path in paths)


TOOL = Tool(
    name="move_path",
    title="Move a file or folder",
    params=SourceParams,
    input_schema=schema_of(SourceParams),
    output_schema=schema_of(Result),
    effect=effect,
    errors=(OutsideRoot, NotFound, Conflict, InputOutput, Declined, InvalidParams, TooLarge),
    locate=locate,
    preview=preview,
    run=move_path,
)
