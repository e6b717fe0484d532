"""What a person gives to agents and browsers: a token of their own."""

import http.client
import json
from functools import cache
from pathlib import Path

from handrail.ports.browser import EXTENSION_ORIGIN
from handrail.stores.local.agents import AgentsFile


@cache
def agent_token(state: Path, name: str = "tests") -> str:
    """As `handrail agents add` issues it."""
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    return AgentsFile(state).add(name)[1]


def bearer(state: Path, name: str = "tests") -> dict[str, str]:
    return {"authorization": f"Bearer {agent_token(state, name)}"}


@cache
def browser_token(state: Path, client_id: str) -> str:
    """Pairs a browser with the server that runs, as a person does it with a code. It is no extension of ours."""
    server = json.loads((state / "server.json").read_text())
    persons = {
        "authorization": f"Bearer {server['token']}",
        "x-handrail-console-key": (state / "console.key").read_text().strip(),
    }
    connection = http.client.HTTPConnection(server["host"], server["port"], timeout=20)
    try:
        connection.request("POST", "/api/extension/pair-code", headers=persons)
        code = json.loads(connection.getresponse().read())["data"]["code"]
        body = {"code": code, "clientId": client_id, "extensionId": "a browser of the tests"}
        connection.request("POST", "/api/extension/pair", json.dumps(body), {"origin": EXTENSION_ORIGIN})
        return str(json.loads(connection.getresponse().read())["data"]["token"])
    finally:
        connection.close()
