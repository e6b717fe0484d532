"""Issues tokens to agents and browsers, as a person does."""

import http.client
import json
import threading
from functools import cache
from pathlib import Path

from handrail.ports.browser import EXTENSION_ORIGIN
from handrail.stores.local.agents import AgentsFile
from tests.waiting import PATIENCE

_turn = threading.Lock()


def agent_token(state: Path, name: str = "tests") -> str:
    """As `handrail agents add` issues it; one for each state directory and name."""
    with _turn:
        return _issued(state, name)


@cache
def _issued(state: Path, name: str) -> str:
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    return AgentsFile(state).add(name)[1]


def bearer(state: Path, name: str = "tests") -> dict[str, str]:
    return {"authorization": f"Bearer {agent_token(state, name)}"}


def browser_token(state: Path, client_id: str) -> str:
    """The token of a browser that is paired with the running server; one for each clientId."""
    with _turn:
        return _paired(state, client_id)


@cache
def _paired(state: Path, client_id: str) -> str:
    """Pairs a browser with the running server, as a person does with a code. It isn't our extension."""
    server = json.loads((state / "server.json").read_text())
    persons = {
        "authorization": f"Bearer {server['token']}",
        "x-handrail-console-key": (state / "console.key").read_text().strip(),
    }
    connection = http.client.HTTPConnection(server["host"], server["port"], timeout=PATIENCE)
    try:
        connection.request("POST", "/api/extension/pair-code", headers=persons)
        code = json.loads(connection.getresponse().read())["data"]["code"]
        body = {"code": code, "clientId": client_id, "extensionId": "a browser of the tests"}
        connection.request("POST", "/api/extension/pair", json.dumps(body), {"origin": EXTENSION_ORIGIN})
        return str(json.loads(connection.getresponse().read())["data"]["token"])
    finally:
        connection.close()
