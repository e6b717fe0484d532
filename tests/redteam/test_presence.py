"""Approvals that reach far need a person: what an agent does that has the console's page, its session or a shell.

The attacker here has more than any agent gets: a signed-in session of its own, so that only presence stands in the way.
The person's passkey is CDP's virtual authenticator with user verification, in a real Chromium.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.console_person import Browser, answer_to, call, cancel_all, up
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
NUMBERS = count()
HANDRAIL = str(Path(sys.executable).with_name("handrail"))
ASSERT = """(async (options) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return (await navigator.credentials.get({ publicKey })).toJSON();
})"""


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("presence")
    (folder / "project").mkdir()
    (folder / "project" / "a.txt").write_text("one\n")
    with up(folder / "project", folder / "state") as running:
        yield running


@pytest.fixture(scope="module")
def visitor(rig: Running, browser: Browser) -> Iterator[Visitor]:
    """A signed-in person under the name that passkeys belong to, without a passkey so far."""
    visitor = Visitor(browser.endpoint)
    visitor.does("open", "console", f"{home(rig)}/#code={rig.new_code()}", ".connection.online")
    yield visitor
    visitor.close()


@pytest.fixture
def asked(rig: Running) -> Iterator[str]:
    """An agent's write that waits for approval, each of a separate file, because approvals may become rules."""
    name = f"{next(NUMBERS)}.txt"
    (rig.project / name).write_text("one\n")
    calling = call(rig, "replace_in_file", path=name, find="one", replace="two")
    yield Person(rig.state).sees()["requestId"]
    cancel_all(rig)
    calling.wait(60)


def home(rig: Running) -> str:
    return f"http://localhost:{rig.port}"


def session(rig: Running) -> dict[str, str]:
    return {**rig.sign_in(), "origin": home(rig)}


def answer(rig: Running, request_id: str, response: Any, presence: Any = None, **headers: str) -> Answer:
    body = {"response": response} if presence is None else {"response": response, "presence": presence}
    path = f"/api/prompts/{request_id}/response"
    return rig.request("POST", path, headers={**session(rig), **headers}, json=body)


def refused(rig: Running, request_id: str, given: Answer) -> dict[str, Any]:
    """The answer was refused because presence is missing, and the question is still pending."""
    assert (given.status, given.code) == (403, "FORBIDDEN"), given
    details: dict[str, Any] = given.json["error"]["details"]["context"]
    assert details["reason"] == "presence"
    assert answer_to(rig, request_id) is None
    return details


def register(rig: Running, visitor: Visitor) -> None:
    """As a person does: the code comes from the terminal, which asks the server with the console's key."""
    headers = {**rig.bearer, **rig.console_key}
    code = rig.request("POST", "/api/passkeys/code", headers=headers).json["data"]["code"]
    visitor.does("evaluate", "console", "void (location.hash = '/settings/access')")
    visitor.does("fill", "console", "Code", code)
    visitor.does("press", "console", "Add passkey")
    visitor.does("wait", "console", ".card .programs time, .card li:has-text('Chrom')")
    until(lambda: passkeys(rig))


def passkeys(rig: Running) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = rig.request("GET", "/api/passkeys", headers=session(rig)).json["data"]["passkeys"]
    return result


@pytest.mark.trial("presence", is_long=True)
def test_without_a_passkey_the_card_shows_the_terminals_command(rig: Running, visitor: Visitor, asked: str) -> None:
    details = refused(rig, asked, answer(rig, asked, RULE))
    assert "passkey" not in details
    assert details["command"] == f"handrail prompts answer {asked} --ok --for rule"
    for presence in ({}, {"id": "x", "response": {}}, "yes", {"kind": "terminal"}):
        assert answer(rig, asked, RULE, presence).status in (400, 403)
    assert answer_to(rig, asked) is None


def test_a_passkey_is_added_only_with_a_code_from_the_terminal(rig: Running) -> None:
    for headers in (session(rig), rig.bearer):
        assert rig.request("POST", "/api/passkeys/code", headers=headers).status == 403
    for code in ("", "00000000", "12345678"):
        given = rig.request("POST", "/api/passkeys/begin", headers=session(rig), json={"code": code})
        assert given.status in (400, 403)
    add = {"id": "made up", "name": "mine", "credential": {"id": "x", "response": {}}}
    assert rig.request("POST", "/api/passkeys", headers=session(rig), json=add).status == 404
    assert passkeys(rig) == []


@pytest.fixture(scope="module")
def device(rig: Running, visitor: Visitor) -> str:
    """The person's device with a registered passkey."""
    added: str = visitor.does("addAuthenticator", "console", DEVICE)
    register(rig, visitor)
    return added


@pytest.mark.trial("presence", is_long=True)
def test_the_persons_passkey_confirms_and_its_signature_is_on_record(
    rig: Running, visitor: Visitor, device: str, asked: str
) -> None:
    options = refused(rig, asked, answer(rig, asked, RULE))["passkey"]
    assert (options["rpId"], options["userVerification"]) == ("localhost", "required")
    signed = visitor.does("evaluate", "console", f"({ASSERT})({json.dumps(options)})")

    # Good for this prompt and this answer, and for nothing else.
    tampered = {**signed, "response": {**signed["response"], "signature": signed["response"]["signature"][::-1]}}
    for wrong in (tampered, {**signed, "id": "AAAA", "rawId": "AAAA"}):
        refused(rig, asked, answer(rig, asked, RULE, wrong))
    given = answer(rig, asked, RULE, signed)
    assert given.status == 200, given

    def proof() -> Any:
        lines = (rig.state / "audit" / "log.jsonl").read_text().splitlines()
        matches = [json.loads(line).get("answer", {}).get("presence") for line in lines if line[:1] == "{"]
        return next((one for one in matches if one), None)

    kept = until(proof)
    assert kept["kind"] == "passkey"
    assert kept["signature"] == signed["response"]["signature"]
    assert kept["authenticatorData"] == signed["response"]["authenticatorData"]
    assert kept["clientData"] == signed["response"]["clientDataJSON"]


def signed_by(visitor: Visitor, page: str, options: dict[str, Any]) -> Any:
    """None if the browser or the device refuses."""
    return visitor.does("evaluate", page, f"({ASSERT})({json.dumps(options)}).catch(() => null)")


def verify_user(visitor: Visitor, device: str, *, is_verified: bool) -> None:
    message = {"authenticatorId": device, "isUserVerified": is_verified}
    visitor.does("cdp", "console", "WebAuthn.setUserVerified", message)


def test_a_signature_counts_for_one_prompt_one_answer_one_origin_and_a_verified_user(
    rig: Running, visitor: Visitor, device: str, asked: str
) -> None:
    """The attacker even has the person's key, on a virtual authenticator."""
    options = refused(rig, asked, answer(rig, asked, RULE))["passkey"]
    other_prompt = signed_by(visitor, "console", {**options, "challenge": "A" * 43})
    refused(rig, asked, answer(rig, asked, RULE, other_prompt))

    verify_user(visitor, device, is_verified=False)
    assert signed_by(visitor, "console", options) is None
    weak = signed_by(visitor, "console", {**options, "userVerification": "discouraged"})
    assert weak is not None
    refused(rig, asked, answer(rig, asked, RULE, weak))
    verify_user(visitor, device, is_verified=True)

    with LocalServer() as other:
        visitor.does("open", "other", f"http://localhost:{other.port}/")
        mine = visitor.does("addAuthenticator", "other", DEVICE)
        held = visitor.does("cdp", "console", "WebAuthn.getCredentials", {"authenticatorId": device})
        for credential in held["credentials"]:
            copy = {"authenticatorId": mine, "credential": credential}
            visitor.does("cdp", "other", "WebAuthn.addCredential", copy)
        elsewhere = signed_by(visitor, "other", options)
        assert elsewhere is not None, "any port of localhost may ask a browser for its passkeys: that is the attack"
        refused(rig, asked, answer(rig, asked, RULE, elsewhere))
        visitor.does("close", "other")


def test_driving_the_console_without_the_persons_device_approves_nothing(
    rig: Running, visitor: Visitor, device: str, asked: str
) -> None:
    visitor.does("reload", "console", "form[data-armed=true]")
    verify_user(visitor, device, is_verified=False)
    visitor.does("check", "console", "Always…")
    visitor.does("wait", "console", ".grant-preview")
    visitor.does("press", "console", "Always allow")
    visitor.does("press", "console", "Confirm with passkey")
    visitor.does("wait", "console", ".presence [role=alert]")
    assert f"handrail prompts answer {asked} --ok --for rule" in visitor.does("text", "console", ".presence")
    assert answer_to(rig, asked) is None

    verify_user(visitor, device, is_verified=True)
    visitor.does("press", "console", "Confirm with passkey")
    until(lambda: answer_to(rig, asked))
    assert answer_to(rig, asked)["scope"] == "rule"


@pytest.mark.trial("presence", is_long=True)
def test_choosing_another_scope_asks_for_confirmation_of_the_new_one(
    rig: Running, visitor: Visitor, device: str, asked: str
) -> None:
    visitor.does("reload", "console", "form[data-armed=true]")
    visitor.does("check", "console", "Always…")
    visitor.does("press", "console", "Always allow")
    visitor.does("wait", "console", ".presence")
    visitor.does("check", "console", "Just this edit")
    visitor.does("wait", "console", "form[data-armed=true]:not(:has(.presence))")
    visitor.does("press", "console", "Allow once")
    assert until(lambda: answer_to(rig, asked))["scope"] == "once"


@pytest.mark.trial("presence", is_long=True)
def test_a_remark_that_is_written_while_presence_is_asked_for_is_sent(
    rig: Running, visitor: Visitor, device: str, asked: str
) -> None:
    visitor.does("reload", "console", "form[data-armed=true]")
    visitor.does("check", "console", "Always…")
    visitor.does("wait", "console", ".grant-preview")
    visitor.does("press", "console", "Always allow")
    visitor.does("wait", "console", ".presence")
    visitor.does("fill", "console", "Tell the agent why", "Only for the notes.")
    visitor.does("press", "console", "Confirm with passkey")
    assert until(lambda: answer_to(rig, asked))["remark"] == "Only for the notes."


def issue(rig: Running, name: str, presence: Any = None) -> Answer:
    body = {"name": name} if presence is None else {"name": name, "presence": presence}
    return rig.request("POST", "/api/access/agents", headers=session(rig), json=body)


def needed(given: Answer) -> dict[str, Any]:
    assert (given.status, given.json["error"]["details"]["context"]["reason"]) == (403, "presence"), given
    context: dict[str, Any] = given.json["error"]["details"]["context"]
    return context


def test_an_agents_token_is_issued_with_a_passkey_for_this_name_and_once(
    rig: Running, visitor: Visitor, device: str
) -> None:
    first = needed(issue(rig, "first"))
    signed = signed_by(visitor, "console", first["passkey"])
    assert needed(issue(rig, "second", signed))["command"] == "handrail agents add second"
    assert issue(rig, "first", signed).status == 200, "a signature for another name used nothing up"
    assert rig.request("DELETE", "/api/access/agents/first", headers=session(rig)).status == 200
    needed(issue(rig, "first", signed))

    lines = (rig.state / "audit" / "log.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines if line[:1] == "{"]
    proof = next(one["presence"] for one in records if "issued a token" in str(one.get("target")))
    assert (proof["kind"], proof["signature"]) == ("passkey", signed["response"]["signature"])


def test_a_token_is_issued_in_the_console_by_its_own_page(rig: Running, visitor: Visitor, device: str) -> None:
    visitor.does("evaluate", "console", "void (location.hash = '/permissions')")
    visitor.does("fill", "console", "Agent name", "from-the-page")
    visitor.does("press", "console", "Issue token")
    visitor.does("press", "console", "Confirm with passkey")
    visitor.does("wait", "console", ".add-agent, .question .code-block")
    until(lambda: "from-the-page" in (rig.state / "agents.json").read_text())
    assert visitor.does("text", "console", ".question .code-block pre").startswith("hra_")


@pytest.mark.trial("presence", is_long=True)
def test_a_policy_is_trusted_with_a_passkey_for_exactly_what_was_read(
    rig: Running, visitor: Visitor, device: str
) -> None:
    policy = rig.project / ".handrail" / "policy.json"
    policy.parent.mkdir(exist_ok=True)
    policy.write_text('{"contractVersion": "1.0.0", "policies": {}}')
    for method, path in (("GET", "/api/policy/file"), ("POST", "/api/policy/trust"), ("DELETE", "/api/policy/trust")):
        assert rig.request(method, path, headers=rig.bearer, json={}).status == 403
    shown = rig.request("GET", "/api/policy/file", headers=session(rig)).json["data"]["hash"]

    def trust(presence: Any = None) -> Answer:
        body = {"hash": shown} if presence is None else {"hash": shown, "presence": presence}
        return rig.request("POST", "/api/policy/trust", headers=session(rig), json=body)

    signed = signed_by(visitor, "console", needed(trust())["passkey"])
    policy.write_text('{"contractVersion": "1.0.0", "rules": [{"effect": "WRITE", "decision": "allow"}]}')
    assert trust(signed).status == 409
    policy.write_text('{"contractVersion": "1.0.0", "policies": {}}')
    result = trust(signed)
    assert (result.status, result.json["data"]["trusted"]) == (200, True)
    needed(trust(signed))
    assert rig.request("DELETE", "/api/policy/trust", headers=session(rig)).json["data"]["trusted"] is False
    (rig.state / "trusted.json").unlink()
    policy.unlink()


def test_a_rule_that_was_removed_comes_back_only_with_presence(rig: Running, visitor: Visitor, device: str) -> None:
    config = rig.state / "config.toml"
    before = config.read_text() if config.exists() else ""
    rule = '[[rules]]\ntool = "write_to_file"\ndecision = "{}"\n'
    config.write_text(f"{before}\n{rule.format('allow')}\n{rule.format('deny')}")
    person = session(rig)
    rules = rig.request("GET", "/api/rules", headers=person).json["data"]["rules"]
    ids = {each["decision"]: each["id"] for each in rules if each["tool"] == "write_to_file"}
    for id in ids.values():
        assert rig.request("DELETE", f"/api/rules/{id}", headers=person).status == 200

    def restore(which: str, **presence: Any) -> Answer:
        return rig.request("POST", f"/api/rules/{ids[which]}/restore", headers=person, json=presence)

    assert shell(rig, "rules", "restore", ids["allow"]).returncode != 0
    signed = signed_by(visitor, "console", needed(restore("allow"))["passkey"])
    assert restore("deny").status == 200, "what tightens needs none"
    assert "allow" not in config.read_text().replace(before, "")
    assert restore("allow", presence=signed).status == 200
    assert 'decision = "allow"' in config.read_text()
    config.write_text(before)


def shell(rig: Running, *words: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    """Runs a command in an agent's own shell."""
    command = [HANDRAIL, *words, "--state", str(rig.state)]
    env = {**os.environ, "NO_COLOR": "1", **environ}
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env, timeout=60)


@pytest.mark.parametrize(
    "wrapper",
    [
        [],
        ["script", "-qec"],
        ["setsid", "-f", "script", "-qec"],
        [sys.executable, "-c", "import pty, sys; pty.spawn(['sh', '-c', sys.argv[1]])"],
    ],
    ids=["a pipe", "a terminal of its own", "a session of its own", "a pseudo-terminal"],
)
def test_an_answer_from_an_agents_shell_never_counts(rig: Running, asked: str, wrapper: list[str]) -> None:
    message = rig.state.parent / "said"
    message.unlink(missing_ok=True)
    command = f"HANDRAIL_PRESENCE=never {HANDRAIL} prompts answer {asked} --ok --for rule --state {rig.state}"
    words = [*wrapper, f"{command} > {message} 2>&1; echo over >> {message}"]
    if wrapper[:1] in (["script"], ["setsid"]):
        words.append("/dev/null")
    subprocess.run(words if wrapper else ["sh", "-c", words[0]], input=b"y\ny\n", capture_output=True, timeout=60)
    until(lambda: message.exists() and message.read_text().endswith("over\n"))
    assert "needs proof that a person is present" in message.read_text(), message.read_text()
    assert answer_to(rig, asked) is None


def test_commands_that_loosen_rules_are_refused_in_an_agents_shell(rig: Running) -> None:
    (rig.project / ".handrail").mkdir(exist_ok=True)
    (rig.project / ".handrail" / "policy.json").write_text('{"contractVersion": "1.0.0", "policies": {}}')
    for words in (
        ["policy", "trust", "--answer", "allow", "--project", str(rig.project)],
        ["passkeys", "add"],
        ["agents", "add", "mine"],
    ):
        result = shell(rig, *words, HANDRAIL_PRESENCE="never")
        assert result.returncode != 0
        assert "proof that a person is present" in result.stdout + result.stderr, result
    added = rig.request("POST", "/api/access/agents", headers=session(rig), json={"name": "mine"})
    assert (added.status, added.json["error"]["details"]["context"]["reason"]) == (403, "presence")
    assert not (rig.state / "trusted.json").exists()
    (rig.project / ".handrail" / "policy.json").unlink()


def test_an_answer_written_directly_to_the_log_has_no_effect(rig: Running) -> None:
    calling = call(rig, "replace_in_file", path="a.txt", find="one", replace="three")
    request_id = Person(rig.state).sees()["requestId"]
    forged = {"ts": "2026-01-01T00:00:00.000Z", "type": "ui_prompt", "action": "response", "requestId": request_id}
    with (rig.state / "ui-prompts.jsonl").open("a") as log:
        log.write(json.dumps({**forged, "response": RULE}) + "\n")
    printed, _ = calling.communicate(timeout=60)
    assert calling.returncode != 0
    assert "proof that a person is present" in printed
    assert (rig.project / "a.txt").read_text() == "one\n"
    config = rig.state / "config.toml"
    assert not config.exists() or "three" not in config.read_text()


def test_a_critical_call_needs_presence_even_to_be_allowed_once(rig: Running) -> None:
    rule = '\n[[rules]]\ntool = "replace_in_file"\npath = "vault.txt"\ndecision = "ask"\ncritical = true\n'
    with (rig.state / "config.toml").open("a") as config:
        config.write(rule)
    (rig.project / "vault.txt").write_text("one\n")
    calling = call(rig, "replace_in_file", path="vault.txt", find="one", replace="two")
    request_id = Person(rig.state).sees()["requestId"]
    refused(rig, request_id, answer(rig, request_id, {"status": "ok"}))
    assert answer(rig, request_id, {"status": "canceled"}).status == 200, "a no needs no proof"
    assert calling.wait(60) != 0
    assert (rig.project / "vault.txt").read_text() == "one\n"
