"""copy_path: a second file or folder with the same content."""

from handrail.features.workspace.acts import (
    FromTo,
    Result,
    below,
    check_size,
    done,
    dry_run,
    effect,
    files_of,
    planned,
    target_of,
)
from handrail.features.workspace.change import Change, Step, copy_of, file_name
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


async def copy_path(workspace: Workspace, call: Call, params: FromTo, preview: Preview | None) -> Result:
    """Copy a file or folder. `to` is the new path, which must be free; missing folders are created."""
    if preview is None:
        return await in_thread(call, lambda: dry_run(workspace, _steps(workspace, call, params)))
    return await done(workspace, call, preview)


async def preview(workspace: Workspace, call: Call, params: FromTo) -> Preview | NoChange:
    return await in_thread(call, lambda: _planned(workspace, call, params))


def _planned(workspace: Workspace, call: Call, params: FromTo) -> Preview:
    steps = _steps(workspace, call, params)
    for step in steps:
        if isinstance(step, Change) and step.after is not None:
            workspace.review(step.path, step.after)
    source, to = file_name(params.path), steps[0].path
    held = f" with {files_of(steps)} files" if len(steps) > 1 else ""
    words = f"Copy {quoted_line(source)}{held} to {quoted_line(to)}"
    return planned(workspace, steps, words, CallSubject(source, within=to))


def _steps(workspace: Workspace, call: Call, params: FromTo) -> list[Step]:
    check_size(workspace, call.located)
    steps = copy_of(workspace, params.path, params.to)
    source, to = file_name(params.path), steps[0].path
    if {source + step.path[len(to) :] for step in steps} - set(call.located):
        raise Conflict(f"{source} has changed meanwhile.", hint="Repeat the call.", path=source)
    return steps


async def locate(workspace: Workspace, call: Call, params: FromTo) -> Target:
    """What is read here, and what is written there."""
    read = call.located = await in_thread(call, lambda: below(workspace, params.path))
    source, to = file_name(params.path), file_name(params.to)
    written = [to + path[len(source) :] for path in read]
    kinds = ((Effect.READ, read), (effect(params), written))
    return target_of((kind, path) for kind, paths in kinds for path in paths)


TOOL = Tool(
    name="copy_path",
    title="Copy a file or folder",
    params=FromTo,
    input_schema=schema_of(FromTo),
    output_schema=schema_of(Result),
    effect=effect,
    errors=(OutsideRoot, NotFound, Conflict, InputOutput, Declined, NotClean, InvalidParams, TooLarge),
    locate=locate,
    preview=preview,
    run=copy_path,
)
