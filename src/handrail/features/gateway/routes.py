"""`/api/servers`: the servers behind the gate, as a person manages them. No route is open to the token.

Adding one, which starts a program, and accepting what it offers need proof that the person is present.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import success
from handrail.faces.http.context import HttpContext, Mount
from handrail.faces.http.credentials import caller, require_person
from handrail.faces.http.json_body import json_object, text_field, wrong_field
from handrail.faces.http.person_proof import Action, PersonProof
from handrail.features.gateway.review import Difference
from handrail.features.gateway.servers import server_of_entry, servers_in
from handrail.features.gateway.settings import GatewaySettings
from handrail.ports.errors import Conflict
from handrail.ports.secrets import Secret

_LOOKING = "Managing servers in the console"


def mount(context: HttpContext) -> Mount:
    project = context.project
    proofs = PersonProof(project.stores.presence, context.windows)
    servers = servers_in(project.stores, project.location, project.settings_of(GatewaySettings), project.audit)

    async def overview(request: Request) -> Response:
        require_person(request, _LOOKING)
        return success({"servers": servers.list()})

    async def add(request: Request) -> Response:
        require_person(request, _LOOKING)
        given = await json_object(request, {"name", "entry", "presence"})
        entry = given.get("entry")
        if not isinstance(entry, dict):
            raise wrong_field("entry", "must be an object with a command or a url")
        server, values = server_of_entry(text_field(given, "name"), entry, "")
        keys = {key: Secret(value) for key, value in values.items()}
        params = {"server": server.name, "place": server.place, "keys": ", ".join(values)}
        action = Action("policy", "Adding a server", params, f"handrail servers add {server.name}")
        await proofs.for_action(request, given.get("presence"), action)
        await servers.add(server, keys, caller(request, context.person))
        return success(servers.show(server.name))

    async def show(request: Request) -> Response:
        require_person(request, _LOOKING)
        return success(servers.show(request.path_params["name"]))

    async def remove(request: Request) -> Response:
        require_person(request, _LOOKING)
        await servers.remove(request.path_params["name"], caller(request, context.person))
        return success({"servers": servers.list()})

    async def review(request: Request) -> Response:
        require_person(request, _LOOKING)
        return success(_shown(await servers.look(request.path_params["name"])))

    async def accept(request: Request) -> Response:
        """`digest` is that of what was shown: when the server offers something else by now, nothing is accepted."""
        require_person(request, _LOOKING)
        given = await json_object(request, {"digest", "askAlways", "presence"})
        name, trusts_marks = request.path_params["name"], given.get("askAlways") is not True
        found = await servers.look(name)
        if text_field(given, "digest") != found.digest:
            raise Conflict(f"{name} offers something else by now.", hint="Look at it again.")
        await proofs.for_action(request, given.get("presence"), _accepting(found, trusts_marks))
        await servers.accept(found, caller(request, context.person), trusts_marks=trusts_marks)
        return success(servers.show(name))

    async def log(request: Request) -> Response:
        require_person(request, _LOOKING)
        return success({"lines": list(await servers.log(request.path_params["name"], 200))})

    return Mount(
        [
            Route("/api/servers", overview),
            Route("/api/servers", add, methods=["POST"]),
            Route("/api/servers/{name}", show),
            Route("/api/servers/{name}", remove, methods=["DELETE"]),
            Route("/api/servers/{name}/review", review),
            Route("/api/servers/{name}/accept", accept, methods=["POST"]),
            Route("/api/servers/{name}/log", log),
        ]
    )


def _accepting(found: Difference, trusts_marks: bool) -> Action:
    """Everything that the person says yes to; the digest stands for the definitions that they were shown."""
    reads = sorted(key for key, each in found.wanted.items() if trusts_marks and each.is_marked_as_read)
    params = {
        "server": f"{found.server.name} ({found.server.place})",
        "accepted": ", ".join(sorted(found.wanted)),
        "without asking": ", ".join(reads) or "none",
        "digest": found.digest,
    }
    return Action("policy", "Accepting what a server offers", params, f"handrail servers accept {found.server.name}")


def _shown(found: Difference) -> dict[str, object]:
    return {
        "server": found.server.name,
        "digest": found.digest,
        "diff": found.diff(),
        "changed": sorted(found.changed),
        "new": sorted(found.new),
        "gone": sorted(found.gone),
        "withoutAsking": sorted(key for key, each in found.wanted.items() if each.is_marked_as_read),
    }
