"""Keys and clicks for one window never reach another."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from handrail.features.desktop.backends.linux import LinuxDesktop
from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.backends.x11.windows import X11Windows
from handrail.features.desktop.desktop_port import Element, Query, Window
from handrail.ports.errors import Conflict, Gone, InvalidParams
from tests.desktop_apps import command, texts
from tests.desktop_session import App, DesktopSession


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def workbench(desktop_session: DesktopSession) -> App:
    return desktop_session.start(command("gtk3", "--title", "Not meant"))


@pytest.fixture(scope="module")
def mute(desktop_session: DesktopSession) -> App:
    """It accepts no paste, so every text must be typed key by key."""
    return desktop_session.start(command("mute", "--title", "Mute"), wait_for="window")


@pytest.fixture
async def desktop(desktop_session: DesktopSession, workbench: App, mute: App) -> AsyncIterator[LinuxDesktop]:
    with desktop_session.entered():
        linux_desktop = LinuxDesktop()
        yield linux_desktop
        await linux_desktop.close()


async def field_of(desktop: LinuxDesktop) -> tuple[Window, Element]:
    [window] = [one for one in await desktop.windows() if one.title == "Not meant"]
    [field] = await desktop.find(window, Query("AXTextField", texts.NAME))
    return window, field.element


async def test_a_window_that_takes_the_focus_receives_no_typed_text(desktop: LinuxDesktop) -> None:
    window, field = await field_of(desktop)
    assert await desktop.focus(window, field)
    tops = X11Windows(X11())
    [mute_window] = [top for top in tops.all() if top.title == "Mute"]
    assert await tops.activate(mute_window.id)

    typing = asyncio.create_task(desktop.type_text(None, None, "x" * 2000, clear_before=False))
    await asyncio.sleep(0)
    assert await desktop.bring_to_front(window)
    with pytest.raises(Conflict):
        await typing
    now = await desktop.read_element(field.handle)
    assert now is not None
    assert now.value == ""


async def test_a_text_is_refused_where_the_window_is_gone(
    desktop: LinuxDesktop, desktop_session: DesktopSession
) -> None:
    app = desktop_session.start(command("gtk3", "--title", "Soon gone"))
    [window] = [one for one in await desktop.windows() if one.title == "Soon gone"]
    [field] = await desktop.find(window, Query("AXTextField", texts.NAME))
    desktop_session.end(app)
    before = (await field_of(desktop))[1].value
    with pytest.raises((Gone, Conflict)):
        await desktop.type_text(window, field.element, "into nothing", clear_before=False)
    with pytest.raises((Gone, Conflict)):
        await desktop.press(window, field.element)
    assert (await field_of(desktop))[1].value == before


async def test_a_text_with_nul_is_refused(desktop: LinuxDesktop) -> None:
    window, field = await field_of(desktop)
    with pytest.raises(InvalidParams):
        await desktop.type_text(window, field, "a\0b", clear_before=False)
