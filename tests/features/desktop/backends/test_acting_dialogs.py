"""Dialogs that a GTK 3 program opens within an action and waits for: it answers the action only after them."""

from collections.abc import AsyncIterator, Iterator

import pytest

from handrail.features.desktop.backends.linux import LinuxDesktop
from handrail.features.desktop.desktop_port import KeyCombination, Query, Window
from tests.desktop_apps import ROOT, SYSTEM_PYTHON
from tests.desktop_session import App, DesktopSession
from tests.waiting import eventually

PROGRAM = ROOT / "tests" / "desktop_apps" / "waiting_dialogs.py"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def app(desktop_session: DesktopSession) -> Iterator[App]:
    app = desktop_session.start([SYSTEM_PYTHON, str(PROGRAM)])
    yield app
    desktop_session.end(app)


@pytest.fixture
async def desktop(desktop_session: DesktopSession) -> AsyncIterator[LinuxDesktop]:
    with desktop_session.entered():
        linux_desktop = LinuxDesktop()
        yield linux_desktop
        await linux_desktop.close()


async def window_of(desktop: LinuxDesktop, app: App, *, is_modal: bool) -> Window:
    async def listed() -> list[Window]:
        return [one for one in await desktop.windows() if one.pid == app.pid and one.is_modal is is_modal]

    return (await eventually(listed, "the window"))[0]


async def press(desktop: LinuxDesktop, window: Window, title: str) -> None:
    [button] = await desktop.find(window, Query("AXButton", title))
    await desktop.press(window, button.element)


async def test_a_dialog_that_a_button_waits_for_is_read_and_answered(desktop: LinuxDesktop, app: App) -> None:
    for number, button in enumerate(("OK", "Cancel", "OK"), 1):
        await press(desktop, await window_of(desktop, app, is_modal=False), "Ask")
        await press(desktop, await window_of(desktop, app, is_modal=True), button)

        async def is_answered(number: int = number) -> bool:
            return app.said.count("\n") == number

        await eventually(is_answered, lambda: app.said)
    assert app.said.split() == ["yes", "no", "yes"]


async def test_a_dialog_that_a_menu_item_waits_for_is_read_and_answered(desktop: LinuxDesktop, app: App) -> None:
    await desktop.choose(await window_of(desktop, app, is_modal=False), ["File", "Ask…"])
    await press(desktop, await window_of(desktop, app, is_modal=True), "OK")

    async def is_answered() -> bool:
        return "yes\n" in app.said

    await eventually(is_answered, lambda: app.said)


async def test_a_key_in_a_dialog_that_a_button_waits_for_does_not_hang_the_program(
    desktop: LinuxDesktop, app: App
) -> None:
    await press(desktop, await window_of(desktop, app, is_modal=False), "Ask")
    dialog = await window_of(desktop, app, is_modal=True)

    async def is_in_front() -> bool:
        return any(one.is_front for one in await desktop.windows() if one.handle == dialog.handle)

    await eventually(is_in_front, "the dialog in front")
    await desktop.send_keys(dialog, [KeyCombination((), "escape")], delay_ms=0)

    async def is_answered() -> bool:
        return "no\n" in app.said

    await eventually(is_answered, lambda: app.said)
    await window_of(desktop, app, is_modal=False)
