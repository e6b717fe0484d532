"""move_path: gives a file or a folder another name or place."""

from handrail.features.workspace.acts import FromTo, Result, below, done, dry_run, effect, planned, target_of
from handrail.features.workspace.change import Move, file_name, move_of
from handrail.features.workspace.workspace import Workspace
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import CallSubject, NoChange, Preview, Tool
from handrail.kernel.visible import quoted_line
from handrail.ports.effect import Effect
from handrail.ports.errors import Conflict, Declined, InputOutput, InvalidParams, NotFound, OutsideRoot, TooLarge


async def move_path(workspace: Workspace, call: Call, params: FromTo, preview: Preview | None) -> Result:
    """Move or rename a file or folder. `to` is the new path, which must be free; missing folders are created."""
    if preview is None:
        return await in_thread(call, lambda: dry_run(workspace, [_move(workspace, params)]))
    return await done(workspace, call, preview)


async def preview(workspace: Workspace, call: Call, params: FromTo) -> Preview | NoChange:
    return await in_thread(call, lambda: _planned(workspace, params))


def _planned(workspace: Workspace, params: FromTo) -> Preview:
    move = _move(workspace, params)
    words = f"Move {quoted_line(move.path)} to {quoted_line(move.to)}"
    return planned(workspace, [move], words, CallSubject(move.path, within=move.to))


def _move(workspace: Workspace, params: FromTo) -> Move:
    return move_of(workspace, params.path, params.to)


async def locate(workspace: Workspace, call: Call, params: FromTo) -> Target:
    """Everything that moves, here and there. What may not be read may not be moved to where it may."""
    moved = call.located = await in_thread(call, lambda: below(workspace, params.path))
    source, to = file_name(params.path), file_name(params.to)
    new = [to + path[len(source) :] for path in moved]
    kinds = ((Effect.READ, moved), (effect(params), moved), (effect(params), new))
    return target_of((kind, path) for kind, paths in kinds for path in paths)


TOOL = Tool(
    name="move_path",
    title="Move a file or folder",
    params=FromTo,
    input_schema=schema_of(FromTo),
    output_schema=schema_of(Result),
    effect=effect,
    errors=(OutsideRoot, NotFound, Conflict, InputOutput, Declined, InvalidParams, TooLarge),
    locate=locate,
    preview=preview,
    run=move_path,
)
