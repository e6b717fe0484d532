"""Approvals that reach far need a person: what an agent does that has the console's page, its session or a shell.

The attacker here has more than any agent gets: a signed-in session of its own, so that only presence stands in the way.
The person's passkey is CDP's virtual authenticator with user verification, in a real Chromium.
"""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.console_person import answer_to, call, cancel_all, up
from tests.faces.http.running import Answer, Running
from tests.persons import Person
from tests.redteam.visitor import LocalServer, Visitor
from tests.waiting import until

RULE = {"status": "ok", "scope": "rule"}
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
HANDRAIL = str(Path(sys.executable).with_name("handrail"))
ASSERT = """(async (options) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return (await navigator.credentials.get({ publicKey })).toJSON();
})"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("presence")
    (folder / "project").mkdir()
    (folder / "project" / "a.txt").write_text("one\n")
    with up(folder / "project", folder / "state") as running:
        yield running


@pytest.fixture(scope="module")
def visitor(house: Running) -> Iterator[Visitor]:
    """A person who is signed in under the name that passkeys belong to, without a passkey so far."""
    visitor = Visitor()
    visitor.does("open", "console", f"{home(house)}/#code={house.new_code()}", ".connection.online")
    yield visitor
    visitor.close()


@pytest.fixture
def asked(house: Running) -> Iterator[str]:
    """A write of an agent's that waits for approval."""
    calling = call(house, "replace_in_file", path="a.txt", find="one", replace="two")
    yield Person(house.state).sees()["requestId"]
    cancel_all(house)
    calling.wait(60)
    (house.project / "a.txt").write_text("one\n")


def home(house: Running) -> str:
    return f"http://localhost:{house.port}"


def session(house: Running) -> dict[str, str]:
    return {**house.sign_in(), "origin": home(house)}


def answer(house: Running, request_id: str, response: Any, presence: Any = None, **headers: str) -> Answer:
    body = {"response": response} if presence is None else {"response": response, "presence": presence}
    path = f"/api/prompts/{request_id}/response"
    return house.request("POST", path, headers={**session(house), **headers}, json=body)


def refused(house: Running, request_id: str, given: Answer) -> dict[str, Any]:
    """The answer was refused for want of presence, and the question still stands."""
    assert (given.status, given.code) == (403, "FORBIDDEN"), given
    details: dict[str, Any] = given.json["error"]["details"]
    assert details["reason"] == "presence"
    assert answer_to(house, request_id) is None
    return details


def register(house: Running, visitor: Visitor) -> None:
    """As a person does it: the code comes from the terminal, which asks the server with the console's key."""
    headers = {**house.bearer, **house.console_key}
    code = house.request("POST", "/api/passkeys/code", headers=headers).json["data"]["code"]
    visitor.does("evaluate", "console", "void (location.hash = '/settings')")
    visitor.does("fill", "console", "Code", code)
    visitor.does("press", "console", "Add passkey")
    visitor.does("wait", "console", ".card .programs time, .card li:has-text('Chrom')")
    until(lambda: passkeys(house))


def passkeys(house: Running) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = house.request("GET", "/api/passkeys", headers=session(house)).json["data"]["passkeys"]
    return found


def test_without_a_passkey_the_card_shows_the_terminals_command(house: Running, visitor: Visitor, asked: str) -> None:
    details = refused(house, asked, answer(house, asked, RULE))
    assert "passkey" not in details
    assert details["command"] == f"handrail prompts answer {asked} --ok --for rule"
    for presence in ({}, {"id": "x", "response": {}}, "yes", {"kind": "terminal"}):
        assert answer(house, asked, RULE, presence).status in (400, 403)
    assert answer_to(house, asked) is None


def test_a_passkey_is_added_only_with_a_code_from_the_terminal(house: Running) -> None:
    for headers in (session(house), house.bearer):
        assert house.request("POST", "/api/passkeys/code", headers=headers).status == 403
    for code in ("", "00000000", "12345678"):
        given = house.request("POST", "/api/passkeys/begin", headers=session(house), json={"code": code})
        assert given.status in (400, 403)
    add = {"id": "made up", "name": "mine", "credential": {"id": "x", "response": {}}}
    assert house.request("POST", "/api/passkeys", headers=session(house), json=add).status == 404
    assert passkeys(house) == []


def test_the_persons_passkey_confirms_and_its_signature_is_on_record(
    house: Running, visitor: Visitor, asked: str
) -> None:
    device = visitor.does("addAuthenticator", "console", DEVICE)
    register(house, visitor)
    options = refused(house, asked, answer(house, asked, RULE))["passkey"]
    assert (options["rpId"], options["userVerification"]) == ("localhost", "required")
    signed = visitor.does("evaluate", "console", f"({ASSERT})({json.dumps(options)})")

    # Good for this prompt and this answer, and for nothing else.
    tampered = {**signed, "response": {**signed["response"], "signature": signed["response"]["signature"][::-1]}}
    for wrong in (tampered, {**signed, "id": "AAAA", "rawId": "AAAA"}):
        refused(house, asked, answer(house, asked, RULE, wrong))
    given = answer(house, asked, RULE, signed)
    assert given.status == 200, given
    assert visitor.does("cdp", "console", "WebAuthn.getCredentials", {"authenticatorId": device})["credentials"]

    def proof() -> Any:
        lines = (house.state / "audit" / "log.jsonl").read_text().splitlines()
        found = [json.loads(line).get("answer", {}).get("presence") for line in lines if line[:1] == "{"]
        return next((one for one in found if one), None)

    kept = until(proof)
    assert kept["kind"] == "passkey"
    assert kept["signature"] == signed["response"]["signature"]
    assert kept["authenticatorData"] == signed["response"]["authenticatorData"]
    assert kept["clientData"] == signed["response"]["clientDataJSON"]
