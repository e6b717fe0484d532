"""copy_path: copies a file or a folder."""

from handrail.features.workspace.change import Change, Step, file_name
from handrail.features.workspace.path_changes import (
    Result,
    SourceParams,
    apply_preview,
    check_size,
    combined_target,
    count_files,
    dry_run_result,
    effect,
    make_preview,
    tree_paths,
)
from handrail.features.workspace.plans import plan_copy
from handrail.features.workspace.workspace import Workspace
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import CallSubject, NoChange, Preview, Tool
from handrail.kernel.visible import quoted_line
from handrail.ports.effect import Effect
from handrail.ports.errors import (
    Conflict,
    Declined,
    InputOutput,
    InvalidParams,
    NotClean,
    NotFound,
    OutsideRoot,
    TooLarge,
)


async def copy_path(workspace: Workspace, call: Call, params: SourceParams, preview: Preview | None) -> Result:
    """Copy a file or folder. `to` is the new path, which must be free; missing folders are created."""
    if preview is None:
        return await in_thread(call, lambda: dry_run_result(workspace, _steps(workspace, call, params)))
    return await apply_preview(workspace, call, preview)


async def preview(workspace: Workspace, call: Call, params: SourceParams) -> Preview | NoChange:
    return await in_thread(call, lambda: _plan(workspace, call, params))


def _plan(workspace: Workspace, call: Call, params: SourceParams) -> Preview:
    steps = _steps(workspace, call, params)
    for step in steps:
        if isinstance(step, Change) and step.after is not None:
            workspace.review(step.path, step.after)
    source, to = file_name(params.path), steps[0].path
    contents = f" with {count_files(steps)} files" if len(steps) > 1 else ""
    summary = f"Copy {quoted_line(source)}{contents} to {quoted_line(to)}"
    return make_preview(workspace, steps, summary, CallSubject(source, within=to))


def _steps(workspace: Workspace, call: Call, params: SourceParams) -> list[Step]:
    check_size(workspace, call.located)
    steps = plan_copy(workspace, params.path, params.to)
    source, to = file_name(params.path), steps[0].path
    if {source + step.path[len(to) :] for step in steps} - set(call.located):
        raise Conflict(f"{source} was changed during the call.", hint="Repeat the call.", path=source)
    return steps


async def locate(workspace: Workspace, call: Call, params: SourceParams) -> Target:
    """Rules apply to what is read and to what is written."""
    sources = call.located = await in_thread(call, lambda: tree_paths(workspace, params.path))
    source, to = file_name(params.path), file_name(params.to)
    copies = [to + path[len(source) :] for path in sources]
    kinds = ((Effect.READ, sources), (effect(params), copies))
    return combined_target((kind, path) for kind, paths in kinds for path in paths)


TOOL = Tool(
    name="copy_path",
    title="Copy a file or folder",
    params=SourceParams,
    input_schema=schema_of(SourceParams),
    output_schema=schema_of(Result),
    effect=effect,
    errors=(OutsideRoot, NotFound, Conflict, InputOutput, Declined, NotClean, InvalidParams, TooLarge),
    locate=locate,
    preview=preview,
    run=copy_path,
)
