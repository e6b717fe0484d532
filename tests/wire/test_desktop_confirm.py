"""Contract 1 §4.2, §5.10 and the rulings: what confirms an action, for which caller and call, and only once."""

import asyncio
import json
import random
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from handrail.features.desktop.opening import own_executor
from handrail.kernel.digest import canonical, digest
from handrail.ports.tokens import TokenScope
from handrail.stores.local.peers import identify
from handrail.stores.local.state import open_state
from handrail.stores.local.tokens import SqliteTokens
from tests.wire.desktop_rig import PHRASE, Bridge, DesktopRig, hosting

ENTER: dict[str, Any] = {"keys": ["enter"]}
HOTKEY = "desktop.hotkey"
ACTING: dict[str, dict[str, Any]] = {
    "desktop.click": {"target": {"selector": {"titleContains": "Save as"}}},
    "desktop.typeText": {"text": "x"},
    "desktop.hotkey": ENTER,
    "desktop.dismissModal": {"strategy": {"type": "esc"}},
}


async def reason(bridge: Bridge, method: str = HOTKEY, **params: Any) -> str:
    error = await bridge.refused(method, **(params or ENTER))
    assert error["code"] == "DESKTOP_CONFIRM_REQUIRED", error
    return str(error["details"]["reason"])


@pytest.mark.parametrize("method", ACTING)
@pytest.mark.parametrize("confirm", [None, {}, {"approver": "me"}])
async def test_acting_methods_need_a_confirmation(
    desk: DesktopRig, bridge: Bridge, method: str, confirm: dict[str, str] | None
) -> None:
    more = {} if confirm is None else {"confirm": confirm}
    assert await reason(bridge, method, **ACTING[method], **more) == "missing"
    assert desk.desktop.sent == []


@pytest.mark.parametrize("method", ACTING)
@pytest.mark.parametrize(
    "confirm",
    [5, "CONFIRM", [], True, {"token": 5}, {"tokens": "x"}, {"phrase": "x" * 1_001}, {**PHRASE, "a": 1}],
)
async def test_a_confirmation_that_makes_no_sense_is_none(
    desk: DesktopRig, bridge: Bridge, method: str, confirm: Any
) -> None:
    assert await reason(bridge, method, confirm=confirm, **ACTING[method]) == "invalid"
    assert desk.desktop.sent == []


@pytest.mark.parametrize("phrase", ["CONFIRM", "CONFIRM:this-request"])
async def test_in_mode_contract_the_exact_phrases_confirm(bridge: Bridge, phrase: str) -> None:
    meta = bridge.meta(requestId="this-request")
    assert (await bridge.call(HOTKEY, meta=meta, confirm={"phrase": phrase}, **ENTER))["sent"] is True


@pytest.mark.parametrize(
    "phrase",
    ["", "confirm", "CONFIRM:", "CONFIRM:other", "CONFIRM ", " CONFIRM", "CONFIRM:this-request-and-more", "yes"],
)
async def test_any_other_phrase_is_refused(desk: DesktopRig, bridge: Bridge, phrase: str) -> None:
    meta = bridge.meta(requestId="this-request")
    assert await reason(bridge, HOTKEY, meta=meta, confirm={"phrase": phrase}, **ENTER) == "invalid"
    assert desk.desktop.sent == []


@pytest.mark.parametrize("mode", ["token", "human"])
async def test_only_mode_contract_takes_a_phrase(tmp_path: Path, mode: Any) -> None:
    async with hosting(tmp_path, mode) as desk:
        bridge = await desk.connect()
        assert await reason(bridge, HOTKEY, confirm=PHRASE, **ENTER) == "invalid"
        assert desk.desktop.sent == []


@pytest.mark.parametrize("mode", ["token", "contract"])
async def test_a_token_has_the_shape_of_the_contract_and_confirms_one_call(tmp_path: Path, mode: Any) -> None:
    async with hosting(tmp_path, mode) as desk:
        bridge = await desk.connect()
        before = datetime.now(UTC)
        issued = await bridge.call("desktop.confirm.issue", intent={"method": HOTKEY, "params": ENTER})
        assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", issued["token"])
        expires = datetime.fromisoformat(issued["expiresAt"])
        assert before + timedelta(seconds=59) < expires <= datetime.now(UTC) + timedelta(seconds=60)
        assert issued["scope"] == {"method": HOTKEY, "paramsDigest": digest(ENTER)[:16]}
        assert issued["peer"] == (await bridge.call("desktop.health"))["peer"]
        assert (await bridge.call(HOTKEY, confirm={"token": issued["token"]}, **ENTER))["sent"] is True


async def test_the_digest_is_over_canonical_json_without_meta_and_confirm(bridge: Bridge) -> None:
    params = {"keys": ["enter"], "options": {"delayMs": 5.0}, "route": {"focusPolicy": "never"}}
    reordered = {"confirm": {"token": "x"}, "meta": {"any": 1}, **dict(reversed(params.items()))}
    issued = await bridge.call("desktop.confirm.issue", intent={"method": HOTKEY, "params": reordered})
    assert issued["scope"]["paramsDigest"] == digest(params)[:16]
    assert canonical(params) == b'{"keys":["enter"],"options":{"delayMs":5},"route":{"focusPolicy":"never"}}'
    again = {"route": {"focusPolicy": "never"}, "options": {"delayMs": 5}, "keys": ["enter"]}
    assert await bridge.call(HOTKEY, confirm={"token": issued["token"]}, **again)


async def test_a_token_used_twice_is_refused_the_second_time(desk: DesktopRig, bridge: Bridge) -> None:
    token = await bridge.token(HOTKEY, **ENTER)
    await bridge.call(HOTKEY, confirm={"token": token}, **ENTER)
    assert await reason(bridge, HOTKEY, confirm={"token": token}, **ENTER) == "used"
    assert desk.desktop.sent == ["keys enter"]


async def test_a_token_is_for_one_method(bridge: Bridge) -> None:
    token = await bridge.token(HOTKEY, **ENTER)
    assert await reason(bridge, "desktop.typeText", confirm={"token": token}, text="x") == "method"


@pytest.mark.parametrize(
    "params",
    [{"keys": ["escape"]}, {"keys": ["Enter"]}, {"keys": ["enter"], "options": {}}, {"keys": ["enter"], "route": {}}],
)
async def test_a_token_is_for_one_set_of_parameters(desk: DesktopRig, bridge: Bridge, params: dict[str, Any]) -> None:
    token = await bridge.token(HOTKEY, **ENTER)
    assert await reason(bridge, HOTKEY, confirm={"token": token}, **params) == "params"
    assert desk.desktop.sent == []
    await bridge.call(HOTKEY, confirm={"token": token}, **ENTER)


async def test_a_token_expires(bridge: Bridge) -> None:
    token = await bridge.token(HOTKEY, ttl_ms=1, **ENTER)
    while (match := await reason(bridge, HOTKEY, confirm={"token": token}, keys=["escape"])) != "expired":
        assert match == "params"
    assert await reason(bridge, HOTKEY, confirm={"token": token}, **ENTER) == "expired"


@pytest.mark.parametrize("token", ["", "x", "00000000-0000-4000-8000-000000000000", "' OR 1=1 --", "\0", "ü" * 100])
async def test_a_token_that_was_never_issued_is_refused(desk: DesktopRig, bridge: Bridge, token: str) -> None:
    expected = "invalid" if token else "missing"
    assert await reason(bridge, HOTKEY, confirm={"token": token}, **ENTER) == expected
    assert desk.desktop.sent == []


async def test_a_bad_token_is_not_mended_by_a_good_phrase(desk: DesktopRig, bridge: Bridge) -> None:
    assert await reason(bridge, HOTKEY, confirm={"token": "x", "phrase": "CONFIRM"}, **ENTER) == "invalid"
    assert desk.desktop.sent == []


_FOREIGNER = """
import json, socket, sys
path, workspace, token = sys.argv[1:]
meta = {"schemaVersion": 1, "requestId": "foreign", "workspacePath": workspace, "timeoutMs": 5000}
params = {"meta": meta, "confirm": {"token": token}, "keys": ["enter"]}
wire = socket.socket(socket.AF_UNIX)
wire.connect(path)
wire.sendall(json.dumps({"jsonrpc": "2.0", "id": "f", "method": "desktop.hotkey", "params": params}).encode() + b"\\n")
print(wire.makefile().readline())
"""


async def test_a_token_is_for_one_process(desk: DesktopRig, bridge: Bridge) -> None:
    token = await bridge.token(HOTKEY, **ENTER)
    command = [sys.executable, "-c", _FOREIGNER, str(desk.socket), str(desk.workspace), token]
    foreign = await asyncio.to_thread(subprocess.run, command, capture_output=True, check=True, timeout=60)
    error = json.loads(foreign.stdout)["error"]
    assert (error["code"], error["details"]["reason"]) == ("DESKTOP_CONFIRM_REQUIRED", "peer")
    assert desk.desktop.sent == []
    await bridge.call(HOTKEY, confirm={"token": token}, **ENTER)


async def test_a_token_serves_another_connection_of_the_same_process(desk: DesktopRig, bridge: Bridge) -> None:
    token = await bridge.token(HOTKEY, **ENTER)
    other = await desk.connect()
    assert await other.call(HOTKEY, confirm={"token": token}, **ENTER)


async def test_only_one_of_a_hundred_concurrent_uses_succeeds(desk: DesktopRig, bridge: Bridge) -> None:
    token = await bridge.token(HOTKEY, **ENTER)
    bridges = [await desk.connect() for _ in range(20)]
    answers = await asyncio.gather(
        *(each.send(HOTKEY, confirm={"token": token}, **ENTER) for each in bridges for _ in range(5))
    )
    assert sum("result" in answer for answer in answers) == 1
    assert {answer["error"]["details"]["reason"] for answer in answers if "error" in answer} == {"used"}
    assert desk.desktop.sent == ["keys enter"]


async def test_a_token_that_was_used_stays_used_when_the_host_is_started_again(tmp_path: Path) -> None:
    async with hosting(tmp_path, "token") as desk:
        bridge = await desk.connect()
        used, unused = await bridge.token(HOTKEY, **ENTER), await bridge.token(HOTKEY, **ENTER)
        await bridge.call(HOTKEY, confirm={"token": used}, **ENTER)
    async with hosting(tmp_path, "token") as desk:
        bridge = await desk.connect()
        assert await reason(bridge, HOTKEY, confirm={"token": used}, **ENTER) == "used"
        assert await bridge.call(HOTKEY, confirm={"token": unused}, **ENTER)


async def test_a_failed_action_has_used_its_token_up(desk: DesktopRig, bridge: Bridge) -> None:
    target = {"selector": {"titleContains": "nothing"}}
    token = await bridge.token("desktop.click", target=target)
    error = await bridge.refused("desktop.click", confirm={"token": token}, target=target)
    assert error["code"] == "DESKTOP_ELEMENT_NOT_FOUND"
    assert await reason(bridge, "desktop.click", confirm={"token": token}, target=target) == "used"


@pytest.mark.trial("identity", is_long=True)
async def test_a_thousand_forged_and_bent_tokens_send_nothing(tmp_path: Path) -> None:
    chance = random.Random(4)
    async with hosting(tmp_path, "token") as desk:
        bridges = [await desk.connect() for _ in range(10)]
        real = [await each.token(HOTKEY, **ENTER) for each in bridges]

        def bent(token: str) -> str:
            kind, at = chance.randrange(6), chance.randrange(len(token))
            swapped = token[:at] + chance.choice("0123456789abcdef-") + token[at + 1 :]
            others = [token.upper(), token[:-1], token + "0", f" {token}", "".join(chance.sample(token, len(token)))]
            return [*others, swapped][kind]

        async def attack(bridge: Bridge) -> set[str]:
            values = set()
            for _ in range(100):
                token = chance.choice(real)
                forged = bent(token)
                params = ENTER if forged != token else {"keys": ["escape"]}
                values.add(await reason(bridge, HOTKEY, confirm={"token": forged}, **params))
            return values

        assert set().union(*await asyncio.gather(*(attack(each) for each in bridges))) <= {"invalid", "params"}
        assert desk.desktop.sent == []
        for bridge, token in zip(bridges, real, strict=True):
            await bridge.call(HOTKEY, confirm={"token": token}, **ENTER)
        assert desk.desktop.sent == ["keys enter"] * 10


async def test_who_approved_and_when_goes_into_the_evidence(desk: DesktopRig, bridge: Bridge) -> None:
    confirm = {"phrase": "CONFIRM", "approvedAt": "2026-02-09T12:00:00Z", "approver": "ada"}
    result = await bridge.call(HOTKEY, confirm=confirm, **ENTER)
    trace = Path(result["evidence"]["dir"] + "trace.jsonl").read_text()  # noqa: ASYNC240
    event = next(line for line in map(json.loads, trace.splitlines()) if line["event"] == "confirmed")
    assert (event["approvedAt"], event["approver"], event["by"]) == ("2026-02-09T12:00:00Z", "ada", "phrase")


async def test_the_evidence_contains_no_token(desk: DesktopRig, bridge: Bridge) -> None:
    token = await bridge.token(HOTKEY, **ENTER)
    await bridge.call(HOTKEY, confirm={"token": token}, **ENTER)
    written = [file for file in desk.workspace.rglob("*") if file.is_file()]
    assert len(written) > 5
    assert not [file for file in written if token.encode() in file.read_bytes()]


async def test_the_gateways_token_is_good_once_for_exactly_its_call_and_process(tmp_path: Path) -> None:
    async with hosting(tmp_path, "human") as desk:
        bridge = await desk.connect()
        state = open_state(desk.state)
        tokens = SqliteTokens(state.database)
        grant = await tokens.issue(TokenScope(own_executor(identify), HOTKEY, digest(ENTER)), 60)
        assert await reason(bridge, HOTKEY, confirm={"pass": grant}, keys=["escape"]) == "params"
        assert await reason(bridge, HOTKEY, confirm={"token": grant}, **ENTER) == "peer"
        assert await bridge.call(HOTKEY, confirm={"pass": grant}, **ENTER)
        assert await reason(bridge, HOTKEY, confirm={"pass": grant}, **ENTER) == "used"
        foreign = await tokens.issue(TokenScope("gateway of another process", HOTKEY, digest(ENTER)), 60)
        assert await reason(bridge, HOTKEY, confirm={"pass": foreign}, **ENTER) == "peer"
        assert await reason(bridge, HOTKEY, confirm={"pass": "made-up"}, **ENTER) == "invalid"
        assert desk.desktop.sent == ["keys enter"]
        state.close()
