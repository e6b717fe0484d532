"""Clipboard, keys, pointer and windows of a real X server, without accessibility."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator

import pytest
from Xlib import X, error
from Xlib.display import Display

from handrail.features.desktop.backends.x11.clipboard import Clipboard
from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.backends.x11.input import Keyboard, Pointer
from handrail.features.desktop.backends.x11.screen import X11Screen
from handrail.features.desktop.backends.x11.selection import Content, SelectionWindow
from handrail.features.desktop.backends.x11.windows import X11Windows
from handrail.features.desktop.desktop_port import Gesture, KeyCombination, Rect
from handrail.ports.errors import Conflict, PermissionMissing
from tests.desktop_session import DesktopSession

MOST = 1 << 26
LONG = "0123456789 世界\n" * 60_000


async def unhindered() -> None:
    """Any window may have the keyboard focus."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def x11(desktop_session: DesktopSession) -> Iterator[X11]:
    connection = X11(desktop_session.env["DISPLAY"])
    yield connection
    connection.close()


@pytest.fixture
async def clipboard(x11: X11) -> AsyncIterator[Clipboard]:
    clipboard_of_x11 = Clipboard(x11)
    yield clipboard_of_x11
    await clipboard_of_x11.close()


@pytest.fixture
async def other(x11: X11) -> AsyncIterator[SelectionWindow]:
    """Another program's window, which requests the clipboard or owns it."""
    selection_window = SelectionWindow(x11)
    yield selection_window
    selection_window.close()


async def read(asker: SelectionWindow, target: str = "UTF8_STRING") -> Content | None:
    async with asyncio.timeout(20):
        return await asker.read(asker.atom("CLIPBOARD"), asker.atom(target), max_bytes=MOST)


@pytest.mark.parametrize("text", ["short 世界", LONG])
async def test_the_pasting_program_gets_the_text_of_any_size(
    clipboard: Clipboard, other: SelectionWindow, text: str
) -> None:
    async with clipboard.lending(text, other.window.id) as offer:
        content = await read(other)
        assert content is not None
        assert content.value == text.encode()
        async with asyncio.timeout(20):
            await offer.transferred.wait()


async def test_no_other_program_gets_the_text(clipboard: Clipboard, other: SelectionWindow, x11: X11) -> None:
    async with clipboard.lending("for one only", x11.root().id) as offer:
        assert await read(other) is None
        assert await read(other, "TARGETS") is None
        assert not offer.requested.is_set()


async def test_an_unowned_clipboard_is_unowned_again_afterwards(clipboard: Clipboard, other: SelectionWindow) -> None:
    other.display.create_resource_object("window", X.NONE).set_selection_owner(other.atom("CLIPBOARD"), X.CurrentTime)
    other.catch_up()
    async with clipboard.lending("for a moment", other.window.id):
        assert other.display.get_selection_owner(other.atom("CLIPBOARD")) != X.NONE
    assert other.display.get_selection_owner(other.atom("CLIPBOARD")) == X.NONE


async def test_every_form_of_the_old_content_is_there_again(
    x11: X11, clipboard: Clipboard, other: SelectionWindow
) -> None:
    owner = Clipboard(x11)
    selection = owner._open()
    forms = {"UTF8_STRING": LONG.encode(), "text/html": b"<b>kept</b>", "image/png": bytes(range(256)) * 2000}
    contents = {selection.atom(name): Content(selection.atom(name), 8, value) for name, value in forms.items()}
    owner._take_ownership(selection, contents, await selection.now())
    async with clipboard.lending("something else", other.window.id):
        content = await read(other)
        assert content is not None
        assert content.value == b"something else"
    for name, value in forms.items():
        content = await read(other, name)
        assert content is not None
        assert content.value == value
    await owner.close()


async def test_text_copied_by_a_person_during_the_call_stays(clipboard: Clipboard, other: SelectionWindow) -> None:
    async with clipboard.lending("ours", other.window.id):
        other.window.set_selection_owner(other.atom("CLIPBOARD"), X.CurrentTime)
        other.catch_up()
    assert other.display.get_selection_owner(other.atom("CLIPBOARD")).id == other.window.id


async def test_a_cancelled_paste_gives_the_clipboard_back(clipboard: Clipboard, other: SelectionWindow) -> None:
    async with clipboard.lending("kept", other.window.id):
        pass
    lent = asyncio.Event()

    async def lend() -> None:
        async with clipboard.lending("given up", other.window.id):
            lent.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(lend())
    await lent.wait()
    task.cancel()
    await asyncio.wait([task])
    assert other.display.get_selection_owner(other.atom("CLIPBOARD")) == X.NONE


async def test_the_layout_is_as_it_was_after_keys_that_it_lacks(x11: X11) -> None:
    before = mapping(x11.display())
    await Keyboard(x11).send([KeyCombination((), "漢"), KeyCombination((), "f20")], before_each=unhindered)
    assert mapping(x11.display()) == before


async def test_keys_that_are_refused_in_the_middle_leave_the_layout_as_it_was(x11: X11) -> None:
    before, typed = mapping(x11.display()), 0

    async def check() -> None:
        nonlocal typed
        typed += 1
        if typed == 3:
            raise InterruptedError

    async def arrived() -> None:
        raise AssertionError

    with pytest.raises(InterruptedError):
        await Keyboard(x11).write("漢字漢字", before_each=check, arrived=arrived)
    assert typed == 3
    assert mapping(x11.display()) == before
    assert not any(x11.display().query_keymap())


async def test_caps_lock_is_off_for_our_keys_and_on_again_for_the_person(x11: X11) -> None:
    keyboard, masks = Keyboard(x11), list[int]()
    await keyboard.send([KeyCombination((), "capslock")], before_each=unhindered)
    assert x11.root().query_pointer().mask & X.LockMask

    async def arrived() -> None:
        masks.append(x11.root().query_pointer().mask & X.LockMask)

    await keyboard.write("a", before_each=unhindered, arrived=arrived)
    assert masks == [0]
    assert x11.root().query_pointer().mask & X.LockMask
    await keyboard.send([KeyCombination((), "capslock")], before_each=unhindered)
    assert not x11.root().query_pointer().mask & X.LockMask


async def test_the_pointer_is_back_after_a_click(x11: X11) -> None:
    x11.root().warp_pointer(700, 13)
    await Pointer(x11).perform(Gesture(), 5, 1070, reaches=lambda: True)
    after = x11.root().query_pointer()
    assert (after.root_x, after.root_y) == (700, 13)
    assert not after.mask & X.Button1Mask


async def test_a_window_that_comes_up_when_the_pointer_is_there_is_not_clicked(x11: X11) -> None:
    windows = X11Windows(x11)
    cover = x11.root().create_window(
        0, 1060, 20, 20, 0, X.CopyFromParent, override_redirect=True, event_mask=X.ButtonPressMask
    )
    x11.root().warp_pointer(700, 13)
    below = windows.at(5, 1070)

    def reaches() -> bool:
        cover.map()  # as another program would have done just before
        return windows.at(5, 1070) == below

    with pytest.raises(Conflict):
        await Pointer(x11).perform(Gesture(), 5, 1070, reaches=reaches)
    assert x11.display().pending_events() == 0
    assert x11.root().query_pointer().root_x == 700
    cover.destroy()


async def test_a_lost_connection_is_opened_again(x11: X11, desktop_session: DesktopSession) -> None:
    screen, windows = X11Screen(x11), X11Windows(x11)
    screen.grab(Rect(0, 0, 4, 4))
    killer = Display(desktop_session.env["DISPLAY"])
    mine = x11.root().create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    x11.display().sync()
    killer.create_resource_object("window", mine.id).kill_client()
    killer.sync()
    killer.close()
    assert windows.has_manager()
    assert len(screen.grab(Rect(0, 0, 4, 4))) == 4 * 4 * 4


async def test_highlights_go_when_the_desktop_is_closed(x11: X11) -> None:
    screen = X11Screen(x11)
    before = set(children(x11))
    await screen.highlight(Rect(300, 300, 50, 50), 60_000)
    new_windows = set(children(x11)) - before
    assert len(new_windows) == 4
    screen.close()
    assert not new_windows & set(children(x11))


async def test_a_highlight_lets_clicks_through(x11: X11) -> None:
    screen, windows = X11Screen(x11), X11Windows(x11)
    below = windows.at(300, 296)
    await screen.highlight(Rect(300, 300, 50, 50), 60_000)
    assert windows.at(300, 296) == below
    screen.close()


def test_without_a_display_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.raises(PermissionMissing, match="no display"):
        X11().display()
    with pytest.raises(PermissionMissing, match=":4711"):
        X11(":4711").display()


def mapping(display: Display) -> list[list[int]]:
    first, last = display.display.info.min_keycode, display.display.info.max_keycode
    return [list(row) for row in display.get_keyboard_mapping(first, last - first + 1)]


def children(x11: X11) -> Iterator[int]:
    for child in x11.root().query_tree().children:
        try:
            if child.get_attributes().map_state == X.IsViewable:
                yield child.id
        except error.BadWindow:
            continue


def test_the_monitors_of_an_x_server_are_known(x11: X11, desktop_session: DesktopSession) -> None:
    def xrandr(*arguments: str) -> None:
        subprocess.run(["xrandr", *arguments], env=desktop_session.env, check=True)

    assert x11.monitors() == [x11.screen_area()]
    xrandr("--setmonitor", "half", "800/200x600/150+100+50", "screen")
    try:
        assert x11.monitors() == [Rect(100, 50, 800, 600)]
    finally:
        xrandr("--delmonitor", "half")
