"""search_files of contract 3 §1.5."""

import asyncio
from contextlib import aclosing

import msgspec

from handrail.features.workspace.backends.ripgrep import Hit, search
from handrail.features.workspace.workspace import Workspace, canonical, path_target
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import InputOutput, InvalidParams, NotFound, OutsideRoot, Timeout
from handrail.ports.schemas import schema

_PREVIEW_BYTES = 400
_YIELD_EVERY = 64


class Params(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    regex: str
    file_pattern: str | None = None
    max_matches: int = 2000


class Match(msgspec.Struct, frozen=True):
    path: str
    line: int
    preview: str


class Result(msgspec.Struct, frozen=True):
    matches: list[Match]


async def search_files(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result:
    """Search the text files below a folder, or one file, by regular expression, line by line. `filePattern` is a glob
    such as `**/*.txt`. Returns up to `maxMatches` lines, with paths from the project's root.
    """
    folder, name = _split(workspace, params.path)
    prefix = "" if folder == "." else folder + "/"
    policy = workspace.policy()
    passed = policy.decide("search_files", Effect.READ, path_target(params)).decision
    matches: list[Match] = []
    with workspace.files.open_descriptor(folder) as descriptor:
        hits = search(descriptor, name, params.regex, params.file_pattern, policy.closed_folders)
        async with aclosing(hits):
            async for hit in hits:
                path = prefix + hit.path
                if policy.rules and not policy.may_read("search_files", path, passed):
                    continue
                if (line := _line(workspace, path, hit)) is None:
                    continue
                matches.append(Match(path, hit.line, line))
                if len(matches) >= params.max_matches:
                    break
                if len(matches) % _YIELD_EVERY == 0:
                    await asyncio.sleep(0)
    return Result(sorted(matches, key=lambda match: (match.path, match.line)))


def _split(workspace: Workspace, path: str) -> tuple[str, str]:
    """Returns the folder to open and the name to search in it: `.` or a file's name."""
    base = canonical(path)
    workspace.files.parse(base)
    if base != "." and workspace.files.mode(base) is not None:
        folder, _, name = base.rpartition("/")
        return folder or ".", name
    return base, "."


def _line(workspace: Workspace, path: str, hit: Hit) -> str | None:
    """Returns the line as the sandbox reads it; None if it is gone or closed."""
    before = min(hit.offset, 1)
    try:
        data = workspace.files.read_at(path, hit.offset - before, _PREVIEW_BYTES + before + 1)
    except (NotFound, OutsideRoot):
        return None
    if before and data[:1] != b"\n":
        return None
    line, newline, _ = data[before:].partition(b"\n")
    if not newline and len(line) > _PREVIEW_BYTES:
        return line[:_PREVIEW_BYTES].decode(errors="ignore") + "…"
    return line.decode(errors="replace").removesuffix("\r")


TOOL = Tool(
    name="search_files",
    title="Search files",
    params=Params,
    input_schema=schema("webgal", "search_files.request"),
    output_schema=schema("webgal", "search_files.response"),
    errors=(OutsideRoot, NotFound, InvalidParams, InputOutput, Timeout),
    is_idempotent=True,
    target=path_target,
    run=search_files,
)
