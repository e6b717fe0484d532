"""Contract 2 §2.4: slots for artifacts, uploads with the slot's token, and downloads."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from handrail.faces.http.answers import failed
from handrail.faces.http.endpoint import Endpoint, Query
from handrail.features.browser.bus.artifacts import UPLOAD_WITHIN
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.routes.bodies import Presign, Uploaded
from handrail.features.browser.routes.task_access import TaskAccess
from handrail.ports.browser import UploadSlot
from handrail.ports.errors import TooLarge

PATH = "/api/artifacts/"
_UPLOAD = "/upload"
_INLINE_TYPES = ("image/png", "image/jpeg", "image/webp", "image/gif", "text/plain")
_ISOLATED = "sandbox; default-src 'none'; frame-ancestors 'none'"


def endpoints(bus: LocalBus, access: TaskAccess) -> Sequence[Endpoint]:
    async def presign(request: Request, body: Presign) -> UploadSlot:
        await access.check(request, body.task_id)
        task = await bus.tasks.ensure(body.task_id)
        return await bus.artifacts.presign(task.id, body.kind, body.content_type, body.name)

    async def upload(request: Request, body: None) -> Uploaded | Response:
        token = request.query_params.get("token", "")
        try:
            url = await bus.artifacts.receive(request.path_params["artifactId"], token, request.stream())
        except TooLarge as too_large:
            answer = failed(too_large)
            answer.status_code = 413
            return answer
        return Uploaded(download_url=url)

    async def download(request: Request, body: None) -> Response:
        artifact = await bus.artifacts.fetch(request.path_params["artifactId"])
        is_shown = artifact.content_type.partition(";")[0] in _INLINE_TYPES
        return Response(
            artifact.data,
            headers={
                "content-type": artifact.content_type,
                "content-disposition": "inline" if is_shown else "attachment",
                "content-security-policy": _ISOLATED,  # stored HTML must not run as a page of ours
                "x-artifact-kind": artifact.kind,
            },
        )

    token = [Query("token", {"type": "string"}, is_required=True)]
    summary = f"Uploads the artifact's bytes, once, within {UPLOAD_WITHIN:g} s."
    upload_path = f"{PATH}{{artifactId}}{_UPLOAD}"
    return [
        Endpoint(
            "POST", f"{PATH}presign", "Creates a slot for an artifact.", presign, UploadSlot, body=Presign,
            access="plugin", errors=(409,),
        ),
        *(
            Endpoint(
                method, upload_path, summary, upload, Uploaded, raw_body=True, query=token, access="open",
                errors=(404, 409, 410),
            )
            for method in ("POST", "PUT")
        ),
        Endpoint(
            "GET", f"{PATH}{{artifactId}}", "Downloads an artifact.", download, None, access="plugin",
            errors=(404, 410), media_type="*/*",
        ),
    ]  # fmt: skip


def is_upload(path: str, method: str) -> bool:
    return method in ("POST", "PUT") and path.startswith(PATH) and path.endswith(_UPLOAD)


def is_for_plugins(path: str, method: str) -> bool:
    """Plugins may request slots and download the files that they upload into a page."""
    return path.startswith(PATH) and (method == "GET" or (method == "POST" and path == f"{PATH}presign"))
