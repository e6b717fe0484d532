"""The list of windows: their apps, and which one is in front."""

import pytest

from handrail.features.desktop.desktop_port import Window, WindowChange
from tests.desktop_apps import Toolkit, texts
from tests.features.desktop.conformance.workbench import Workbench, window_of
from tests.waiting import eventually

BORDER = 40
"""Some toolkits include a window's decoration in its frame."""


async def test_a_window_has_its_title_its_process_and_its_place_on_the_screen(bench: Workbench) -> None:
    assert bench.window.title == texts.TITLE
    assert bench.window.frame is not None
    frame, real = bench.window.frame, bench.ground.frame(bench.app)
    assert abs(frame.center[0] - real.center[0]) < BORDER
    assert abs(frame.center[1] - real.center[1]) < BORDER
    assert abs(frame.width - real.width) < 2 * BORDER
    assert abs(frame.height - real.height) < 2 * BORDER


async def test_a_window_can_be_addressed_by_every_name_of_its_program(bench: Workbench) -> None:
    assert bench.window.app_id in bench.window.ids
    assert bench.ground.names(bench.app) <= bench.window.ids


async def test_the_window_that_was_brought_to_front_is_the_first_and_the_only_one_there(
    bench: Workbench, toolkit: Toolkit
) -> None:
    other = bench.ground.app("gtk3" if toolkit != "gtk3" else "qt6")
    for window in (bench.window, await window_of(bench.desktop, other), bench.window):

        async def is_in_front(expected: Window = window) -> bool:
            return await bench.desktop.bring_to_front(expected)

        await eventually(is_in_front, f"{window} to come to the front")

        async def is_first(handle: str = window.handle) -> bool:
            windows = await bench.desktop.windows()
            return windows[0].handle == handle and [one.is_front for one in windows].count(True) == 1

        await eventually(is_first, f"{window} in front")


async def test_a_minimized_window_keeps_its_title_and_can_be_restored(bench: Workbench) -> None:
    async def is_there(*, minimized: bool) -> bool:
        windows = {one.handle: one for one in await bench.desktop.windows()}
        window = windows.get(bench.window.handle)
        return window is not None and (window.title, window.is_minimized) == (texts.TITLE, minimized)

    await bench.desktop.arrange(bench.window, WindowChange("minimize"))
    await eventually(lambda: is_there(minimized=True), "the window to be minimized")
    await bench.desktop.arrange(bench.window, WindowChange("restore"))
    await eventually(lambda: is_there(minimized=False), "the window to be back")


async def test_a_blocking_dialog_is_modal_and_closes_when_it_is_answered(
    bench: Workbench, request: pytest.FixtureRequest
) -> None:
    assert not bench.window.is_modal
    await bench.press(texts.OPEN_DIALOG)
    dialog = await window_of(bench.desktop, bench.app, texts.DIALOG)
    assert dialog.is_modal is (request.node.callspec.id != "sway-qt6")  # Qt tells it to X11's window manager alone
    assert dialog.handle != bench.window.handle

    inside = Workbench(bench.ground, bench.desktop, bench.app, dialog)
    await inside.press(texts.CLOSE_DIALOG)

    async def is_gone() -> bool:
        return dialog.handle not in [one.handle for one in await bench.desktop.windows()]

    await eventually(is_gone, "the dialog to go")
