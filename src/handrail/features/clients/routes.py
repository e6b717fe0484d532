"""`/api/clients`: lists and connects the AI clients on this machine, and moves their other servers behind the gate.

Only a person may. Accepting a moved server's tools needs proof that the person is present.
"""

import asyncio
import shlex
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import success
from handrail.faces.http.context import HttpContext, Mount
from handrail.faces.http.credentials import caller, require_person
from handrail.faces.http.json_body import json_object, text_field
from handrail.faces.http.person_proof import Action, PersonProof
from handrail.features.clients.client import Client, Edit
from handrail.features.clients.server_move import ServerMover
from handrail.features.clients.setup import ClientSetup, ClientState, find_client, launch_command
from handrail.kernel.digest import digest
from handrail.ports.errors import AuthRequired, Conflict

if TYPE_CHECKING:
    from handrail.features.gateway.offers import MovedServer


def mount(context: HttpContext) -> Mount:
    project = context.project
    stores, folder = project.stores, Path(project.location)
    setup, proofs = ClientSetup.of(stores), PersonProof(stores.presence, context.windows)

    def moves(request: Request) -> ServerMover:
        return ServerMover(setup, stores, folder, caller(request, context.person))

    async def describe(request: Request, state: ClientState) -> dict[str, Any]:
        places = await moves(request).places(state.client) if state.moved else {}
        return await asyncio.to_thread(_client_as_json, setup, state, places, folder)

    async def state_of(request: Request, client: Client) -> dict[str, Any]:
        return await describe(request, await asyncio.to_thread(setup.state_of, client))

    async def clients(request: Request) -> Response:
        require_person(request, "Looking at clients")
        descriptions = [await describe(request, each) for each in await asyncio.to_thread(setup.states)]
        return success({"clients": descriptions, "command": shlex.join(launch_command(stores.path, folder))})

    async def connect(request: Request) -> Response:
        require_person(request, "Connecting a client")
        client = find_client(request.path_params["name"])
        shown = text_field(await json_object(request, ["shown"]), "shown")
        await asyncio.to_thread(_connect_as_shown, setup, client, folder, shown)
        test = await setup.check_connection(client, folder)
        after = {"tools": test.tools, "project": test.project, "runsHooks": test.runs_hooks}
        return success({"client": await state_of(request, client), **after})

    async def disconnect(request: Request) -> Response:
        require_person(request, "Disconnecting a client")
        client = find_client(request.path_params["name"])
        kept = await moves(request).disconnect(client)
        return success({"client": await state_of(request, client), "left": kept})

    @asynccontextmanager
    async def inspect_server(request: Request) -> AsyncIterator[tuple[Client, str, "MovedServer"]]:
        """The server is behind the gate within the context, and stays there if it is accepted."""
        client, name = find_client(request.path_params["name"]), request.path_params["server"]
        mover = moves(request)
        try:
            moved = await mover.look(client, name)
        except AuthRequired as error:
            error.hint = f"Run `{_terminal_command(client, name)}`: it opens the sign-in in your browser."
            raise
        try:
            yield client, name, moved
        finally:
            if name not in await asyncio.to_thread(setup.moved_servers, client):
                await asyncio.shield(mover.refuse(moved))

    async def look(request: Request) -> Response:
        """Shows what one of its other servers offers. It is started as the client would start it; nothing changes."""
        require_person(request, "Looking at a server")
        async with inspect_server(request) as (_, _, moved):
            return success(_offer_as_json(moved))

    async def move(request: Request) -> Response:
        """`digest` is that of the offer that was shown: if the server now offers something else, nothing is moved."""
        require_person(request, "Moving a server")
        body = await json_object(request, {"digest", "askAlways", "presence"})
        trusts_hints = body.get("askAlways") is not True
        async with inspect_server(request) as (client, name, moved):
            if text_field(body, "digest") != moved.digest:
                raise Conflict(f"{name} offers something else by now.", hint="Look at it again.")
            await proofs.for_action(request, body.get("presence"), _move_action(client, name, moved, trusts_hints))
            await moves(request).accept(client, name, moved, trusts_hints=trusts_hints)
        return success({"client": await state_of(request, client)})

    return Mount(
        [
            Route("/api/clients", clients),
            Route("/api/clients/{name}/connect", connect, methods=["POST"]),
            Route("/api/clients/{name}/disconnect", disconnect, methods=["POST"]),
            Route("/api/clients/{name}/servers/{server}/look", look, methods=["POST"]),
            Route("/api/clients/{name}/servers/{server}/move", move, methods=["POST"]),
        ]
    )


def _move_action(client: Client, name: str, moved: "MovedServer", trusts_hints: bool) -> Action:
    """Everything that the person approves; the digest stands for the definitions that they were shown."""
    params = {
        "client": client.title,
        "server": f"{name} ({moved.place})",
        "accepted": ", ".join(moved.accepted),
        "without asking": ", ".join(moved.without_asking if trusts_hints else ()) or "none",
        "digest": moved.digest,
    }
    return Action("policy", "Moving a server behind handrail", params, _terminal_command(client, name))


def _terminal_command(client: Client, name: str) -> str:
    return shlex.join(["handrail", "connect", client.name, "--move", name])


def _offer_as_json(moved: "MovedServer") -> dict[str, Any]:
    return {
        "digest": moved.digest,
        "place": moved.place,
        "diff": moved.diff,
        "accepted": moved.accepted,
        "withoutAsking": moved.without_asking,
    }


def _connect_as_shown(setup: ClientSetup, client: Client, folder: Path, shown: str) -> None:
    """`shown` is the digest of the edits that the person saw: nothing else is written."""
    if _digest([_as_json(edit) for edit in setup.edits(client, folder)]) != shown:
        raise Conflict("What would be written has changed since it was shown.", hint="Look at it again.")
    setup.connect(client, folder)


def _client_as_json(setup: ClientSetup, state: ClientState, places: Mapping[str, str], folder: Path) -> dict[str, Any]:
    client = state.client
    edits = [] if state.trouble else [_as_json(edit) for edit in setup.edits(client, folder)]
    return {
        "name": client.name,
        "title": client.title,
        "found": state.is_installed,
        "connected": state.has_tools,
        "hooks": state.hooks,
        "cage": state.cage,
        "otherServers": list(state.others),
        "moved": [{"name": name, "keptIn": place} for name, place in places.items()],
        "tried": client.is_tested,
        "note": client.note,
        "trouble": state.trouble,
        "edits": edits,
        "shown": _digest(edits),
    }


def _as_json(edit: Edit) -> dict[str, Any]:
    return {"file": str(edit.file), "keys": list(edit.keys), "value": edit.value, "isItem": edit.is_item}


def _digest(edits: list[dict[str, Any]]) -> str:
    return digest({"edits": edits})
