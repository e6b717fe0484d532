"""Contract 1 §2.1, §4 and §7: what every request must have, and the errors for invalid ones."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.wire.desktop_rig import PHRASE, Bridge, DesktopRig, hosting, read_file

METHODS: dict[str, dict[str, Any]] = {
    "desktop.health": {},
    "desktop.doctor": {},
    "desktop.observe": {},
    "desktop.find": {"selector": {"byRole": "AXButton"}},
    "desktop.click": {"confirm": PHRASE, "target": {"selector": {"byRole": "AXButton"}}},
    "desktop.typeText": {"confirm": PHRASE, "text": "x"},
    "desktop.hotkey": {"confirm": PHRASE, "keys": ["enter"]},
    "desktop.waitUntil": {"condition": {"selectorExists": {"byRole": "AXButton"}}, "timeoutMs": 1000},
    "desktop.abort": {"executionId": "x"},
    "desktop.confirm.issue": {"intent": {"method": "desktop.hotkey", "params": {"keys": ["enter"]}}},
    "desktop.highlight": {"target": {"selector": {"byRole": "AXButton"}}},
    "desktop.listModals": {},
    "desktop.dismissModal": {"confirm": PHRASE, "strategy": {"type": "esc"}},
}
X = {"byRole": "x"}
ENTER = {"method": "desktop.hotkey", "params": {"keys": ["enter"]}}
EACH = pytest.mark.parametrize("method", METHODS)


async def refused_field(bridge: Bridge, method: str, **params: Any) -> str:
    error = await bridge.refused(method, **params)
    assert error["code"] == "DESKTOP_INVALID_REQUEST", error
    return str(error["details"]["field"])


@EACH
async def test_a_missing_meta_is_named(bridge: Bridge, method: str) -> None:
    request = {"jsonrpc": "2.0", "id": "no-meta", "method": method, "params": METHODS[method]}
    answer = await bridge.stray(request)
    assert answer["error"]["code"] == "DESKTOP_INVALID_REQUEST"
    assert answer["error"]["details"]["field"] == "params.meta"


@EACH
async def test_another_schema_version_is_refused(bridge: Bridge, method: str) -> None:
    meta = bridge.meta(schemaVersion=2)
    assert await refused_field(bridge, method, meta=meta, **METHODS[method]) == "params.meta.schemaVersion"


@EACH
async def test_an_unknown_member_is_named(bridge: Bridge, method: str) -> None:
    assert await refused_field(bridge, method, **METHODS[method], surprise=1) == "params.surprise"


@EACH
async def test_every_method_looks_at_the_workspace(desk: DesktopRig, bridge: Bridge, method: str) -> None:
    meta = bridge.meta(workspacePath=str(desk.root.parent))
    error = await bridge.refused(method, meta=meta, **METHODS[method])
    assert error["code"] == "DESKTOP_WORKSPACE_FORBIDDEN"
    assert desk.desktop.sent == []


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("timeoutMs", 0),
        ("timeoutMs", -1),
        ("timeoutMs", 3_600_001),
        ("timeoutMs", 1e300),
        ("timeoutMs", 1.5),
        ("timeoutMs", "1000"),
        ("timeoutMs", True),
        ("timeoutMs", None),
        ("schemaVersion", "1"),
        ("schemaVersion", True),
        ("requestId", ""),
        ("requestId", 1),
        ("requestId", "x" * 1_001),
        ("workspacePath", ""),
        ("workspacePath", 1),
        ("workspacePath", "/" * 4_097),
    ],
)
async def test_a_member_of_meta_that_makes_no_sense_is_named(bridge: Bridge, member: str, value: Any) -> None:
    meta = bridge.meta(**{member: value})
    assert await refused_field(bridge, "desktop.find", meta=meta, selector={"byRole": "x"}) == f"params.meta.{member}"


@pytest.mark.parametrize("member", ["schemaVersion", "requestId", "workspacePath"])
async def test_a_member_of_meta_that_is_missing_is_named(bridge: Bridge, member: str) -> None:
    meta = {name: value for name, value in bridge.meta().items() if name != member}
    assert await refused_field(bridge, "desktop.health", meta=meta) == f"params.meta.{member}"


async def test_a_whole_number_may_be_spelled_with_a_point(bridge: Bridge) -> None:
    meta = bridge.meta(timeoutMs=1000.0, schemaVersion=1.0)
    assert await bridge.call("desktop.find", meta=meta, selector={"byRole": "AXButton", "limit": 1.0})


@pytest.mark.parametrize("method", ["desktop.unknown", "health", "desktop.Health", "__init__", "x" * 5_000])
async def test_an_unknown_method_is_an_invalid_request(bridge: Bridge, method: str) -> None:
    error = await bridge.refused(method)
    assert error["code"] == "DESKTOP_INVALID_REQUEST"


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("find", {}, "selector"),
        ("find", {"selector": {"byRole": ""}}, "selector.byRole"),
        ("find", {"selector": {"titleContains": 1}}, "selector.titleContains"),
        ("find", {"selector": {"byRole": "x", "limit": 0}}, "selector.limit"),
        ("find", {"selector": {"byRole": "x", "limit": 1_001}}, "selector.limit"),
        ("find", {"selector": {"byRole": "x", "by_role": "x"}}, "selector.by_role"),
        ("find", {"selector": {"byRect": {"x": 0, "y": 0, "width": 0, "height": 1}}}, "selector.byRect.width"),
        ("find", {"selector": {"byRect": {"x": 0, "y": 0, "width": 1}}}, "selector.byRect.height"),
        ("find", {"selector": {"byPath": [0, -1]}}, "selector.byPath[1]"),
        ("find", {"selector": {"byPath": [0] * 201}}, "selector.byPath"),
        ("find", {"selector": {"near": {"anchor": {}}}}, "selector.near.anchor"),
        ("find", {"selector": {"near": {"anchor": X, "direction": "up"}}}, "selector.near.direction"),
        ("find", {"selector": {"near": {"anchor": X, "maxDistance": -1}}}, "selector.near.maxDistance"),
        ("find", {"route": {"focusPolicy": "sometimes"}, "selector": X}, "route.focusPolicy"),
        ("find", {"route": {"window": {}}, "selector": X}, "route.window"),
        ("find", {"route": {"window": {"titlePattern": "("}}, "selector": X}, "route.window.titlePattern"),
        ("find", {"route": {"window": {"titlePattern": "(?=x)"}}, "selector": X}, "route.window.titlePattern"),
        ("find", {"route": {"app": {"process": 1}}, "selector": X}, "route.app.process"),
        ("observe", {"options": {"axMaxDepth": 0}}, "options.axMaxDepth"),
        ("observe", {"options": {"axMaxNodes": 20_001}}, "options.axMaxNodes"),
        ("observe", {"options": {"area": "moon"}}, "options.area"),
        ("observe", {"options": {"area": "element"}}, ""),
        ("click", {}, "target"),
        ("click", {"target": {}}, "target"),
        ("click", {"target": {"selector": {}}}, "target"),
        ("click", {"target": {"elementRef": {}}}, "target.elementRef.elementId"),
        ("click", {"target": {"selector": X, "elementRef": {"elementId": "e:1"}}}, "target"),
        ("typeText", {}, "text"),
        ("typeText", {"text": "x" * 1_048_577}, "text"),
        ("typeText", {"text": "x", "options": {"clear": True}}, "options.clear"),
        ("hotkey", {"keys": []}, "keys"),
        ("hotkey", {"keys": "cmd+v"}, "keys"),
        ("hotkey", {"keys": ["a", "b"]}, "keys"),
        ("hotkey", {"keys": ["cmd+"]}, "keys"),
        ("hotkey", {"keys": ["cmd", "a+b"]}, "keys[1]"),
        ("hotkey", {"keys": ["a"], "options": {"delayMs": -1}}, "options.delayMs"),
        ("waitUntil", {"condition": {"selectorExists": X}}, "timeoutMs"),
        ("waitUntil", {"condition": {"selectorExists": X}, "timeoutMs": 0}, "timeoutMs"),
        ("waitUntil", {"condition": {}, "timeoutMs": 1}, "condition"),
        ("waitUntil", {"condition": {"selectorExists": X, "selectorGone": X}, "timeoutMs": 1}, "condition"),
        ("waitUntil", {"condition": {"selectorExists": X}, "timeoutMs": 1, "pollMs": 1}, "pollMs"),
        ("abort", {}, "executionId"),
        ("abort", {"executionId": ""}, "executionId"),
        ("confirm.issue", {}, "intent"),
        ("confirm.issue", {"intent": {"method": "desktop.hotkey"}}, "intent.params"),
        ("confirm.issue", {"intent": {"method": "desktop.find", "params": {}}}, "intent.method"),
        ("confirm.issue", {"intent": {"method": "desktop.hotkey", "params": {}}}, "intent.params.keys"),
        ("confirm.issue", {"intent": ENTER, "ttlMs": 0}, "ttlMs"),
        ("confirm.issue", {"intent": ENTER, "ttlMs": 600_001}, "ttlMs"),
        ("highlight", {"target": {"selector": X}, "durationMs": 0}, "durationMs"),
        ("dismissModal", {"strategy": {"type": "byTitle"}}, "strategy"),
        ("dismissModal", {"strategy": {"type": "kick"}}, "strategy.type"),
    ],
)
async def test_a_parameter_that_makes_no_sense_is_named_and_nothing_is_sent(
    desk: DesktopRig, bridge: Bridge, method: str, params: dict[str, Any], field: str
) -> None:
    confirmed = {"confirm": PHRASE} if "confirm" in METHODS[f"desktop.{method}"] else {}
    named = await refused_field(bridge, f"desktop.{method}", **{**confirmed, **params})
    assert named == f"params.{field}".rstrip(".")
    assert desk.desktop.sent == []


async def test_a_pattern_that_would_ruin_others_is_matched_in_no_time(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.notes.title = "a" * 5_000
    route = {"window": {"titlePattern": "^(a+)+$b"}}
    error = await bridge.refused("desktop.find", route=route, selector={"byRole": "AXButton"})
    assert error["code"] == "DESKTOP_ELEMENT_NOT_FOUND"


async def test_a_workspace_below_the_root_and_the_root_itself_are_allowed(desk: DesktopRig, bridge: Bridge) -> None:
    deep = desk.root / "a" / "b ü"
    deep.mkdir(parents=True)
    for path in (desk.root, deep, f"{deep}/", f"{desk.root}/a/../a/b ü"):
        assert await bridge.call("desktop.health", meta=bridge.meta(workspacePath=str(path)))


async def test_a_sibling_whose_name_begins_the_same_is_forbidden(desk: DesktopRig, bridge: Bridge) -> None:
    evil = desk.root.with_name(desk.root.name + "-evil")
    evil.mkdir()
    error = await bridge.refused("desktop.health", meta=bridge.meta(workspacePath=str(evil)))
    assert error["code"] == "DESKTOP_WORKSPACE_FORBIDDEN"


@pytest.mark.parametrize("name", ["missing", "file", "../outside", "link-out", "link-out/inner", "nul\0"])
async def test_a_workspace_behind_a_link_or_not_a_folder_is_forbidden(
    desk: DesktopRig, bridge: Bridge, name: str
) -> None:
    outside = desk.root.parent / "outside"
    (outside / "inner").mkdir(parents=True)
    (desk.root / "link-out").symlink_to(outside)
    (desk.root / "file").write_text("x")
    error = await bridge.refused("desktop.observe", meta=bridge.meta(workspacePath=f"{desk.root}/{name}"))
    assert error["code"] == "DESKTOP_WORKSPACE_FORBIDDEN"
    assert not (outside / "artifacts").exists()


async def test_a_relative_workspace_is_forbidden(bridge: Bridge) -> None:
    error = await bridge.refused("desktop.health", meta=bridge.meta(workspacePath="work"))
    assert error["code"] == "DESKTOP_WORKSPACE_FORBIDDEN"


async def test_links_above_the_root_and_inside_of_it_are_resolved_before_comparing(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    os.symlink("real", tmp_path / "link")
    async with hosting(tmp_path / "link") as desk:
        (desk.root / "alias").symlink_to(desk.workspace)
        bridge = await desk.connect()
        for path in (tmp_path / "real/root/work", tmp_path / "link/root/work", desk.root / "alias"):
            result = await bridge.call("desktop.observe", meta=bridge.meta(workspacePath=str(path)))
            assert read_file(result, "observe.png")
