"""`/api/clients`: the AI clients on this machine, and connecting them."""

import asyncio
import shlex
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import success
from handrail.faces.http.context import HttpContext, Mount
from handrail.faces.http.credentials import caller, must_be_person
from handrail.faces.http.json_body import json_object, text_field
from handrail.features.clients.client import Client, Edit
from handrail.features.clients.moving import ServerMoves
from handrail.features.clients.setup import ClientSetup, ClientState, find, launch_command
from handrail.kernel.digest import digest
from handrail.ports.errors import Conflict


def mount(context: HttpContext) -> Mount:
    state, folder = context.project.stores.path, Path(context.project.location)
    setup = ClientSetup(state)

    def described(known: ClientState) -> dict[str, Any]:
        return _described(setup, known, folder)

    async def clients(request: Request) -> Response:
        must_be_person(request, "Looking at clients")
        found = await asyncio.to_thread(lambda: [described(each) for each in setup.states()])
        return success({"clients": found, "command": shlex.join(launch_command(state, folder))})

    async def connect(request: Request) -> Response:
        must_be_person(request, "Connecting a client")
        client = find(request.path_params["name"])
        shown = text_field(await json_object(request, ["shown"]), "shown")
        await asyncio.to_thread(_connect_as_shown, setup, client, folder, shown)
        trial = await setup.try_out(client, folder)
        after = await asyncio.to_thread(lambda: described(setup.state_of(client)))
        return success({"client": after, "tools": trial.tools, "project": trial.project})

    async def disconnect(request: Request) -> Response:
        must_be_person(request, "Disconnecting a client")
        client = find(request.path_params["name"])
        left = await ServerMoves(setup, context.project.stores, folder, caller(request, context.person)).disconnect(
            client
        )
        after = await asyncio.to_thread(lambda: described(setup.state_of(client)))
        return success({"client": after, "left": left})

    return Mount(
        [
            Route("/api/clients", clients),
            Route("/api/clients/{name}/connect", connect, methods=["POST"]),
            Route("/api/clients/{name}/disconnect", disconnect, methods=["POST"]),
        ]
    )


def _connect_as_shown(setup: ClientSetup, client: Client, folder: Path, shown: str) -> None:
    """`shown` is the digest of what the person has seen: nothing else is written."""
    if _digest([_as_json(edit) for edit in setup.edits(client, folder)]) != shown:
        raise Conflict("What would be written has changed since it was shown.", hint="Look at it again.")
    setup.connect(client, folder)


def _described(setup: ClientSetup, known: ClientState, folder: Path) -> dict[str, Any]:
    client = known.client
    edits = [] if known.trouble else [_as_json(edit) for edit in setup.edits(client, folder)]
    return {
        "name": client.name,
        "title": client.title,
        "found": known.is_found,
        "connected": known.has_tools,
        "hooks": known.hooks,
        "otherServers": list(known.others),
        "tried": client.was_run,
        "note": client.note,
        "trouble": known.trouble,
        "edits": edits,
        "shown": _digest(edits),
    }


def _as_json(edit: Edit) -> dict[str, Any]:
    return {"file": str(edit.file), "keys": list(edit.keys), "value": edit.value, "isItem": edit.is_item}


def _digest(edits: list[dict[str, Any]]) -> str:
    return digest({"edits": edits})
