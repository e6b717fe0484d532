"""Windows of one program that look alike: input for one never reaches another."""

from collections.abc import AsyncIterator, Iterator

import pytest

from handrail.features.desktop.backends.linux import LinuxDesktop
from handrail.features.desktop.desktop_port import Element, KeyCombination, Query, Window
from tests.desktop_apps import command
from tests.desktop_session import App, DesktopSession
from tests.waiting import eventually


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def desktop(desktop_session: DesktopSession) -> AsyncIterator[LinuxDesktop]:
    with desktop_session.entered():
        linux_desktop = LinuxDesktop()
        yield linux_desktop
        await linux_desktop.close()


class Editors:
    def __init__(self, desktop: LinuxDesktop, app: App) -> None:
        self.desktop = desktop
        self.app = app

    async def windows(self, count: int) -> list[Window]:
        async def all_shown() -> list[Window]:
            own = [one for one in await self.desktop.windows() if one.pid in self.app.pids]
            return sorted(own, key=lambda one: one.title) if len(own) == count else []

        return await eventually(all_shown, f"{count} windows")

    async def text(self, window: Window) -> Element:
        [matches] = await self.desktop.find(window, Query(title_contains="Text", role="AXTextArea"))
        return matches.element

    async def content(self, window: Window) -> str:
        return (await self.text(window)).value or ""


@pytest.fixture
def start(desktop: LinuxDesktop, desktop_session: DesktopSession) -> Iterator["Starter"]:
    starter = Starter(desktop, desktop_session)
    yield starter
    for app in starter.apps:
        desktop_session.end(app)


class Starter:
    def __init__(self, desktop: LinuxDesktop, session: DesktopSession) -> None:
        self.desktop = desktop
        self.session = session
        self.apps: list[App] = []

    def __call__(self, *arguments: str) -> Editors:
        app = self.session.start(command("editors", *arguments))
        self.apps.append(app)
        return Editors(self.desktop, app)


async def shows(editors: Editors, window: Window, content: str) -> None:
    async def is_there() -> bool:
        return await editors.content(window) == content

    await eventually(is_there, f"{content!r} in {window.title}")


async def test_text_for_one_maximised_window_of_a_program_reaches_no_other(start: Starter) -> None:
    editors = start("--titles", "a.txt", "b.txt", "c.txt")
    windows = await editors.windows(3)
    for window in windows:
        await editors.desktop.type_text(window, await editors.text(window), f"for {window.title}", clear_before=False)
        await shows(editors, window, f"for {window.title}")
    for window in reversed(windows):
        await editors.desktop.type_text(window, None, "!", clear_before=False)
        await shows(editors, window, f"for {window.title}!")


@pytest.mark.trial("desktop", is_long=True)
async def test_keys_for_one_of_two_windows_with_the_same_title_reach_that_one(start: Starter) -> None:
    editors = start("--titles", "same.txt", "same.txt")
    first, second = await editors.windows(2)
    for window, key in ((first, "x"), (second, "y"), (first, "z")):
        await editors.desktop.focus(window, await editors.text(window))
        await editors.desktop.send_keys(window, [KeyCombination((), key)], delay_ms=0)
    await shows(editors, first, "xz")
    await shows(editors, second, "y")


async def test_windows_of_two_processes_with_the_same_title_are_told_apart(start: Starter) -> None:
    one, other = start("--titles", "same.txt"), start("--titles", "same.txt")
    [first], [second] = await one.windows(1), await other.windows(1)
    await one.desktop.type_text(first, await one.text(first), "one", clear_before=False)
    await shows(one, first, "one")
    assert await other.content(second) == ""


async def test_text_for_a_dialog_reaches_its_field_and_not_the_window_below(start: Starter) -> None:
    editors = start("--titles", "a.txt", "b.txt", "--dialog", "Save as")
    windows = {window.title: window for window in await editors.windows(3)}
    [field] = await editors.desktop.find(windows["Save as"], Query(title_contains="File name"))
    await editors.desktop.type_text(windows["Save as"], field.element, "new.txt", clear_before=False)

    async def is_there() -> bool:
        [now] = await editors.desktop.find(windows["Save as"], Query(title_contains="File name"))
        return now.element.value == "new.txt"

    await eventually(is_there, "the file's name")
    assert [await editors.content(windows[title]) for title in ("a.txt", "b.txt")] == ["", ""]
