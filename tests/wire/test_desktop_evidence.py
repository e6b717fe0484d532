"""Contract 1 §2.2 and the ruling on evidence: what every execution writes into its workspace, or if it can't write."""

import json
import os
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from handrail.kernel.audit import Audit
from handrail.ports.errors import InputOutput
from handrail.stores.local.files.folder import LocalFolder
from handrail.wiring import Wiring
from tests.wire.desktop_rig import PHRASE, Bridge, DesktopRig, files_in, read_file, read_json

READING: dict[str, dict[str, Any]] = {
    "desktop.observe": {},
    "desktop.find": {"selector": {"byRole": "AXButton"}},
    "desktop.waitUntil": {"condition": {"selectorExists": {"byRole": "AXButton"}}, "timeoutMs": 1000},
    "desktop.listModals": {},
    "desktop.highlight": {"target": {"selector": {"titleContains": "Ask"}}},
}
ACTING: dict[str, dict[str, Any]] = {
    "desktop.click": {"target": {"selector": {"titleContains": "Save as"}}},
    "desktop.typeText": {"text": "x"},
    "desktop.hotkey": {"keys": ["enter"]},
}


def trace_of(result: dict[str, Any]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in read_file(result, "trace.jsonl").splitlines()]


@pytest.mark.parametrize("method", READING)
async def test_every_execution_has_a_folder_of_its_day_and_id(bridge: Bridge, method: str) -> None:
    result = await bridge.call(method, **READING[method])
    where = rf"{re.escape(str(bridge.workspace))}/artifacts/desktop/\d{{4}}-\d\d-\d\d/{result['executionId']}/"
    assert re.fullmatch(where, result["evidence"]["dir"])
    assert re.fullmatch(r"[0-9a-f-]{36}", result["executionId"])
    assert {"env.json", "trace.jsonl", "result.json"} <= files_in(result)


@pytest.mark.parametrize("method", ACTING)
async def test_acting_methods_store_screenshots_before_and_after(bridge: Bridge, method: str) -> None:
    result = await bridge.call(method, confirm=PHRASE, **ACTING[method])
    assert files_in(result) == {"before.png", "after.png", "env.json", "trace.jsonl", "result.json"}
    assert [line["event"] for line in trace_of(result)][:3] == ["begin", "confirmed", "acting"]


async def test_the_stored_result_is_the_answer(bridge: Bridge) -> None:
    result = await bridge.call("desktop.find", selector={"byRole": "AXButton"})
    assert read_json(result, "result.json") == {"ok": True, "result": result}


async def test_a_failure_is_on_record_with_its_code(desk: DesktopRig, bridge: Bridge) -> None:
    error = await bridge.refused("desktop.click", confirm=PHRASE, target={"selector": {"titleContains": "nothing"}})
    recorded = read_json(error["details"], "result.json")
    assert recorded["ok"] is False
    assert recorded["error"]["code"] == "DESKTOP_ELEMENT_NOT_FOUND"
    assert desk.index()[-1]["errorCode"] == "DESKTOP_ELEMENT_NOT_FOUND"
    assert desk.index()[-1]["evidenceDir"] == error["details"]["evidence"]["dir"]


async def test_the_surroundings_tell_host_system_caller_and_request(bridge: Bridge) -> None:
    meta = bridge.meta(requestId="mine")
    result = await bridge.call("desktop.observe", meta=meta)
    env = read_json(result, "env.json")
    assert (env["os"], env["session"], env["confirmMode"]) == ("Linux test", "x11", "contract")
    assert (env["method"], env["requestId"], env["executionId"]) == ("desktop.observe", "mine", result["executionId"])
    assert env["peer"]["pid"] == os.getpid()
    assert len(env["peer"]["auditTokenDigest"]) == 64


async def test_the_index_has_one_line_per_execution(desk: DesktopRig, bridge: Bridge) -> None:
    meta = bridge.meta(requestId="first")
    result = await bridge.call("desktop.observe", meta=meta)
    await bridge.refused("desktop.hotkey", keys=["enter"])
    await bridge.call("desktop.health")
    first, second = desk.index()
    assert first | {"ts": 0} == {
        "ts": 0,
        "executionId": result["executionId"],
        "requestId": "first",
        "method": "desktop.observe",
        "ok": True,
        "evidenceDir": result["evidence"]["dir"],
    }
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first["ts"])
    assert (second["ok"], second["errorCode"]) == (False, "DESKTOP_CONFIRM_REQUIRED")


async def test_a_request_that_makes_no_sense_leaves_nothing(desk: DesktopRig, bridge: Bridge) -> None:
    await bridge.refused("desktop.find", selector={"limit": 0})
    assert not (desk.workspace / "artifacts").exists()


async def test_typed_text_is_in_no_log(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.name.states |= {"protected"}
    target = {"selector": {"byRole": "AXTextField"}}
    result = await bridge.call("desktop.typeText", confirm=PHRASE, target=target, text="s3cret-passphrase")
    for name in ("trace.jsonl", "env.json"):
        assert b"s3cret" not in read_file(result, name)
    assert next(line for line in trace_of(result) if line["event"] == "typing")["characters"] == 17
    assert b"s3cret" not in (desk.workspace / "artifacts/desktop/index.ndjson").read_bytes()


async def test_a_torn_tail_of_the_index_spoils_no_later_line(desk: DesktopRig, bridge: Bridge) -> None:
    index = desk.workspace / "artifacts/desktop/index.ndjson"
    await bridge.call("desktop.observe")
    with index.open("ab") as torn:
        torn.write(b'{"ts":"20')
    await bridge.call("desktop.observe")
    lines = index.read_bytes().splitlines()
    assert lines[1] == b'{"ts":"20'
    assert json.loads(lines[2])["ok"] is True


@pytest.mark.parametrize("place", ["artifacts", "artifacts/desktop", "artifacts/desktop/index.ndjson"])
async def test_a_link_on_the_way_is_not_followed_and_nothing_is_acted_upon(
    desk: DesktopRig, bridge: Bridge, place: str
) -> None:
    outside = desk.root.parent / "outside"
    outside.mkdir()
    (outside / "victim").write_text("mine")
    link = desk.workspace / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / "victim" if place.endswith("ndjson") else outside)
    error = await bridge.refused("desktop.observe")
    assert error["code"] == "DESKTOP_INTERNAL_ERROR"
    assert "evidence" in error["message"]
    assert sorted(os.listdir(outside)) == ["victim"]
    assert (outside / "victim").read_text() == "mine"
    if not place.endswith("ndjson"):
        await bridge.refused("desktop.hotkey", confirm=PHRASE, keys=["enter"])
        assert desk.desktop.sent == []


async def test_a_call_that_cannot_be_recorded_first_is_not_carried_out(
    desk: DesktopRig, bridge: Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: LocalFolder, path: str, data: bytes, **how: Any) -> None:
        raise InputOutput(f"{path!r}: No space left on device.", error="ENOSPC")

    with monkeypatch.context() as broken:
        broken.setattr(LocalFolder, "write", full)
        for method, params in ACTING.items():
            error = await bridge.refused(method, confirm=PHRASE, **params)
            assert (error["code"], error["retryable"]) == ("DESKTOP_INTERNAL_ERROR", True)
            assert "No space left" in error["message"]
            assert error["details"]["acted"] is False
        assert (await bridge.refused("desktop.observe"))["code"] == "DESKTOP_INTERNAL_ERROR"
    assert desk.desktop.sent == []
    assert await bridge.call("desktop.observe")


async def test_the_outcome_is_returned_even_if_it_cannot_be_recorded(
    desk: DesktopRig, bridge: Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = LocalFolder.write

    def full(self: LocalFolder, path: str, data: bytes, **how: Any) -> None:
        if desk.desktop.sent:
            raise InputOutput(f"{path!r}: No space left on device.", error="ENOSPC")
        write(self, path, data, **how)

    monkeypatch.setattr(LocalFolder, "write", full)
    result = await bridge.call("desktop.hotkey", confirm=PHRASE, keys=["enter"])
    assert result["sent"] is True
    assert desk.desktop.sent == ["keys enter"]
    assert "result.json" not in files_in(result)


async def test_many_executions_at_once_write_whole_lines(desk: DesktopRig) -> None:
    bridges = [await desk.connect() for _ in range(10)]
    answers = [each.send("desktop.find", selector={"byRole": "AXButton"}) for each in bridges for _ in range(5)]
    ids = {(await answer)["result"]["executionId"] for answer in answers}
    assert {line["executionId"] for line in desk.index()} == ids


async def test_the_folder_is_in_the_callers_workspace(desk: DesktopRig, bridge: Bridge) -> None:
    value = f"{desk.workspace}/"
    result = await bridge.call("desktop.observe", meta=bridge.meta(workspacePath=value))
    assert result["evidence"]["dir"].startswith(f"{desk.workspace}/artifacts/desktop/")
    assert Path(result["evidence"]["dir"]).name == result["executionId"]


async def test_a_direct_client_clicks_with_two_calls_and_two_screenshots(
    desk: DesktopRig, bridge: Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a person is asked, the question's picture is the third one: it belongs to the call that asks."""
    shots: list[Any] = []
    shot = desk.desktop.screenshot

    async def counting(*area: Any, **more: Any) -> Any:
        shots.append(area)
        return await shot(*area, **more)

    monkeypatch.setattr(desk.desktop, "screenshot", counting)
    result = await bridge.act("desktop.click", **ACTING["desktop.click"])
    assert len(shots) == 2
    assert [line["method"] for line in desk.index()] == ["desktop.confirm.issue", "desktop.click"]
    assert {"before.png", "after.png"} <= files_in(result)


async def test_acting_calls_are_audited_before_they_act_and_afterwards_with_evidence_hashes(
    desk: DesktopRig, bridge: Bridge
) -> None:
    await bridge.call("desktop.observe")
    result = await bridge.call("desktop.hotkey", confirm=PHRASE, keys=["enter"])
    missing = {"selector": {"titleContains": "nothing there"}}
    await bridge.refused("desktop.click", confirm=PHRASE, target=missing)
    audit = Audit(Wiring().open_stores(desk.state).audit)
    begin, end = audit.entries()
    assert audit.verify() == 2
    assert (begin["event"], end["event"], end["ok"]) == ("begin", "end", True)
    for record in (begin, end):
        assert (record["executionId"], record["tool"]) == (result["executionId"], "desktop.hotkey")
        assert record["project"] == str(desk.workspace)
        assert record["paramsDigest"] == read_json(result, "env.json")["paramsDigest"]
    assert Path(desk.workspace, end["evidence"]["dir"]) == Path(result["evidence"]["dir"])
    files = {name: sha256(read_file(result, name)).hexdigest() for name in files_in(result)}
    assert end["evidence"]["sha256"] == files


GIVEN = {"executionId": "exec_0123", "beganAt": "2026-02-14T23:59:59.5+00:00"}
NEVER = {"condition": {"selectorExists": {"titleContains": "what never comes"}}, "timeoutMs": 20_000}


async def test_a_gateways_execution_keeps_its_id_and_day_and_ids_are_used_once(bridge: Bridge) -> None:
    result = await bridge.call("desktop.observe", meta=bridge.meta(**GIVEN))
    assert result["executionId"] == "exec_0123"
    assert result["evidence"]["dir"].endswith("/artifacts/desktop/2026-02-14/exec_0123/")
    files = {name: sha256(read_file(result, name)).hexdigest() for name in files_in(result)}
    assert result["evidence"]["sha256"] == files
    for id in ("exec_0123", "../../up", ""):
        error = await bridge.refused("desktop.observe", meta=bridge.meta(**{**GIVEN, "executionId": id}))
        assert error["code"] == "DESKTOP_INVALID_REQUEST"


async def test_the_result_of_a_gateway_that_gave_up_stays(desk: DesktopRig, bridge: Bridge) -> None:
    waiting = bridge.send("desktop.waitUntil", id="mine", meta=bridge.meta(**GIVEN), **NEVER)
    folder = desk.workspace / "artifacts/desktop/2026-02-14/exec_0123"
    await bridge.call("desktop.observe")  # requests that were sent earlier have started
    folder.mkdir(parents=True)
    (folder / "result.json").write_text("the gateway's")
    await bridge.call("desktop.abort", executionId="exec_0123")
    assert (await waiting)["error"]["code"] == "DESKTOP_ABORTED"
    assert (folder / "result.json").read_text() == "the gateway's"
    assert (folder / "env.json").exists()
