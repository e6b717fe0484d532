"""KWin on Wayland lists windows and brings them to the front; pointer, keys, clipboard and pictures are refused."""

import os
import signal
from collections.abc import AsyncIterator, Awaitable, Iterator

import pytest

from handrail.features.desktop.backends.kwin.compositor import KWinCompositor
from handrail.features.desktop.backends.linux import LinuxDesktop
from handrail.features.desktop.desktop_port import Element, Gesture, KeyCombination, Query, Rect, Window, WindowChange
from handrail.ports.errors import Failure, PermissionMissing, Timeout, Unsupported
from tests.desktop_apps import command, texts
from tests.desktop_session import App
from tests.kwin_session import KWinSession
from tests.waiting import eventually

pytestmark = [pytest.mark.anyio, pytest.mark.trial("programs", is_long=True)]


@pytest.fixture(scope="module")
def kwin() -> Iterator[KWinSession]:
    with KWinSession() as session, session.entered():
        yield session


@pytest.fixture(scope="module")
def app(kwin: KWinSession) -> App:
    return kwin.start(command("gtk3"), wait_for="nothing")


@pytest.fixture
async def desktop(kwin: KWinSession) -> AsyncIterator[LinuxDesktop]:
    linux_desktop = LinuxDesktop()
    assert isinstance(linux_desktop._compositor, KWinCompositor)
    yield linux_desktop
    await linux_desktop.close()


async def window_of(desktop: LinuxDesktop, app: App, *, is_readable: bool = True) -> Window:
    async def found() -> list[Window]:
        windows = [window for window in await desktop.windows() if window.pid in app.pids]
        return [window for window in windows if window.frame is not None and window.is_readable == is_readable]

    return (await eventually(found, "the window"))[0]


async def named(desktop: LinuxDesktop, window: Window, title: str) -> Element:
    matches = await desktop.find(window, Query(title_contains=title))
    return next(one.element for one in matches if one.element.title == title)


async def test_a_window_is_listed_with_its_place_and_in_front(
    kwin: KWinSession, desktop: LinuxDesktop, app: App
) -> None:
    window = await window_of(desktop, app)
    assert (window.title, window.is_front) == (texts.TITLE, True)
    assert "gtk3.py" in window.ids
    assert window.frame is not None
    (outer,) = map(kwin.outer_frame, kwin.uuids(texts.TITLE))
    assert window.frame.intersection(outer) == window.frame
    assert outer.width - window.frame.width < 20  # borders
    assert outer.height - window.frame.height < 60  # borders and title bar
    button = await named(desktop, window, texts.COUNT)
    assert button.frame is not None
    assert button.frame.intersection(window.frame) == button.frame


async def test_of_windows_with_one_title_each_is_known_and_comes_to_the_front(
    kwin: KWinSession, desktop: LinuxDesktop, app: App
) -> None:
    mute = kwin.start(command("gtk3"), wait_for="nothing", env={"NO_AT_BRIDGE": "1"})
    second = await window_of(desktop, mute, is_readable=False)
    first = await window_of(desktop, app)
    assert (first.title, second.title) == (texts.TITLE, texts.TITLE)
    for window in (first, second, first):
        await desktop._top_windows.activate(next(top.id for top in desktop._top_windows.all() if top.pid == window.pid))
        assert [one.pid for one in await desktop.windows() if one.is_front] == [window.pid]
    assert any("exposes no elements" in issue.message for issue in (await desktop.readiness()).issues)
    kwin.end(mute)


async def test_elements_act_and_take_texts_by_themselves(desktop: LinuxDesktop, app: App) -> None:
    window = await window_of(desktop, app)
    assert (await desktop.press(window, await named(desktop, window, texts.COUNT))).by == "action:click"
    name = await named(desktop, window, texts.NAME)
    assert (await desktop.type_text(window, name, "世界", clear_before=True)).is_verified


async def test_everything_else_is_refused_and_doctor_says_so(desktop: LinuxDesktop, app: App) -> None:
    window = await window_of(desktop, app)
    name = await named(desktop, window, texts.NAME)
    assert name.frame is not None

    async def refused(call: Awaitable[object], kind: type[Failure], reason: str) -> None:
        with pytest.raises(kind, match=reason):
            await call

    key = KeyCombination((), "a")
    await refused(desktop.send_keys(window, [key], delay_ms=0), PermissionMissing, "pointer, keys or clipboard")
    await refused(desktop.point(window, name, Gesture()), PermissionMissing, "pointer, keys or clipboard")
    await refused(desktop.point(window, name.frame.center, Gesture()), PermissionMissing, "pointer, keys or clipboard")
    await refused(desktop.clipboard(), PermissionMissing, "pointer, keys or clipboard")
    await refused(desktop.put_on_clipboard("x"), PermissionMissing, "pointer, keys or clipboard")
    await refused(desktop.type_text(window, None, "x", clear_before=False), PermissionMissing, "No keys can be sent")
    await refused(desktop.screenshot(), PermissionMissing, "screenshots")
    await refused(desktop.highlight(Rect(0, 0, 9, 9), 100), Unsupported, "outline")
    await refused(desktop.arrange(window, WindowChange("close")), Unsupported, "close, move or resize")
    readiness = await desktop.readiness()
    assert (readiness.can_read, readiness.can_look, readiness.can_act) == (True, False, False)
    assert {issue.about for issue in readiness.issues} == {"screenRecording", "input"}
    assert all("KWin" in issue.message for issue in readiness.issues)


async def test_a_stopped_kwin_is_reported(kwin: KWinSession, desktop: LinuxDesktop, app: App) -> None:
    await window_of(desktop, app)
    os.kill(kwin.display_server.pid, signal.SIGSTOP)
    try:
        with pytest.raises(Timeout, match="KWin doesn't answer"):
            desktop._top_windows.all()
    finally:
        os.kill(kwin.display_server.pid, signal.SIGCONT)
    assert desktop._top_windows.all()
