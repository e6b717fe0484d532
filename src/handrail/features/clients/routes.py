"""`/api/clients`: the AI clients on this machine, connecting them, and moving their other servers behind the gate.

A person alone may. Accepting what a moved server offers needs proof that they are present.
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
from handrail.faces.http.credentials import caller, must_be_person
from handrail.faces.http.json_body import json_object, text_field
from handrail.faces.http.person_proof import Action, PersonProof
from handrail.features.clients.client import Client, Edit
from handrail.features.clients.server_move import ServerMoves
from handrail.features.clients.setup import ClientSetup, ClientState, find, launch_command
from handrail.kernel.digest import digest
from handrail.ports.errors import AuthRequired, Conflict

if TYPE_CHECKING:
    from handrail.features.gateway.offers import Moved


def mount(context: HttpContext) -> Mount:
    project = context.project
    stores, folder = project.stores, Path(project.location)
    setup, proofs = ClientSetup.of(stores), PersonProof(stores.presence, context.windows)

    def moves(request: Request) -> ServerMoves:
        return ServerMoves(setup, stores, folder, caller(request, context.person))

    async def described(request: Request, known: ClientState) -> dict[str, Any]:
        places = await moves(request).places(known.client) if known.moved else {}
        return await asyncio.to_thread(_described, setup, known, places, folder)

    async def state_of(request: Request, client: Client) -> dict[str, Any]:
        return await described(request, await asyncio.to_thread(setup.state_of, client))

    async def clients(request: Request) -> Response:
        must_be_person(request, "Looking at clients")
        found = [await described(request, each) for each in await asyncio.to_thread(setup.states)]
        return success({"clients": found, "command": shlex.join(launch_command(stores.path, folder))})

    async def connect(request: Request) -> Response:
        must_be_person(request, "Connecting a client")
        client = find(request.path_params["name"])
        shown = text_field(await json_object(request, ["shown"]), "shown")
        await asyncio.to_thread(_connect_as_shown, setup, client, folder, shown)
        trial = await setup.try_out(client, folder)
        after = {"tools": trial.tools, "project": trial.project, "runsHooks": trial.runs_hooks}
        return success({"client": await state_of(request, client), **after})

    async def disconnect(request: Request) -> Response:
        must_be_person(request, "Disconnecting a client")
        client = find(request.path_params["name"])
        left = await moves(request).disconnect(client)
        return success({"client": await state_of(request, client), "left": left})

    @asynccontextmanager
    async def looked_at(request: Request) -> AsyncIterator[tuple[Client, str, "Moved"]]:
        """The server is behind the gate within the block, and stays there if it is accepted."""
        client, name = find(request.path_params["name"]), request.path_params["server"]
        moving = moves(request)
        try:
            moved = await moving.look(client, name)
        except AuthRequired as wanted:
            wanted.hint = f"Run `{_in_terminal(client, name)}`: it opens the sign-in in your browser."
            raise
        try:
            yield client, name, moved
        finally:
            if name not in await asyncio.to_thread(setup.taken_out, client):
                await asyncio.shield(moving.refuse(moved))

    async def look(request: Request) -> Response:
        """What one of its other servers offers. It is started as the client would start it, and nothing is changed."""
        must_be_person(request, "Looking at a server")
        async with looked_at(request) as (_, _, moved):
            return success(_offered(moved))

    async def move(request: Request) -> Response:
        """`digest` is that of what was shown: when the server offers something else by now, nothing is moved."""
        must_be_person(request, "Moving a server")
        given = await json_object(request, {"digest", "askAlways", "presence"})
        trusts_marks = given.get("askAlways") is not True
        async with looked_at(request) as (client, name, moved):
            if text_field(given, "digest") != moved.digest:
                raise Conflict(f"{name} offers something else by now.", hint="Look at it again.")
            await proofs.for_action(request, given.get("presence"), _moving(client, name, moved, trusts_marks))
            await moves(request).accept(client, name, moved, trusts_marks=trusts_marks)
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


def _moving(client: Client, name: str, moved: "Moved", trusts_marks: bool) -> Action:
    """Everything that the person says yes to; the digest stands for the definitions that they were shown."""
    params = {
        "client": client.title,
        "server": f"{name} ({moved.place})",
        "accepted": ", ".join(moved.accepted),
        "without asking": ", ".join(moved.without_asking if trusts_marks else ()) or "none",
        "digest": moved.digest,
    }
    return Action("policy", "Moving a server behind handrail", params, _in_terminal(client, name))


def _in_terminal(client: Client, name: str) -> str:
    return shlex.join(["handrail", "connect", client.name, "--move", name])


def _offered(moved: "Moved") -> dict[str, Any]:
    return {
        "digest": moved.digest,
        "place": moved.place,
        "diff": moved.diff,
        "accepted": moved.accepted,
        "withoutAsking": moved.without_asking,
    }


def _connect_as_shown(setup: ClientSetup, client: Client, folder: Path, shown: str) -> None:
    """`shown` is the digest of what the person has seen: nothing else is written."""
    if _digest([_as_json(edit) for edit in setup.edits(client, folder)]) != shown:
        raise Conflict("What would be written has changed since it was shown.", hint="Look at it again.")
    setup.connect(client, folder)


def _described(setup: ClientSetup, known: ClientState, places: Mapping[str, str], folder: Path) -> dict[str, Any]:
    client = known.client
    edits = [] if known.trouble else [_as_json(edit) for edit in setup.edits(client, folder)]
    return {
        "name": client.name,
        "title": client.title,
        "found": known.is_found,
        "connected": known.has_tools,
        "hooks": known.hooks,
        "cage": known.cage,
        "otherServers": list(known.others),
        "moved": [{"name": name, "keptIn": place} for name, place in places.items()],
        "tried": client.is_tested,
        "note": client.note,
        "trouble": known.trouble,
        "edits": edits,
        "shown": _digest(edits),
    }


def _as_json(edit: Edit) -> dict[str, Any]:
    return {"file": str(edit.file), "keys": list(edit.keys), "value": edit.value, "isItem": edit.is_item}


def _digest(edits: list[dict[str, Any]]) -> str:
    return digest({"edits": edits})
