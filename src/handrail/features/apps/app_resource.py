"""Each app as a thing to read by address: `app:<id>`, what it can do."""

import msgspec

from handrail.features.apps.apps import Apps
from handrail.features.apps.model import UnknownApp
from handrail.features.apps.tools.apps_describe import described
from handrail.kernel.call import Call
from handrail.kernel.content import Resource
from handrail.kernel.json_schema import schema_of
from handrail.kernel.target import Target
from handrail.kernel.tool import ListedResource, Preview, Reply, ResourceKind, Tool
from handrail.ports.errors import InvalidParams

_PREFIX = "app:"
_MIME = "application/json"


class Params(msgspec.Struct, frozen=True):
    uri: str


class Nothing(msgspec.Struct, frozen=True):
    pass


async def list_apps(apps: Apps, call: Call, params: Nothing, preview: Preview | None) -> list[ListedResource]:
    """List the apps of this machine."""
    return [ListedResource(_PREFIX + app.id, app.id, app.name, app.description) for app in apps.catalogue.apps()]


async def read_app(apps: Apps, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Read what an app can do, for apps_call."""
    told = described(apps.catalogue.find(_id(params)))
    return Reply(None, [Resource(params.uri, msgspec.json.encode(told).decode(), _MIME)])


def which(params: Params) -> Target:
    return Target(app=_id(params))


def _id(params: Params) -> str:
    return params.uri.removeprefix(_PREFIX)


RESOURCE = ResourceKind(
    name="app",
    title="An app of this machine",
    description="What it can do, for apps_call.",
    template=f"{_PREFIX}{{id}}",
    mime=_MIME,
    listing=Tool(
        name="apps.apps",
        title="List apps",
        params=Nothing,
        input_schema=schema_of(Nothing),
        is_idempotent=True,
        run=list_apps,
    ),
    reading=Tool(
        name="apps.app",
        title="Read what an app can do",
        params=Params,
        input_schema=schema_of(Params),
        errors=(InvalidParams, UnknownApp),
        is_idempotent=True,
        target=which,
        run=read_app,
    ),
)
