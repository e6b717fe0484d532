"""`handrail extension`: pairing codes, the list of paired browsers, and removing one."""

import json
import urllib.request

from handrail.ports.browser import EXTENSION_ID, EXTENSION_ORIGIN
from tests.faces.cli.machine import Machine
from tests.faces.cli.test_servers import up
from tests.waiting import PATIENCE


def pair(address: str, code: str, client_id: str) -> str:
    body = {"code": code, "clientId": client_id, "extensionId": EXTENSION_ID, "name": "at home"}
    headers = {"Content-Type": "application/json", "Origin": EXTENSION_ORIGIN}
    request = urllib.request.Request(f"{address}/api/extension/pair", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return str(json.load(answer)["data"]["token"])


def test_a_browser_is_paired_listed_and_removed(machine: Machine) -> None:
    with up(machine, "--no-open") as (_, address):
        assert "No browser is paired" in machine.run("extension").out
        code = machine.run("extension", "pair")
        assert (code.status, code.err) == (0, "")
        assert code.out.rstrip().endswith(address)
        assert pair(address, code.out.split()[0], "plugin-abc")
        assert machine.run("extension").out.split() == ["plugin-abc", "at", "home", "away"]
        (result,) = machine.run("extension", "--json").json
        assert (result["clientId"], result["socketConnected"]) == ("plugin-abc", False)
        assert machine.run("extension", "revoke", "plugin-abc").status == 0
        again = machine.run("extension", "revoke", "plugin-abc")
        assert again.status == 1
        assert "plugin-abc" in again.err
        assert "No browser is paired" in machine.run("extension").out


def test_removing_a_browser_needs_its_id(machine: Machine) -> None:
    refused = machine.run("extension", "revoke")
    assert refused.status == 1
    assert "handrail extension" in refused.err


def test_without_a_server_it_says_what_to_do(machine: Machine) -> None:
    refused = machine.run("extension", "pair")
    assert refused.status == 1
    assert "handrail up" in refused.err
