"""`/api/servers`: lets a person manage the servers behind the gate. No route accepts the API token.

Adding a server, which starts a program, and accepting what it offers need proof of presence.
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
from handrail.features.gateway.servers import open_servers, server_from_entry
from handrail.features.gateway.settings import GatewaySettings
from handrail.ports.errors import Conflict
from handrail.ports.secrets import Secret

_ACTIVITY = "Managing servers in the console"


def mount(context: HttpContext) -> Mount:
    project = context.project
    proofs = PersonProof(project.stores.presence, context.windows)
    servers = open_servers(project.stores, project.location, project.settings_of(GatewaySettings), project.audit)

    async def overview(request: Request) -> Response:
        require_person(request, _ACTIVITY)
        return success({"servers": servers.list()})

    async def add(request: Request) -> Response:
        require_person(request, _ACTIVITY)
        body = await json_object(request, {"name", "entry", "presence"})
        entry = body.get("entry")
        if not isinstance(entry, dict):
            raise wrong_field("entry", "must be an object with a command or a url")
        server, values = server_from_entry(text_field(body, "name"), entry, "")
        keys = {key: Secret(value) for key, value in values.items()}
        params = {"server": server.name, "place": server.place, "keys": ", ".join(values)}
        action = Action("policy", "Adding a server", params, f"handrail servers add {server.name}")
        await proofs.for_action(request, body.get("presence"), action)
        await servers.add(server, keys, caller(request, context.person))
        return success(servers.show(server.name))

    async def show(request: Request) -> Response:
        require_person(request, _ACTIVITY)
        return success(servers.show(request.path_params["name"]))

    async def remove(request: Request) -> Response:
        require_person(request, _ACTIVITY)
        await servers.remove(request.path_params["name"], caller(request, context.person))
        return success({"servers": servers.list()})

    async def review(request: Request) -> Response:
        require_person(request, _ACTIVITY)
        return success(_difference_json(await servers.inspect(request.path_params["name"])))

    async def accept(request: Request) -> Response:
        """`digest` identifies what was shown; nothing is accepted if the server offers something else by now."""
        require_person(request, _ACTIVITY)
        body = await json_object(request, {"digest", "askAlways", "presence"})
        name, trusts_hints = request.path_params["name"], body.get("askAlways") is not True
        difference = await servers.inspect(name)
        if text_field(body, "digest") != difference.digest:
            raise Conflict(f"{name} offers something else by now.", hint="Review it again.")
        await proofs.for_action(request, body.get("presence"), _acceptance(difference, trusts_hints))
        await servers.accept(difference, caller(request, context.person), trusts_hints=trusts_hints)
        return success(servers.show(name))

    async def log(request: Request) -> Response:
        require_person(request, _ACTIVITY)
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


def _acceptance(difference: Difference, trusts_hints: bool) -> Action:
    """Everything that the person agrees to; the digest covers the definitions that they were shown."""
    reads = sorted(key for key, each in difference.unaccepted.items() if trusts_hints and each.has_read_only_hint)
    params = {
        "server": f"{difference.server.name} ({difference.server.place})",
        "accepted": ", ".join(sorted(difference.unaccepted)),
        "without asking": ", ".join(reads) or "none",
        "digest": difference.digest,
    }
    return Action(
        "policy", "Accepting what a server offers", params, f"handrail servers accept {difference.server.name}"
    )


def _difference_json(difference: Difference) -> dict[str, object]:
    return {
        "server": difference.server.name,
        "digest": difference.digest,
        "diff": difference.diff(),
        "changed": sorted(difference.changed),
        "new": sorted(difference.new),
        "gone": sorted(difference.gone),
        "withoutAsking": sorted(key for key, each in difference.unaccepted.items() if each.has_read_only_hint),
    }
