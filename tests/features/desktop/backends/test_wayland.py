"""Wayland compositors that don't report window positions, or have two monitors."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from handrail.features.desktop.backends.linux import LinuxDesktop
from handrail.features.desktop.backends.x11.compositor import X11Compositor
from handrail.features.desktop.desktop_port import Element, Gesture, KeyCombination, Query, Rect, Window, WindowChange
from handrail.ports.errors import Conflict, PermissionMissing
from tests.desktop_apps import command, texts
from tests.desktop_session import App
from tests.features.desktop.conformance import png
from tests.sway_session import SwaySession
from tests.waiting import eventually

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def sway() -> Iterator[SwaySession]:
    with SwaySession(outputs=2) as session, session.entered():
        yield session


@pytest.fixture(scope="module")
def app(sway: SwaySession) -> App:
    return sway.start(command("gtk3"))


@pytest.fixture
async def desktop(sway: SwaySession) -> AsyncIterator[LinuxDesktop]:
    linux_desktop = LinuxDesktop()
    yield linux_desktop
    await linux_desktop.close()


@pytest.fixture
async def placeless(sway: SwaySession, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LinuxDesktop]:
    """As on a compositor that has wlroots' protocols and reports no window positions."""
    monkeypatch.delenv("SWAYSOCK")
    desktop = LinuxDesktop()
    yield desktop
    await desktop.close()


@pytest.fixture
async def unsupported(sway: SwaySession, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LinuxDesktop]:
    """As on GNOME, whose compositor gives programs neither windows nor input."""
    monkeypatch.delenv("DISPLAY", raising=False)
    desktop = LinuxDesktop(X11Compositor())
    yield desktop
    await desktop.close()


async def window_of(desktop: LinuxDesktop, app: App) -> Window:
    async def found() -> list[Window]:
        return [window for window in await desktop.windows() if window.pid in app.pids]

    return (await eventually(found, "the window"))[0]


async def named(desktop: LinuxDesktop, window: Window, title: str) -> Element:
    matches = await desktop.find(window, Query(title_contains=title))
    return next(one.element for one in matches if one.element.title == title)


async def test_where_no_place_is_known_frames_are_absent_and_the_pointer_is_refused_with_the_reason(
    placeless: LinuxDesktop, app: App
) -> None:
    window = await window_of(placeless, app)
    assert window.frame is None
    area = await named(placeless, window, texts.AREA)
    assert area.frame is None
    with pytest.raises(PermissionMissing, match="on the screen is unknown"):
        await placeless.point(window, area, Gesture())
    with pytest.raises(PermissionMissing, match="where windows are"):
        await placeless.point(window, (500, 500), Gesture())
    assert any("where windows are" in issue.message for issue in (await placeless.readiness()).issues)


async def test_where_the_compositor_is_not_supported_elements_act_and_have_no_frame(
    unsupported: LinuxDesktop, app: App
) -> None:
    window = await window_of(unsupported, app)
    count = await named(unsupported, window, texts.COUNT)
    assert (window.frame, count.frame) == (None, None)
    assert (await unsupported.press(window, count)).by == "action:click"
    with pytest.raises(PermissionMissing, match="this Wayland compositor"):
        await unsupported.send_keys(window, [KeyCombination((), "a")], delay_ms=0)
    readiness = await unsupported.readiness()
    assert (readiness.session, readiness.can_read, readiness.can_act) == ("wayland", True, False)
    assert any("this Wayland compositor" in issue.message for issue in readiness.issues)


async def test_text_and_pictures_work_where_no_place_is_known(placeless: LinuxDesktop, app: App) -> None:
    window = await window_of(placeless, app)
    name = await named(placeless, window, texts.NAME)
    delivery = await placeless.type_text(window, name, "世界", clear_before=True)
    assert delivery.is_verified
    assert (await placeless.screenshot()).area == placeless._compositor.area()


async def test_a_line_typed_into_a_terminal_is_run(sway: SwaySession, desktop: LinuxDesktop, tmp_path: Path) -> None:
    """A shell only shows a pasted line."""
    done = tmp_path / "done"
    terminal = sway.start(["foot", "bash", "--norc"], wait_for="window")
    window = await window_of(desktop, terminal)
    delivery = await desktop.type_text(window, None, f"touch {done}\n", clear_before=False)
    assert delivery.by == "keys"
    await eventually(done.exists, "the line to be run")
    sway.end(terminal)


async def test_the_screen_is_all_monitors_together(sway: SwaySession, desktop: LinuxDesktop) -> None:
    shot = await desktop.screenshot()
    assert shot.area.width > 1920
    assert png.size(shot.png) == (shot.area.width, shot.area.height)
    across = Rect(1900, 100, 40, 30)
    assert png.pixels((await desktop.screenshot(across)).png) == sway.eyes.pixels(across)


async def moved(sway: SwaySession, desktop: LinuxDesktop, app: App, x: int, y: int) -> Window:
    sway.eyes.move(sway.windows_of(app)[0], x, y)

    async def has_moved() -> bool:
        frame = (await window_of(desktop, app)).frame
        return frame is not None and frame.x == x

    await eventually(has_moved, "the moved window")
    return await window_of(desktop, app)


async def test_a_window_is_moved_and_resized_to_the_pixel(sway: SwaySession, desktop: LinuxDesktop, app: App) -> None:
    window, [id] = await window_of(desktop, app), sway.windows_of(app)
    before = sway.eyes.frame_of(id)
    wanted = Rect(120, 130, before.width + 20, before.height + 30)
    await desktop.arrange(window, WindowChange("resize", width=wanted.width, height=wanted.height))
    await desktop.arrange(window, WindowChange("move", x=wanted.x, y=wanted.y))

    async def is_there() -> bool:
        return sway.eyes.frame_of(id) == wanted

    await eventually(is_there, f"{wanted}")


async def test_elements_on_the_second_monitor_are_clicked_there(
    sway: SwaySession, desktop: LinuxDesktop, app: App
) -> None:
    window = await moved(sway, desktop, app, 2000, 50)
    area = await named(desktop, window, texts.AREA)
    await desktop.point(window, area, Gesture())

    async def is_touched() -> bool:
        return bool(await desktop.find(window, Query(title_contains=texts.TOUCHED.format(1))))

    await eventually(is_touched, "the click")


async def test_nothing_is_clicked_below_a_monitor_that_is_smaller_than_the_other(
    sway: SwaySession, desktop: LinuxDesktop, app: App
) -> None:
    """The pointer would stay at the monitor's edge and click what is there."""
    second = next(area for area in desktop._compositor.monitors() if area.x > 0)
    window = await moved(sway, desktop, app, second.x + 100, second.y + second.height - 100)
    area = await named(desktop, window, texts.AREA)
    assert area.frame is not None
    assert area.frame.y > second.y + second.height
    with pytest.raises(Conflict, match="No part of the element is visible"):
        await desktop.point(window, area, Gesture())
    with pytest.raises(Conflict, match="No monitor shows this point"):
        await desktop.point(window, area.frame.center, Gesture())
    inside = (second.x + 200, second.y + second.height - 50)
    with pytest.raises(Conflict, match="No monitor shows this point"):
        await desktop.point(window, inside, Gesture("drag", to=area.frame.center))
