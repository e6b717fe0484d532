"""file_info: what a path is, its size, when it was changed, and what kind of content it has."""

from datetime import UTC, datetime
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from handrail.features.workspace.change import content_hash
from handrail.features.workspace.media import image_size, media_type
from handrail.features.workspace.snapshots import is_text
from handrail.features.workspace.workspace import Workspace, canonical, path_target
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Tool
from handrail.ports.errors import InputOutput, InvalidParams, NotFound, OutsideRoot


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    path: str


class Result(msgspec.Struct, frozen=True, rename="camel"):
    """`entries` is for folders. `sha256` and what follows is set for files of at most maxReadBytes."""

    path: str
    kind: Literal["file", "folder"]
    mode: str
    is_read_only: bool
    modified: str
    entries: int | UnsetType = UNSET
    bytes: int | UnsetType = UNSET
    sha256: str | UnsetType = UNSET
    lines: int | UnsetType = UNSET
    mime_type: str | UnsetType = UNSET
    width: int | UnsetType = UNSET
    height: int | UnsetType = UNSET


async def file_info(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result:
    """Show what a path is: size, mode, modification time, SHA-256, line count, or an image's size."""
    return await in_thread(call, lambda: _info(workspace, params))


def _info(workspace: Workspace, params: Params) -> Result:
    path = canonical(params.path)
    status = workspace.files.status(path)
    if status is None:
        raise NotFound(f"File not found: {path}", hint="list_files shows what there is.", path=path)
    if status.kind == "link" or status.kind == "other":
        raise OutsideRoot(f"{path} is neither a file nor a folder, so handrail doesn't use it.", path=path)
    changed = datetime.fromtimestamp(status.changed_ns / 1e9, UTC).isoformat(timespec="milliseconds")
    info = Result(path, status.kind, f"{status.mode:04o}", not status.mode & 0o222, changed)
    if status.kind == "folder":
        return replace(info, entries=len(workspace.files.entries(path)))
    if status.size > workspace.policy().limits.max_read_bytes:
        return replace(info, bytes=status.size)
    return _with_content(info, workspace.files.read(path))


def _with_content(info: Result, data: bytes) -> Result:
    mime = media_type(data)
    info = replace(info, bytes=len(data), sha256=content_hash(data), mime_type=mime or "application/octet-stream")
    if mime is not None and (size := image_size(data, mime)) is not None:
        return replace(info, width=size[0], height=size[1])
    if mime is None and is_text(data) and b"\0" not in data:
        lines = data.count(b"\n") + (data != b"" and not data.endswith(b"\n"))
        return replace(info, mime_type="text/plain", lines=lines)
    return info


TOOL = Tool(
    name="file_info",
    title="Describe a file or folder",
    params=Params,
    input_schema=schema_of(Params),
    output_schema=schema_of(Result),
    errors=(OutsideRoot, NotFound, InputOutput, InvalidParams),
    is_idempotent=True,
    target=path_target,
    run=file_info,
)
