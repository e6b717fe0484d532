"""Contract 1 §5.1, §5.2: what the host reports about itself, also while it starts or without a desktop."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

import handrail
from handrail.features.desktop.desktop_port import DesktopPort, Issue, Readiness
from handrail.ports.errors import PermissionMissing
from tests.scripted_desktop import ScriptedDesktop
from tests.waiting import eventually
from tests.wire.desktop_rig import PHRASE, Bridge, DesktopRig, hosting, read_json


async def test_health_reports_version_system_permissions_schema_and_peer(bridge: Bridge) -> None:
    result = await bridge.call("desktop.health")
    assert result["hostVersion"] == handrail.__version__
    assert result["macos"] == ""
    assert result["os"] == "Linux test"
    assert result["permissions"]["accessibility"] == "granted"
    assert result["permissions"]["screenRecording"] == "granted"
    assert result["bridge"]["schemaVersion"] == 1
    assert result["peer"]["pid"] == os.getpid()
    assert len(bytes.fromhex(result["peer"]["auditTokenDigest"])) == 4


async def test_doctor_lists_each_permission_with_its_purpose_and_status(bridge: Bridge) -> None:
    result = await bridge.call("desktop.doctor")
    assert result["permissions"]["accessibility"] == {
        "granted": True,
        "required": True,
        "purpose": "AX observe/find/action",
    }
    assert result["permissions"]["screenRecording"]["purpose"] == "Screenshot capture"
    assert result["issues"] == []
    assert result["healthy"] is True
    assert result["peer"] == (await bridge.call("desktop.health"))["peer"]


async def test_doctor_names_missing_parts_and_how_to_enable_them(desk: DesktopRig, bridge: Bridge) -> None:
    issue = Issue("screenRecording", "The compositor shows no picture.", "Log in to an X11 session.")
    desk.desktop.readiness_now = Readiness(True, False, True, "Linux test", "wayland", (issue,))
    result = await bridge.call("desktop.doctor")
    assert result["healthy"] is False
    assert result["permissions"]["screenRecording"]["granted"] is False
    assert result["issues"] == ["The compositor shows no picture."]
    assert result["fixes"][0]["fix"] == "Log in to an X11 session."
    assert (await bridge.call("desktop.health"))["permissions"]["screenRecording"] == "denied"


@pytest.mark.parametrize("method", ["desktop.health", "desktop.doctor", "desktop.observe"])
async def test_while_starting_the_host_reports_it(tmp_path: Path, method: str) -> None:
    may_open = asyncio.Event()

    async def slowly() -> DesktopPort:
        await may_open.wait()
        return ScriptedDesktop()

    async with hosting(tmp_path, open_desktop=slowly) as desk:
        bridge = await desk.connect()
        error = await bridge.refused(method)
        assert (error["code"], error["retryable"]) == ("DESKTOP_HOST_NOT_READY", True)
        may_open.set()
        while "error" in (answer := await bridge.send(method)):
            assert answer["error"]["code"] == "DESKTOP_HOST_NOT_READY"


async def test_without_a_desktop_the_host_keeps_running_and_names_what_is_missing(tmp_path: Path) -> None:
    tries = 0

    async def missing() -> DesktopPort:
        nonlocal tries
        tries += 1
        raise PermissionMissing("There is no display.", hint="Set DISPLAY.")

    async with hosting(tmp_path, open_desktop=missing) as desk:
        bridge = await desk.connect()
        await eventually(lambda: tries > 0)
        health = await bridge.call("desktop.health")
        assert health["permissions"]["accessibility"] == "denied"
        doctor = await bridge.call("desktop.doctor")
        assert doctor["issues"] == ["There is no display."]
        assert doctor["fixes"][0]["fix"] == "Set DISPLAY."
        calls: dict[str, dict[str, Any]] = {
            "desktop.observe": {},
            "desktop.find": {"selector": {"byRole": "AXButton"}},
            "desktop.hotkey": {"keys": ["enter"], "confirm": PHRASE},
            "desktop.waitUntil": {"condition": {"selectorGone": {"byRole": "x"}}, "timeoutMs": 1000},
        }
        for method, params in calls.items():
            error = await bridge.refused(method, **params)
            assert error["code"] == "DESKTOP_PERMISSION_MISSING", error
            assert error["details"]["hint"] == "Set DISPLAY."


async def test_an_error_while_opening_the_desktop_is_reported_and_does_not_end_the_host(tmp_path: Path) -> None:
    tried = asyncio.Event()

    async def broken() -> DesktopPort:
        tried.set()
        raise RuntimeError("no bus")

    async with hosting(tmp_path, open_desktop=broken) as desk:
        bridge = await desk.connect()
        await tried.wait()
        assert "no bus" in (await bridge.call("desktop.doctor"))["issues"][0]
        assert (await bridge.refused("desktop.observe"))["code"] == "DESKTOP_INTERNAL_ERROR"


async def test_without_screenshots_reading_and_acting_still_work(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.shows_pictures = False
    assert (await bridge.refused("desktop.observe"))["code"] == "DESKTOP_PERMISSION_MISSING"
    read = await bridge.call("desktop.observe", options={"includeScreenshot": False})
    assert "screenshotPath" not in read["evidence"]
    clicked = await bridge.act("desktop.click", target={"selector": {"titleContains": "Ask"}})
    assert clicked["clicked"] is True
    assert "beforeScreenshot" not in clicked["evidence"]


@pytest.fixture
def always_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readiness is never answered from a cache."""
    monkeypatch.setattr("handrail.features.desktop.host.services._OLD_SECONDS", -1.0)


@pytest.mark.usefixtures("always_looked_at")
@pytest.mark.parametrize(
    ("method", "params"), [("desktop.find", {"selector": {"byRole": "AXButton"}}), ("desktop.health", {})]
)
async def test_a_slow_readiness_check_ends_at_the_timeout(
    desk: DesktopRig, bridge: Bridge, monkeypatch: pytest.MonkeyPatch, method: str, params: dict[str, Any]
) -> None:
    async def never() -> Readiness:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(desk.desktop, "readiness", never)
    error = await bridge.refused(method, meta=bridge.meta(timeoutMs=100), **params)
    assert error["code"] == "DESKTOP_TIMEOUT"
    for line in desk.index():
        assert read_json({"evidence": {"dir": line["evidenceDir"]}}, "env.json")["method"] == method


@pytest.mark.usefixtures("always_looked_at")
async def test_a_failing_readiness_check_is_reported_and_the_host_continues(
    desk: DesktopRig, bridge: Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken() -> Readiness:
        raise RuntimeError("no answer")

    monkeypatch.setattr(desk.desktop, "readiness", broken)
    assert "no answer" in (await bridge.call("desktop.doctor"))["issues"][0]
    assert (await bridge.call("desktop.health"))["permissions"]["input"] == "denied"


async def test_a_desktop_that_fails_right_after_it_was_opened_is_closed_again(tmp_path: Path) -> None:
    windows: list[str] = []

    class Broken(ScriptedDesktop):
        async def readiness(self) -> Readiness:
            windows.append("opened")
            raise RuntimeError("no answer")

        async def close(self) -> None:
            windows.append("closed")

    async def give() -> DesktopPort:
        return Broken()

    async with hosting(tmp_path, open_desktop=give) as desk:
        bridge = await desk.connect()
        while "error" in await bridge.send("desktop.health"):
            pass
        assert windows[:2] == ["opened", "closed"]
