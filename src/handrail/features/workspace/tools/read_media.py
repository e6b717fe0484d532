"""read_media: returns a picture or a sound of the project, for models that see and hear."""

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.workspace.media import image_size, media_type
from handrail.features.workspace.workspace import Workspace, canonical, path_target
from handrail.kernel.call import Call
from handrail.kernel.content import Audio, Image
from handrail.kernel.json_schema import schema_of
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Reply, Tool
from handrail.ports.errors import InputOutput, InvalidParams, NotFound, OutsideRoot, TooLarge, Unsupported


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    path: str


class Result(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    mime_type: str
    bytes: int
    width: int | UnsetType = UNSET
    height: int | UnsetType = UNSET


async def read_media(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Look at an image (PNG, JPEG, GIF, WebP) or listen to audio (WAV, MP3, Ogg, FLAC, M4A) in the project."""
    return await in_thread(call, lambda: _read(workspace, params))


def _read(workspace: Workspace, params: Params) -> Reply:
    path = canonical(params.path)
    data = workspace.files.read(path, workspace.policy().limits.max_read_bytes)
    mime = media_type(data)
    if mime is None:
        raise Unsupported(
            f"{path} is neither a picture nor a sound that models accept.",
            hint="PNG, JPEG, GIF, WebP, WAV, MP3, Ogg, FLAC and M4A can be read. Use read_file for text.",
            path=path,
        )
    size = image_size(data, mime)
    result = Result(path, mime, len(data), *(size or (UNSET, UNSET)))
    return Reply(result, [Image(data, mime) if mime.startswith("image/") else Audio(data, mime)])


TOOL = Tool(
    name="read_media",
    title="View an image or hear audio",
    params=Params,
    input_schema=schema_of(Params),
    output_schema=schema_of(Result),
    errors=(OutsideRoot, NotFound, TooLarge, Unsupported, InputOutput, InvalidParams),
    is_idempotent=True,
    target=path_target,
    run=read_media,
)
