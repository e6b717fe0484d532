"""read_file of contract 3 §1.2."""

import msgspec

from handrail.features.workspace.workspace import Workspace, canonical, path_target, text_of
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Tool
from handrail.ports.errors import BadEncoding, InputOutput, InvalidParams, NotFound, OutsideRoot, TooLarge
from handrail.ports.schemas import schema


class Params(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    max_bytes: int | None = None


class Result(msgspec.Struct, frozen=True):
    path: str
    content: str
    encoding: str
    bytes: int


async def read_file(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result:
    """Read a whole UTF-8 text file. One larger than `maxBytes` or the policy's maxReadBytes is an error: use
    search_files.
    """
    limit = workspace.policy().limits.max_read_bytes
    if params.max_bytes is not None:
        limit = min(limit, params.max_bytes)
    data = workspace.files.read(params.path, limit)
    path = canonical(params.path)
    return Result(path=path, content=text_of(data, path), encoding="utf-8", bytes=len(data))


TOOL = Tool(
    name="read_file",
    title="Read a file",
    params=Params,
    input_schema=schema("webgal", "read_file.request"),
    output_schema=schema("webgal", "read_file.response"),
    errors=(OutsideRoot, NotFound, BadEncoding, TooLarge, InputOutput, InvalidParams),
    is_idempotent=True,
    target=path_target,
    run=read_file,
)
