"""browser_upload of contract 2's catalogue, extended: files of the project, or artifacts, into a file field."""

import mimetypes
from posixpath import basename
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from handrail.contract.call import Call
from handrail.contract.effect import Effect
from handrail.contract.target import Target
from handrail.contract.tool import Preview, Reply
from handrail.core.mimo.artifacts import MAX_BYTES
from handrail.core.threads import in_thread
from handrail.surfaces.browser.acting import acted, previewing, told_of
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.params import ONE_ELEMENT, ElementParams
from handrail.surfaces.browser.results import Acted, read
from handrail.surfaces.browser.wording import quoted

_MOST = 20
Paths = Annotated[list[str], Meta(min_length=1, max_length=_MOST, description="Files of the project.")]


class Params(ElementParams, frozen=True, kw_only=True):
    paths: (
        Annotated[list[str], Meta(min_length=1, max_length=_MOST, description="Files of the project.")] | UnsetType
    ) = UNSET
    artifact_ids: Annotated[list[str], Meta(min_length=1, max_length=_MOST)] | UnsetType = UNSET


class Result(Acted, frozen=True, kw_only=True):
    uploaded: Literal[True]
    files: list[str]


async def browser_upload(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Put files into a file field of the page: files of the project (`paths`), or artifacts (`artifactIds`). The
    answer tells what changed.
    """
    task = (await browser.task(call)).task_id
    ids = [] if params.artifact_ids is UNSET else list(params.artifact_ids)
    for path in _paths(params):
        data = await _readable(browser, call, path)
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        ids.append(await browser.bus.keep(task, "upload", kind, data, basename(path)))
    result = read(await acted(browser, call, _without_paths(params), preview, artifactIds=ids), Result)
    return told_of(result, "Uploaded.")


async def _readable(browser: Browser, call: Call, path: str) -> bytes:
    """What leaves the project is read first, so the rules about reading count."""
    await call.check(Target(path="/".join(browser.files.parse(path))))
    return await in_thread(call, lambda: browser.files.read(path, MAX_BYTES))


def _paths(params: Params) -> list[str]:
    return [] if params.paths is UNSET else params.paths


def _without_paths(params: Params) -> Params:
    return msgspec.structs.replace(params, paths=UNSET)


def _summary(params: Params, element: str) -> str:
    given = [*_paths(params), *(() if params.artifact_ids is UNSET else params.artifact_ids)]
    return f"Upload {', '.join(map(quoted, given))} into {element}"


TOOL = browser_tool(
    browser_upload,
    Params,
    Result,
    "Upload files",
    effect=Effect.UI_CONTROL,
    preview=previewing(_summary),
    also={**ONE_ELEMENT, "anyOf": [{"required": ["paths"]}, {"required": ["artifactIds"]}]},
)
