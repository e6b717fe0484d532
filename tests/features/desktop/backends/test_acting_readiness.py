"""Sessions that lack something: what is reported, and that the rest still works."""

import pytest

from handrail.features.desktop.backends.linux import LinuxDesktop
from handrail.features.desktop.desktop_port import KeyCombination, Query, Readiness, Rect, Window
from handrail.ports.errors import PermissionMissing
from tests.desktop_apps import command, texts
from tests.desktop_session import App, DesktopSession


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def workbench(desktop_session: DesktopSession) -> App:
    return desktop_session.start(command("gtk3", "--title", "Without X"))


def abouts(readiness: Readiness) -> set[str]:
    return {issue.about for issue in readiness.issues}


async def test_outside_of_a_desktop_session_everything_is_reported_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "DBUS_SESSION_BUS_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    desktop = LinuxDesktop()
    readiness = await desktop.readiness()
    assert (readiness.can_read, readiness.can_look, readiness.can_act) == (False, False, False)
    assert readiness.session == ""
    assert abouts(readiness) == {"accessibility", "screenRecording", "input"}
    assert all(issue.message and issue.fix for issue in readiness.issues)
    nowhere = Window("gone", "Gone", "gone", "gone", frozenset(), 1, None)
    with pytest.raises(PermissionMissing):
        await desktop.screenshot()
    with pytest.raises(PermissionMissing):
        await desktop.send_keys(nowhere, [KeyCombination((), "a")], delay_ms=0)
    with pytest.raises(PermissionMissing):
        await desktop.highlight(Rect(0, 0, 10, 10), 100)
    await desktop.close()


async def test_in_a_wayland_session_without_x_actions_and_contents_still_work(
    desktop_session: DesktopSession, workbench: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    with desktop_session.entered():
        monkeypatch.delenv("DISPLAY")
        monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
        desktop = LinuxDesktop()
        readiness = await desktop.readiness()
        assert readiness.session == "wayland"
        assert readiness.can_read
        assert not readiness.can_act
        assert any("Wayland" in issue.message for issue in readiness.issues)
        [window] = [one for one in await desktop.windows() if one.title == "Without X"]
        [button] = await desktop.find(window, Query("AXButton", texts.COUNT))
        assert (await desktop.press(window, button.element)).by.startswith("action:")
        [field] = await desktop.find(window, Query("AXTextField", texts.NAME))
        delivery = await desktop.type_text(window, field.element, "set 世界", clear_before=True)
        assert (delivery.by, delivery.is_verified) == ("contents", True)
        [area] = [one for one in await desktop.find(window, Query(None, texts.AREA)) if one.element.title == texts.AREA]
        with pytest.raises(PermissionMissing):
            await desktop.press(window, area.element)
        await desktop.close()


async def test_an_inaccessible_program_is_named(desktop_session: DesktopSession) -> None:
    mute = desktop_session.start(command("mute", "--title", "Mute"), wait_for="window")
    try:
        with desktop_session.entered():
            desktop = LinuxDesktop()
            readiness = await desktop.readiness()
            await desktop.close()
    finally:
        desktop_session.end(mute)
    assert readiness.can_act
    assert [issue for issue in readiness.issues if issue.about == "app"]
