"""browser_upload of contract 2's catalogue, extended: files of the project, or artifacts, into a file field."""

import mimetypes
from dataclasses import replace
from functools import partial
from hashlib import sha256
from posixpath import basename

from msgspec import UNSET, structs

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.artifacts import MAX_BYTES
from handrail.features.browser.bus.input_actions import UPLOAD, UploadParams
from handrail.features.browser.page_input import act_and_reply, previewing
from handrail.kernel.call import Call
from handrail.kernel.quoting import quote_text
from handrail.kernel.target import Step, Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Reply
from handrail.ports.errors import ShownChanged


async def browser_upload(browser: Browser, call: Call, params: UploadParams, preview: Preview | None) -> Reply:
    """Put project files or artifacts into a file field."""
    task = (await browser.task(call)).task_id
    ids = [] if params.artifact_ids is UNSET else list(params.artifact_ids)
    for path in _paths(params):
        data = await _readable(browser, call, path)
        if preview is not None and preview.binding.get(f"file {path}", _hash(data)) != _hash(data):
            raise ShownChanged(f"{path} was changed since it was approved.", hint="Ask again.", path=path)
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        ids.append(await browser.bus.store_artifact(task, "upload", kind, data, basename(path)))
    return await act_and_reply(browser, call, UPLOAD, params, preview, "Uploaded.", artifactIds=ids)


async def _readable(browser: Browser, call: Call, path: str) -> bytes:
    """Reads a file of the project. The policy's rules for reading apply."""
    await call.check(Target(path="/".join(browser.files.parse(path))))
    return await in_thread(call, lambda: browser.files.read(path, MAX_BYTES))


async def _preview(browser: Browser, call: Call, params: UploadParams) -> Preview:
    """A yes is for the files' present content."""
    preview = await _PREVIEW_ACTION(browser, call, params)
    if not call.is_shown:
        return preview
    facts, binding = [*preview.facts], dict(preview.binding)
    for path in _paths(params):
        data = await in_thread(call, partial(browser.files.read, path, MAX_BYTES))
        binding[f"file {path}"] = _hash(data)
        facts.append(("file", f"{quote_text(path)}, {len(data)} bytes, SHA-256 {_hash(data)[:16]}…"))
    return replace(preview, facts=facts, binding=binding)


def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()


def _paths(params: UploadParams) -> list[str]:
    return [] if params.paths is UNSET else params.paths


def _summary(params: UploadParams, element: str) -> str:
    given = [*_paths(params), *(() if params.artifact_ids is UNSET else params.artifact_ids)]
    return f"Upload {', '.join(map(quote_text, given))} into {element}"


_PREVIEW_ACTION = previewing(_summary)


async def _locate(browser: Browser, call: Call, params: UploadParams) -> Target:
    """The page and the files for it, so that an approval for one file isn't one for another."""
    page = await browser.locate(call, params.tab_id)
    paths = ["/".join(browser.files.parse(path)) for path in _paths(params)]
    if len(paths) <= 1:
        return structs.replace(page.target, path=paths[0] if paths else None)
    return structs.replace(page.target, steps=tuple(Step(UPLOAD.effect, Target(path=path)) for path in paths))


TOOL = browser_tool(UPLOAD, browser_upload, preview=_preview, locate=_locate)
